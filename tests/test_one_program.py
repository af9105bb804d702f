"""One program: a command parses each expression once and builds each graph once, whatever it does with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import opforge
from opforge.cli.main import run
from opforge.spec import catalog
from opforge.spec.dimensions import print_dim
from opforge.spec.model import TensorSpec
from tests.parsed import counted


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    return counted(monkeypatch)


def test_new_parses_an_expression_once_and_builds_each_graph_once(
    made: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    features = ("--features", "modules,fuse,converter,serving,agents,aclnn")
    assert run(("-q", "new", "Gated", "--inputs", "a,b", "--compute", "y = silu(a) * b / 0", *features)) == 0
    # The expression's, and its gradient's; of these the one that is differentiated, and the derivative's derivative.
    assert made == {"y = silu(a) * b / 0": 1, "graphs": 4}


def test_new_from_the_catalog_parses_the_entry_and_the_op(
    made: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    catalog._read.cache_clear()  # a command begins without what other tests have read
    assert run(("-q", "new", "SwiGLU", "--inputs", "x,w_gate,w_up")) == 0
    assert made == {"y = silu(x @ w_gate) * (x @ w_up)": 2, "graphs": 3}


def test_dimensions_are_parsed_in_spec_alone() -> None:
    source = Path(opforge.__file__).parent
    found = [
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "parse_dim" in path.read_text(encoding="utf-8") and path.relative_to(source).parts[0] != "spec"
    ]
    assert found == []


def test_a_tensor_parses_its_dimensions_once() -> None:
    tensor = TensorSpec("x", ("float32",), dims=("...", "2 * H"))
    assert tensor.dimensions is tensor.dimensions
    assert [print_dim(dim) for dim in tensor.dimensions] == ["...", "2 * H"]
