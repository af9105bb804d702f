"""A project that an opforge before owned folders made, recorded here: `opforge update` brings it over, edits kept."""

from __future__ import annotations

import json
import lzma
from pathlib import Path, PurePosixPath

import pytest

from opforge.cli import main as cli
from opforge.fileset import is_owned
from opforge.scaffold.base_file import BASE_FILE, OLD_FOLDER, read_base
from opforge.scaffold.project_state import project_state

RECORDED = Path(__file__).parent / "projects_before" / "vector_add.json.xz"  # without .opforge/base: it was the same
KERNEL, HOST, GLUE = "op_kernel/vector_add_kernel.h", "op_host/vector_add.cpp", "csrc/npu_glue.h"


def unpack(root: Path) -> Path:
    """The project as it was, with its folder ``.opforge/base``."""
    for name, text in json.loads(lzma.decompress(RECORDED.read_bytes())).items():
        for path in (root / name, *([] if name.startswith(".opforge/") else [root / OLD_FOLDER / name])):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = unpack(tmp_path / "vector_add")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """What opforge generates for the same spec today; the old project has every feature."""
    root = tmp_path / "fresh" / "vector_add"
    root.parent.mkdir()
    words = ["new", "VectorAdd", "--inputs", "x,y", "--features", "modules,fuse,converter,aclnn"]
    assert cli.run(["--quiet", *words, "--path", str(root)]) == 0
    return root


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_the_record_is_of_a_project_that_nobody_edited(project: Path) -> None:
    state = project_state(project)
    assert (state.edited, state.missing) == ((), ())
    assert not [path for path in files(project) if is_owned(PurePosixPath(path))]


def test_an_unedited_project_becomes_todays(project: Path, fresh: Path) -> None:
    assert cli.run(["--quiet", "update"]) == 0
    now, wanted = files(project), files(fresh)
    now.pop("build/.lock")
    own = {"opforge.yaml", ".opforge/lock.json", str(BASE_FILE)}  # the spec names no features, which means all
    assert {path for path in now if path not in wanted} == set()
    assert {path for path in wanted if now.get(path) != wanted[path]} <= own
    assert cli.run(["--quiet", "update"]) == 0
    assert files(project) == now


def test_edits_are_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (KERNEL, HOST, GLUE):
        with (project / name).open("a", encoding="utf-8") as file:
            file.write("// mine\n")
    assert cli.run(["update"]) == 0
    said = capsys.readouterr().err
    for name in (KERNEL, HOST):
        assert f"  merged   {name} (" in said
        assert (project / name).read_text(encoding="utf-8").endswith("// mine\n")
    assert '#include "opforge/tile_io.h"' in (project / KERNEL).read_text(encoding="utf-8")
    assert f"  kept     {GLUE}: edited, and no longer rendered: delete it if you do not need it\n" in said
    assert (project / "csrc" / "opforge" / "npu_glue.h").is_file()
    assert "conflict" not in said


def test_the_base_has_nothing_that_opforge_owns(project: Path) -> None:
    assert cli.run(["--quiet", "update"]) == 0
    assert not (project / OLD_FOLDER).exists()
    assert PurePosixPath(KERNEL) in read_base(project)
    assert not [path for path in read_base(project) if is_owned(path)]
