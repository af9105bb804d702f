"""A project that an opforge before owned folders made, recorded here: `opforge update` brings it over, edits kept."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from opforge.cli import main as cli
from opforge.fileset import is_owned
from opforge.scaffold.base_file import BASE_FILE, OLD_FOLDER, read_base
from opforge.scaffold.project_state import project_state
from opforge.scaffold.test_imports import imported

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
    words = ["new", "VectorAdd", "--inputs", "x,y", "--features", "modules,fuse,converter,serving,agents,aclnn"]
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
    again = files(project)
    again.pop("build/.lock")
    assert again == now


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


# Its tests carried all that they assert, in modules that tests of other names shared.
TESTS = ("backward", "bad_input", "converter", "forward", "fusion", "pytorch")
NOW = sorted(f"{name}.py" for name in ("conftest", "op_cases", *(f"test_{test}" for test in TESTS)))
OWN = """\
from op_cases import COMBINATIONS
from precision import assert_close, random_inputs


def test_mine():
    for op, column in COMBINATIONS:
        for output, golden in zip(op(*random_inputs(op, column, (3,))), op.golden(*random_inputs(op, column, (3,)))):
            assert_close(output, golden)
"""


def names_in(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "tests").iterdir())


def test_an_edited_test_is_kept_with_the_modules_that_it_imports(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = project / "tests" / "test_autocast.py"
    text = edited.read_text(encoding="utf-8") + "# mine\n"
    edited.write_text(text, encoding="utf-8")
    assert cli.run(["update"]) == 0
    said = capsys.readouterr().err
    assert "\n  kept     tests/test_autocast.py: edited, and no longer rendered: delete it if you" in said
    for name in ("operators", "precision"):
        told = f"tests/{name}.py: no longer rendered, but tests/test_autocast.py imports it: it is yours now"
        assert f"\n  kept     {told}\n" in said
    assert names_in(project) == sorted([*NOW, "operators.py", "precision.py", "test_autocast.py"])
    assert edited.read_text(encoding="utf-8") == text
    assert cli.run(["update"]) == 0  # they are told once
    assert "kept" not in capsys.readouterr().err


def test_a_test_that_somebody_wrote_has_the_modules_that_it_imports(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tests" / "test_mine.py").write_text(OWN, encoding="utf-8")
    (project / "tests" / "only_a_word.py").write_text('"""import module_checks"""\n# import operators\n')
    assert cli.run(["update"]) == 0
    assert "tests/precision.py: no longer rendered, but tests/test_mine.py imports it" in capsys.readouterr().err
    assert names_in(project) == sorted([*NOW, "only_a_word.py", "precision.py", "test_mine.py"])


def test_a_row_that_somebody_added_to_the_table_stays(project: Path) -> None:
    cases = project / "tests" / "op_cases.py"
    text = cases.read_text(encoding="utf-8")
    added = text.replace("# Every operator with", "MINE = OPS[0]  # of my own\n\n# Every operator with")
    assert added != text
    cases.write_text(added, encoding="utf-8")
    assert cli.run(["update"]) == 0
    merged = cases.read_text(encoding="utf-8")
    assert "MINE = OPS[0]  # of my own" in merged
    assert "function=vector_add.vector_add" in merged
    assert "class OpCase" not in merged


ON_CPU = """\
import sys, types
import torch
sys.modules["torch_npu"] = types.ModuleType("torch_npu")
package = types.ModuleType("vector_add")
def vector_add(x, y):
    return x + y
vector_add.__module__ = "vector_add"
package.vector_add, package._reference, package.VectorAdd = vector_add, types.ModuleType("r"), torch.nn.Module
package._reference.vector_add = vector_add
sys.modules["vector_add"] = package
lib = torch.library.Library("vector_add", "DEF")
lib.define("vector_add(Tensor x, Tensor y) -> Tensor")
import test_mine
test_mine.test_mine()
print("passed")
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_test_that_somebody_wrote_runs_after_the_update(project: Path) -> None:
    """Its modules are those of before, and the table of cases is that of today."""
    (project / "tests" / "test_mine.py").write_text(OWN, encoding="utf-8")
    assert cli.run(["update"]) == 0
    command = [sys.executable, "-c", ON_CPU]
    done = subprocess.run(command, cwd=project / "tests", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "passed\n"), done.stderr


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import precision", {"precision"}),
        ("import os, precision as p\n", {"os", "precision"}),
        ("def f():\n    from precision import assert_close\n", {"precision"}),
        ("from a.b import c", {"a"}),
        ("# import precision\nx = 'from precision import y'\n", set()),
    ],
)
def test_imports_are_found(text: str, names: set[str]) -> None:
    assert imported(text.encode()) == names
