"""Steps that cost less than others with the same value, and functions that need only the digits of 16 bits."""

from __future__ import annotations

import pytest
from plan_ops import A2, op, planned

from opforge.ir.backward import backward_of
from opforge.kinds import kernel_of
from opforge.plan.vector_model import Instruction
from opforge.spec.model import OpSpec
from tests.parsed import graph_of


def instructions(spec: OpSpec) -> tuple[Instruction, ...]:
    return planned(spec).instructions


def names(spec: OpSpec) -> list[str]:
    return [instruction.name for instruction in instructions(spec)]


def of_gradients(spec: OpSpec) -> list[str]:
    backward = backward_of(spec, graph_of(spec))
    assert backward is not None
    assert backward.kernel is not None
    assert backward.graph is not None
    return [i.name for i in kernel_of(backward.kernel, A2, backward.graph).plan.instructions]


def test_a_step_is_made_once() -> None:
    """Also of functions that share a part: sigmoid and silu have one divisor, of which one reciprocal is made."""
    found = names(op("Both", "y = silu(x) + sigmoid(x) * 2.0", "x"))
    assert found == ["Muls", "Exp", "Adds", "Duplicate", "Div", "Mul", "Muls", "Add"]


@pytest.mark.parametrize("compute", ["y = a / b + 1.0 / b", "y = a / (exp(b) + 2.0) + 1.0 / (exp(b) + 2.0)"])
def test_other_quotients_are_rounded_once(compute: str) -> None:
    assert names(op("Quotients", compute, "a b")).count("Div") == 2


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        ("y = -(x * 3.0)", ["Muls(x, -3)"]),
        ("y = exp(-(-(x + 1.0)))", ["Adds(x, 1)", "Exp(x)"]),
        ("y = -(x + 3.0)", ["Adds(x, 3)", "Muls(x, -1)"]),
    ],
)
def test_negations_are_part_of_products(compute: str, found: list[str]) -> None:
    texts = [str(i).split(" = ")[1] for i in instructions(op("Negated", compute, "x"))]
    assert [text.replace("y", "x") for text in texts] == found


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        (op("SiluMul", "y = silu(gate) * up", "gate up"), 12),
        (op("Silu", "y = silu(x)", "x"), 10),
        (op("GeluTanh", "y = gelu_tanh(x)", "x"), 17),
        (op("GatedGeluTanh", "y = gelu_tanh(gate) * up", "gate up"), 20),
    ],
)
def test_gradients_compute_nothing_twice(spec: OpSpec, count: int) -> None:
    found = of_gradients(spec)
    assert len(found) == count
    assert (found.count("Exp"), found.count("Div")) == (1, 1)


@pytest.mark.parametrize("function", ["gelu", "tanh", "erf"])
@pytest.mark.parametrize(
    ("compute", "stored"),
    [
        ("y = F(x)", "y"),
        ("y = -F(x) * x / 3.0", "y"),
        ("z = F(x) / x", "z"),
        ("y = F(x) - x", None),
        ("y = where(F(x) > 0.5, x, 1.0)", None),
        ("y = F(x)\nz = F(x) * x", None),
        ("y = F(x)\nz = F(x) + x", None),
        ("y = F(x) * (F(x) + 1.0)", None),
        ("y = exp(F(x))", None),
    ],
)
def test_a_function_may_be_shorter_where_its_result_is_stored_alone_or_in_a_product(
    function: str, compute: str, stored: str | None
) -> None:
    found = instructions(op("Stored", compute.replace("F", function), "x"))
    (mode,) = {i.mode for i in found if i.name.lower() == function}
    assert mode == stored
