"""``opforge clean``: what it removes, what stays, and what it says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from opforge.build.project_lock import project_lock
from opforge.cli import main as cli

SPEC = Path(__file__).resolve().parents[2] / "examples" / "vector_add" / "opforge.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    for name, text in (
        ("build/state.json", "{}"),
        ("build/cann/src/a.cpp", "x" * 2500),
        ("dist/a.whl", "x" * 5),
        ("op_kernel/a.h", "// mine"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "opforge.yaml").write_bytes(SPEC.read_bytes())
    monkeypatch.chdir(root)
    monkeypatch.setenv("OPFORGE_CACHE", str(tmp_path / "cache"))
    return root


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_outputs_are_removed_and_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "dist: 1 file, 5 bytes\n{} build: 2 files, 2.5 kB\n"
    assert cli.run(["clean", "--dry-run"]) == 0
    assert capsys.readouterr().err == "would remove " + said.format("would remove")
    assert names(project) == {"build", "dist", "op_kernel", "opforge.yaml"}
    assert cli.run(["clean", "--project", "op_kernel"]) == 0
    assert capsys.readouterr().err == "removed " + said.format("removed")
    assert names(project) == {"op_kernel", "opforge.yaml"}
    assert (project / "op_kernel" / "a.h").is_file()
    assert cli.run(["clean"]) == 0
    assert capsys.readouterr().err == "nothing to remove\n"


def test_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["clean", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert [(row["path"], row["bytes"]) for row in out["removed"]] == [
        (str(project / "dist"), 5),
        (str(project / "build"), 2502),
    ]
    assert (out["schema"], out["dry_run"], out["kept"]) == (1, False, [])


def test_a_folder_of_another_tool_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "build" / "state.json").unlink()
    assert cli.run(["clean"]) == 0
    assert f"kept: {project / 'build'} was not made by opforge\n" in capsys.readouterr().err
    assert names(project) == {"build", "op_kernel", "opforge.yaml"}


def test_what_an_editable_installation_imports_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "build" / "editable").mkdir()
    assert cli.run(["clean"]) == 0
    said = f"kept: {project / 'build' / 'editable'} is what pip's editable installation imports\n"
    assert said in capsys.readouterr().err
    assert {name for name in names(project / "build") if name[0] != "."} == {"editable"}


def test_of_links_only_the_content_is_removed(project: Path, tmp_path: Path) -> None:
    (project / "build").rename(tmp_path / "fast disk")
    (project / "build").symlink_to(tmp_path / "fast disk")
    (tmp_path / "fast disk" / "outside").symlink_to(project / "op_kernel")
    assert cli.run(["clean"]) == 0
    assert list((project / "build").iterdir()) == []
    assert (project / "op_kernel" / "a.h").is_file()  # a link in the folder is not followed


def test_the_build_folder_in_the_cache_too(project: Path, tmp_path: Path) -> None:
    from opforge.build.plain_folder import cann_folder
    from opforge.cli.shared.options import make_request

    spaced = project.rename(tmp_path / "my project")
    os.chdir(spaced)
    folder = cann_folder(make_request(spaced, "auto", None, None))
    assert folder.is_relative_to(tmp_path / "cache")
    assert cli.run(["clean"]) == 0
    assert not folder.exists()


def test_not_during_a_build(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with project_lock(project / "build"):
        assert cli.run(["clean"]) == 5
    assert "another opforge is at work in" in capsys.readouterr().err
    assert (project / "dist").is_dir()
