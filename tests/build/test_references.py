"""References are looked up before anything is compiled, and without importing them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opforge.build.reference_functions import check_references
from opforge.errors import BuildError
from opforge.plain_files import SpecialFileError
from opforge.spec.read.parse import parse_spec

SPEC = parse_spec(
    """\
edition: 1
project: {name: added, package: added, vendor: added, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorAdd:
    inputs: {x: {dtype: [float32]}, y: {}}
    attrs: {alpha: {type: float, default: 1.0}}
    compute: z = x + alpha * y
    reference: golden:add
""",
    None,
)


def refusal(root: Path) -> str:
    with pytest.raises(BuildError) as refused:
        check_references(root, SPEC)
    return refused.value.render()


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    (tmp_path / "python" / "added").mkdir(parents=True)
    return tmp_path / "python" / "added" / "golden.py"


@pytest.mark.parametrize(
    "source",
    [
        "def add(x, y, alpha):\n    return x + y\n",
        "class add:\n    pass\n",
        "add = lambda x, y, alpha: x + y\n",
        "add: object = print\n",
        "other, (add, more) = 1, (2, 3)\n",
        "from .others import add\n",
        "from .others import sum as add\n",
        "import others as add\n",
        "from .others import *\n",
        "try:\n    from fast import add\nexcept ImportError:\n    add = None\n",
        "import sys\nif sys.version_info > (3,):\n    pass\nelse:\n    def add(): ...\n",
    ],
)
def test_what_defines_a_name(source: str, golden: Path, tmp_path: Path) -> None:
    golden.write_text(source, encoding="utf-8")
    check_references(tmp_path, SPEC)


def test_no_such_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        "error: VectorAdd has `reference: golden:add`, but python/added/golden.py does not exist\n"
        "  help: write it, with a torch function `def add(x, y, alpha)` that computes VectorAdd, "
        "or remove the reference from opforge.yaml"
    )


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def Add(): ...\n",
        "def outer():\n    def add(): ...\n",
        "class Sums:\n    def add(self): ...\n",
        "print(add)\n",
    ],
)
def test_no_such_function(source: str, golden: Path, tmp_path: Path) -> None:
    golden.write_text(source, encoding="utf-8")
    assert refusal(tmp_path) == (
        "error: VectorAdd has `reference: golden:add`, and python/added/golden.py has no `add` at its top level\n"
        "  help: define it there with `def add`, or correct the reference in opforge.yaml"
    )


def test_no_python(golden: Path, tmp_path: Path) -> None:
    golden.write_text("import torch\n\ndef add(x:\n", encoding="utf-8")
    assert refusal(tmp_path).startswith(
        "error: VectorAdd has `reference: golden:add`, but python/added/golden.py:3 is not valid Python: "
    )
    golden.write_bytes(b"# \xff\n")
    assert "python/added/golden.py" in refusal(tmp_path)


def test_a_fifo_is_not_waited_for(golden: Path, tmp_path: Path) -> None:
    os.mkfifo(golden)
    with pytest.raises(SpecialFileError, match="is a FIFO, not a file"):
        check_references(tmp_path, SPEC)


def test_nothing_is_imported(golden: Path, tmp_path: Path) -> None:
    golden.write_text("raise SystemExit('imported')\n\ndef add(): ...\n", encoding="utf-8")
    check_references(tmp_path, SPEC)
