"""``--pattern``: a handwritten op begins with a kernel that computes something, and its files are the author's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.spec.patterns import PATTERNS
from opforge.spec.read.parse import load_spec

INPUTS = {"elementwise": "x", "rows": "x", "gather": "table,index", "matmul": "a,b"}
ROWS = ["RowMax", "--inputs", "x", "--shape", "y=[...]", "--pattern", "rows"]
FILES = [
    "op_host/row_max_host_tiling.h",
    "op_kernel/row_max_kernel.h",
    "op_kernel/row_max_tiling.h",
    "python/{}/row_max_reference.py",
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_pattern_has_a_kernel_and_a_reference(pattern: str, here: Path) -> None:
    assert cli.run(["--quiet", "new", "MyOp", "--inputs", INPUTS[pattern], "--pattern", pattern]) == 0
    kernel = (here / "my_op/op_kernel/my_op_kernel.h").read_text()
    assert "KERNEL BODY NOT WRITTEN YET" not in kernel
    assert "class MyOpKernel : public MyOpBindings {" in kernel
    assert "def my_op(" in (here / "my_op/python/my_op/my_op_reference.py").read_text()
    assert load_spec(here / "my_op/opforge.yaml").ops[0].reference == "my_op_reference:my_op"


def test_the_files_are_the_authors(here: Path, monkeypatch, capsys) -> None:
    assert cli.run(["new", *ROWS]) == 0
    assert [line[9:] for line in capsys.readouterr().err.splitlines() if line.startswith("  change ")] == [
        file.format("row_max") for file in FILES
    ]
    project = here / "row_max"
    before = {file: (project / file.format("row_max")).read_bytes() for file in FILES}
    monkeypatch.chdir(project)
    spec = project / "opforge.yaml"
    spec.write_text(
        spec.read_text().replace("    outputs:", "    attrs:\n      eps: {type: float, default: 1.0}\n    outputs:")
    )
    assert cli.run(["--quiet", "update"]) == 0
    assert {file: (project / file.format("row_max")).read_bytes() for file in FILES} == before
    assert "eps" in (project / "op_kernel/row_max_args.h").read_text()


def test_add_writes_them_into_a_project(here: Path, monkeypatch, capsys) -> None:
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y"]) == 0
    monkeypatch.chdir(here / "vector_add")
    assert cli.run(["add", *ROWS, "--dry-run"]) == 0
    assert not (here / "vector_add/op_kernel/row_max_kernel.h").exists()
    capsys.readouterr()
    assert cli.run(["add", *ROWS, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["begun"] == [file.format("vector_add") for file in FILES]
    assert "WholeReduceMax" in (here / "vector_add/op_kernel/row_max_kernel.h").read_text()
    assert cli.run(["--quiet", "update"]) == 0
    assert "WholeReduceMax" in (here / "vector_add/op_kernel/row_max_kernel.h").read_text()


def test_add_does_not_overwrite_a_reference(here: Path, monkeypatch, capsys) -> None:
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y"]) == 0
    mine = here / "vector_add/python/vector_add/row_max_reference.py"
    mine.write_text("mine")
    monkeypatch.chdir(here / "vector_add")
    assert cli.run(["add", *ROWS]) == 5
    assert f"{mine} exists already, and `opforge add` overwrites nothing" in capsys.readouterr().err
    assert mine.read_text() == "mine"
    assert "RowMax" not in (here / "vector_add/opforge.yaml").read_text()


def test_a_soc_that_lacks_the_instructions_is_refused(here: Path, capsys) -> None:
    arguments = ["--soc", "ascend310p", "--dtype", "float16,float32"]
    assert cli.run(["new", *ROWS, *arguments]) == 4
    assert "the pattern `rows` uses instructions that ascend310p does not have" in capsys.readouterr().err
    assert list(here.iterdir()) == []
