"""Random expressions: the torch source that is written for them computes what the graph means, and its derivative."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch
from torch_projects import render, spec_of

from opforge.errors import SpecError
from opforge.ir.evaluate import evaluate
from opforge.ir.op_graphs import build_graph

pytestmark = pytest.mark.torch

SPEC = """\
edition: 1
project: {{name: p, package: p_ops, vendor: p_ops, version: 0.1.0, soc: [ascend910b]}}
ops:
  Op:
    inputs:
      x: {{shape: [...], dtype: [float32, float16]}}
      y: {{shape: [...]}}
      w: {{shape: [...]}}
    attrs:
      alpha: {{type: float, default: 1.0}}
      count: {{type: int, default: 2}}
    backward: false
    compute: z = {expression}
"""
LEAVES = ["x", "y", "w", "x", "y", "w", "alpha", "count", "2", "0.5", "3.25"]
INFIX = ["+", "-", "*", "/"]


def expression(source: random.Random, depth: int) -> str:
    """One that uses all of Python's precedences, with brackets where it takes them and where it does not."""
    if depth == 0:
        return source.choice(LEAVES)
    kind = source.random()
    left, right = (expression(source, depth - 1 - source.randrange(2) * (depth > 1)) for _ in range(2))
    if kind < 0.6:
        text = f"{left} {source.choice(INFIX)} {right}"
        return f"({text})" if source.random() < 0.4 else text
    if kind < 0.7:
        return f"-({left})" if source.random() < 0.5 else f"-{left}"
    if kind < 0.85:
        return f"{source.choice(['minimum', 'maximum'])}({left}, {right})"
    return f"{source.choice(['abs', 'silu', 'sigmoid', 'exp'])}({left})"


def reference(text: str) -> Callable[..., torch.Tensor]:
    """The function of the generated _reference.py."""
    files = {file.path.name: file.text for file in render(spec_of(text))}
    source = files["_reference.py"].replace("from p_ops._opforge import _scalars\n", "")
    scope: dict[str, object] = {}
    if "_scalars.py" in files:
        scalars: dict[str, object] = {}
        exec(files["_scalars.py"].replace("from __future__ import annotations\n", ""), scalars)  # noqa: S102
        scope["_scalars"] = type("_scalars", (), {k: staticmethod(v) for k, v in scalars.items() if callable(v)})
    exec(source.replace("from __future__ import annotations\n", ""), scope)  # noqa: S102
    function = scope["op"]
    assert callable(function)
    return function


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions(seed: int) -> None:
    source = random.Random(seed)
    while True:
        written = expression(source, 1 + seed % 5)
        text = SPEC.format(expression=f"{written} + 0.125 * (x + y * w)")
        try:
            graph = build_graph(spec_of(text).ops[0])
        except SpecError:  # a constant part divides by zero or leaves float32: refused, with a message
            continue
        break
    generator = torch.Generator().manual_seed(seed)
    values = {
        name: torch.randn(shape, generator=generator, dtype=torch.float64)
        for name, shape in (("x", (4, 1, 3)), ("y", (5, 1)), ("w", (3,)))
    }
    attrs = {"alpha": 0.75, "count": 3}
    actual = reference(text)(*values.values(), **attrs)
    expected = evaluate(graph, values, attrs)["z"]
    assert actual.shape == expected.shape
    torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-9, equal_nan=True, msg=lambda m: f"{written}\n{m}")


def test_what_python_s_own_division_would_refuse() -> None:
    function = reference(SPEC.format(expression="x * (alpha / count) + exp(alpha) + y + w"))
    ones = torch.ones(2)
    assert function(ones, ones, ones, 1.0, 0).tolist() == [float("inf")] * 2
    assert function(ones, ones, ones, 0.0, 0).isnan().all()
    assert function(ones, ones, ones, 1000.0, 1).tolist() == [float("inf")] * 2
