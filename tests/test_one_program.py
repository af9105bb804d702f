"""One program: a command parses each expression once and builds each graph once, whatever it does with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from opforge.cli.main import run
from tests.parsed import counted


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    return counted(monkeypatch)


def test_new_parses_an_expression_once_and_builds_each_graph_once(
    made: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    features = ("--features", "modules,fuse,converter,aclnn")
    assert run(("-q", "new", "Gated", "--inputs", "a,b", "--compute", "y = silu(a) * b / 0", *features)) == 0
    # The expression's, and its gradient's; of these the one that is differentiated, and the derivative's derivative.
    assert made == {"y = silu(a) * b / 0": 1, "graphs": 4}


def test_new_from_the_catalog_parses_the_entry_and_the_op(
    made: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(("-q", "new", "SwiGLU", "--inputs", "x,w_gate,w_up")) == 0
    assert made == {"y = silu(x @ w_gate) * (x @ w_up)": 2, "graphs": 3}
