"""A division by a zero that stands in the expression is warned of, at its place."""

import pytest

from opforge.spec.check.zero_division import zero_divisions
from opforge.spec.read.parse import parse_spec

HEAD = """\
edition: 1
project: {name: odd, package: odd, vendor: odd, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorOdd:
    inputs: {x: {shape: [...], dtype: [float32]}}
    compute: """


@pytest.mark.parametrize(
    ("compute", "column", "length"),
    [("y = x / 0", 22, 1), ("y = x / -0.0 + 1", 22, 4), ("y = reciprocal(0) * x", 29, 1), ("y = x * (2 / 0)", 27, 1)],
)
def test_told_at_its_place(compute: str, column: int, length: int) -> None:
    (warning,) = zero_divisions(parse_spec(HEAD + compute + "\n", None))
    lines = warning.splitlines()
    what = "VectorOdd divides by zero: the result is infinite or NaN for all inputs"
    assert lines[0].endswith(f":6:{column}: {what}")
    assert lines[2].count("^") == length
    assert len(lines) == 4


@pytest.mark.parametrize("compute", ["y = x / 2", "y = 0 / x", "y = x - 0 / x", "y = reciprocal(x)"])
def test_others_are_not(compute: str) -> None:
    assert zero_divisions(parse_spec(HEAD + compute + "\n", None)) == ()
