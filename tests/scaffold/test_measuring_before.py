"""A project made while the measuring programs were copied into it, eleven files that are recorded here: its update."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from opforge.cli import main as cli
from opforge.scaffold.base_file import read_base, write_base
from opforge.scaffold.lock import LOCK_FILE, LockedFile, dump_lock, read_lock, text_sha256
from opforge.scaffold.project_state import project_state

RECORDED = sorted((Path(__file__).parent / "measuring_before").glob("*.py.txt"))
CASES = PurePosixPath("benchmarks/cases.py")
SMALL = '    "small": ((1, 4096), (33, 127), (512, 1024)),\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    root = tmp_path / "vector_add"
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y", "--path", str(root)]) == 0
    lock = read_lock(root)
    assert lock is not None
    locked, base = dict(lock.files), read_base(root)
    for recorded in RECORDED:
        name = recorded.name.removesuffix(".txt")
        (root / "benchmarks" / name).write_bytes(recorded.read_bytes())
        base[PurePosixPath("benchmarks", name)] = recorded.read_bytes()
        origin = f"code/torch/benchmarks/{name}"
        locked[PurePosixPath("benchmarks", name)] = LockedFile(text_sha256(recorded.read_bytes()), origin)
    write_base(root, base)
    (root / LOCK_FILE).write_text(dump_lock(dataclasses.replace(lock, files=locked)), encoding="utf-8")
    monkeypatch.chdir(root)
    capsys.readouterr()
    return root


def measuring(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "benchmarks").iterdir())


def test_the_record_is_what_projects_had(project: Path) -> None:
    assert len(RECORDED) == 11
    assert project_state(project).edited == ()
    assert "from case import Case, Input, Op" in (project / CASES).read_text(encoding="utf-8")


def test_copies_that_nobody_edited_go(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["update"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "updated vector_add: 10 removed, 1 changed"
    assert [line.split()[0] for line in said[:-1]] == ["removed"] * 2 + ["changed"] + ["removed"] * 8
    fresh = project.parent / "fresh"
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y", "--path", str(fresh)]) == 0
    assert measuring(project) == ["cases.py"]
    assert [path.name for path in read_base(project) if path.parts[0] == "benchmarks"] == ["cases.py"]
    assert (project / CASES).read_bytes() == (fresh / CASES).read_bytes()
    lock, whole = read_lock(project), read_lock(fresh)
    assert lock is not None
    assert whole is not None
    assert lock.files.keys() == whole.files.keys()


def test_edited_copies_are_kept_and_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    standards = project / "benchmarks" / "standards.py"
    edited = standards.read_text(encoding="utf-8") + "# mine\n"
    standards.write_text(edited, encoding="utf-8")
    assert cli.run(["update"]) == 0
    said = capsys.readouterr().err
    assert (
        "\n  kept     benchmarks/standards.py: edited, and no longer rendered: delete it if you do not need it\n"
    ) in said
    assert said.endswith("updated vector_add: 9 removed, 1 changed, 1 kept\n")
    assert measuring(project) == ["cases.py", "standards.py"]
    assert standards.read_text(encoding="utf-8") == edited


@pytest.mark.torch
def test_sizes_that_somebody_chose_stay_and_are_measured(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / CASES).read_text(encoding="utf-8")
    assert text.count(SMALL) == 1
    (project / CASES).write_text(text.replace(SMALL, '    "small": ((5, 7),),\n'), encoding="utf-8")
    assert cli.run(["update"]) == 0
    assert "  merged   benchmarks/cases.py" in capsys.readouterr().err

    from opforge.testing.interface import cases_of
    from opforge.testing.measuring.cases_file import MODULE, load_cases

    package = ModuleType("vector_add")
    vars(package).update(vector_add=lambda x, y: x + y, _native=package, _reference=package)
    for name in ("vector_add", "vector_add._opforge"):
        monkeypatch.setitem(sys.modules, name, package)
    monkeypatch.setitem(sys.modules, MODULE, ModuleType(MODULE))
    monkeypatch.setattr(sys, "path", [*sys.path])
    measured = load_cases(cases_of(project))
    (op,) = measured.ops
    assert [case.label for case in measured.timed(op, "small")] == ["5x7"] * 3


def test_a_project_that_is_not_updated_is_told_to(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from opforge.testing.interface import cases_of

    with pytest.raises(SystemExit):
        cases_of(project)
    assert "if an older opforge made it, type `opforge update`" in capsys.readouterr().err
