"""The versions of opforge.testing that a project's benchmarks/cases.py asks for, and what is said where they differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge import testing
from opforge.testing.interface import cases_of, mismatch, wanted_interface

FORM = Path(__file__).parents[2] / "templates" / "code" / "torch" / "benchmarks" / "cases.py"
HERE = Path(testing.__file__).parent


def project(folder: Path, text: str) -> Path:
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "cases.py").write_text(text, encoding="utf-8")
    return folder


def refusal(root: Path, capsys: pytest.CaptureFixture[str], interface: tuple[int, int] = (1, 0)) -> str:
    with pytest.raises(SystemExit) as ended:
        cases_of(root, interface)
    assert ended.value.code == 5
    return capsys.readouterr().err


def test_what_opforge_renders_works_with_its_own_version(tmp_path: Path) -> None:
    (line,) = (line for line in FORM.read_text(encoding="utf-8").splitlines() if line.startswith("TESTING = "))
    root = project(tmp_path, line)
    assert cases_of(root) == root / "benchmarks" / "cases.py"
    assert mismatch(root / "benchmarks" / "cases.py", (1, 0)) is not None  # it had no checks


@pytest.mark.parametrize("interface", [(1, 0), (1, 9)])
def test_versions_of_the_range(interface: tuple[int, int], tmp_path: Path) -> None:
    assert cases_of(project(tmp_path, 'TESTING = ">=1.0,<2"\n'), interface).is_file()


@pytest.mark.parametrize(
    ("text", "interface", "message"),
    [
        (
            'TESTING = ">=1.0,<2"',
            (2, 0),
            f"error: benchmarks/cases.py works with opforge.testing >=1.0,<2; the version in {HERE} is 2.0\n"
            "  help: type `opforge update`: it changes the file, and keeps your edits\n",
        ),
        (
            'TESTING = ">=1.3,<2"',
            (1, 2),
            f"error: benchmarks/cases.py works with opforge.testing >=1.3,<2; the version in {HERE} is 1.2\n"
            "  help: install a later opforge\n",
        ),
        (
            "from case import Case",
            (1, 0),
            "error: benchmarks/cases.py does not say which versions of opforge.testing it works with\n"
            "  help: if an older opforge made it, type `opforge update`; else add the line "
            'TESTING = ">=1.0,<2"\n',
        ),
        (
            'TESTING = "1.0"',
            (1, 0),
            "error: benchmarks/cases.py: TESTING = '1.0' is not a valid range\n"
            '  help: expected one such as ">=1.0,<2"\n',
        ),
        (
            "import torch\nOPS = (",
            (1, 0),
            "error: benchmarks/cases.py:2: '(' was never closed\n  help: correct the file\n",
        ),
    ],
    ids=["later", "earlier", "none", "no range", "syntax"],
)
def test_a_mismatch_is_one_error(
    text: str, interface: tuple[int, int], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(project(tmp_path, text), capsys, interface) == message


def test_an_old_copy_in_the_project_is_replaced_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "__file__", str(tmp_path / "tests/_opforge/opforge/testing/__init__.py"))
    said = refusal(project(tmp_path, 'TESTING = ">=1.1,<2"'), capsys)
    assert said.endswith("  help: type `opforge vendor testing`: it replaces that copy\n")


def test_a_folder_that_is_not_a_projects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(tmp_path, capsys) == (
        f"error: {tmp_path} has no benchmarks/cases.py\n  help: run the program in the folder of a project\n"
    )


def test_the_range_is_read_without_running_the_file(tmp_path: Path) -> None:
    root = project(tmp_path, 'import no_such_module\nOTHER = 1\nTESTING = "<1"\nraise SystemExit\n')
    assert wanted_interface(root / "benchmarks" / "cases.py") == "<1"
