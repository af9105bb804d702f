"""What hints of the expression language propose is an expression of the language."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from opforge.ir.op_graphs import build_graph
from opforge.spec.language import (
    CAST,
    COMPARISONS,
    DEFINED,
    FORMS,
    FUNCTIONS,
    GIVEN_OR,
    LATER,
    LOSSES,
    MASKS,
    SAMPLES,
    WHERE,
    sample,
)
from opforge.spec.read.command_line import spec_from_options

HINTS = (
    *(sample(name) for name in (*FUNCTIONS, *FORMS)),
    *SAMPLES.values(),
    *(MASKS, WHERE, CAST, GIVEN_OR),
    *("`where(x > 0, x, w * x)`", "`clamp(x, min=0)`", "`clamp(x, 0, 6)`", '`gelu(x, approximate="tanh")`'),
    *(
        "`leaky_relu(x, 0.01)`",
        "`logit(x, 1e-6)`",
        "`nan_to_num(x, posinf=65504, neginf=-65504)`",
        "`max(x, max(y, w))`",
    ),
)


@pytest.mark.parametrize("hint", dict.fromkeys(part for hint in HINTS for part in hint.split("`")[1::2]))
def test_every_hint_is_an_expression(hint: str) -> None:
    value = ast.parse(hint, mode="eval").body
    compared = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in COMPARISONS
    mask = (
        compared or isinstance(value, ast.BoolOp) or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitAnd))
    )
    inputs = ["x", *(name for name in ("y", "w", "bias") if re.search(rf"\b{name}\b", hint))]
    compute = f"z = where({hint}, x, 1.0)" if mask else f"z = {hint} + x"
    assert build_graph(spec_from_options("Example", inputs, compute=compute).ops[0]).outputs


def test_the_readme_lists_every_function() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"torch\'s `([a-z0-9_\s]+)`, with torch\'s arguments", " ".join(text.split()))
    assert listed.split() == sorted({*FUNCTIONS, *DEFINED} - LOSSES)
    (losses,) = re.findall(r"Losses: `([a-z0-9_\s]+)`", " ".join(text.split()))
    assert losses.split() == sorted(LOSSES)


def test_no_function_that_is_missing_has_a_replacement_that_loses_digits() -> None:
    """They have none: a function is there, or it is not."""
    assert not set(SAMPLES) & LATER
