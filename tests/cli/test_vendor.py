"""``opforge vendor testing``: a copy of opforge.testing in the project, which goes before opforge's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.scaffold.vendoring import package_files, package_folder

SPEC = Path(__file__).resolve().parents[2] / "examples" / "vector_add" / "opforge.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "opforge.yaml").write_bytes(SPEC.read_bytes())
    monkeypatch.chdir(root)
    return root


def copied(root: Path) -> dict[str, str]:
    folder = root / "tests" / "_opforge"
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}


def test_the_copy_is_opforge_testing_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["vendor", "testing"]) == 0
    expected = {str(file.path): file.text for file in package_files()}
    assert capsys.readouterr().err == f"copied opforge.testing, {len(expected)} files, to tests/_opforge\n"
    assert copied(project) == expected
    package = SPEC.parents[2] / "src" / "opforge"
    for name, text in expected.items():
        if name != "opforge/__init__.py":
            assert (package.parent / name).read_text(encoding="utf-8") == text


def test_the_copy_goes_first(project: Path) -> None:
    build = project / "build"
    assert package_folder(project, build) == build / "testing"
    assert cli.run(["vendor", "testing", "-q"]) == 0
    assert package_folder(project, build) == project / "tests" / "_opforge"


def test_json_and_a_project_elsewhere(project: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(project.parent)
    assert cli.run(["vendor", "testing", "--project", str(project), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(project / "tests" / "_opforge")
    assert sorted(told["files"]) == sorted(copied(project))
    assert told["removed"] == []


def test_an_edit_is_kept_and_files_of_an_older_opforge_go(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["vendor", "testing", "-q"]) == 0
    expected, folder = copied(project), project / "tests" / "_opforge"
    edited = folder / "opforge" / "testing" / "report.py"
    edited.write_text("mine\n", encoding="utf-8")
    assert cli.run(["vendor", "testing"]) == 5
    assert capsys.readouterr().err == (
        f"error: {folder} has files that opforge did not write, or that were edited since\n"
        "  opforge/testing/report.py\n"
        "  help: move your files out of tests/_opforge, or replace them with --force\n"
    )
    assert edited.read_text(encoding="utf-8") == "mine\n"
    assert cli.run(["vendor", "testing", "--force", "-q"]) == 0
    assert copied(project) == expected


def test_a_copy_in_the_build_folder_follows_opforge(project: Path) -> None:
    build = project / "build"
    folder = package_folder(project, build)
    stale, changed = folder / "opforge" / "testing" / "gone.py", folder / "opforge" / "testing" / "report.py"
    stale.write_text("", encoding="utf-8")
    changed.write_text("", encoding="utf-8")
    assert package_folder(project, build) == folder
    found = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert found == {str(file.path): file.text for file in package_files()}
