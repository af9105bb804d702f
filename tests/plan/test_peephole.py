"""Steps that cost less than others with the same value, and functions that need only the digits of 16 bits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_ops import A2, ALL, op, planned

from opforge.ir.backward import backward_of
from opforge.kinds import kernel_of
from opforge.plan.vector_model import Instruction
from opforge.spec.model import AttrSpec, OpSpec
from tests.parsed import graph_of

SCALE = AttrSpec("s", "float", 2.0)


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
    assert found == ["Muls", "Exp", "Adds", "Duplicate", "Div", "Mul", "Axpy"]


@pytest.mark.parametrize("compute", ["y = a / b + 1.0 / b", "y = a / (exp(b) + 2.0) + 1.0 / (exp(b) + 2.0)"])
def test_other_quotients_are_rounded_once(compute: str) -> None:
    assert names(op("Quotients", compute, "a b")).count("Div") == 2


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        ("y = -(x * 3.0)", ["Muls(x, -3)"]),
        ("y = -(-x)", ["Muls(x, 1)"]),
        ("y = exp(1 * x)", ["Exp(x)"]),
        ("y = exp(-(-(x + 1.0)))", ["Adds(x, 1)", "Exp(x)"]),
        ("y = -(x + 3.0)", ["Adds(x, 3)", "Muls(x, -1)"]),
    ],
)
def test_negations_are_part_of_products(compute: str, found: list[str]) -> None:
    texts = [str(i).split(" = ")[1] for i in instructions(op("Negated", compute, "x"))]
    assert [text.replace("y", "x") for text in texts] == found


ELU = ["Expm1UpTo0", "CompareScalar", "Select"]


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        ("y = softplus(x)", ["Muls", "Min", "Relu", "Exp", "Log1pUpTo1", "Add"]),
        ("y = logsigmoid(x)", ["Muls", "Min", "Mins", "Exp", "Log1pUpTo1", "Sub"]),
        ("y = elu(x)", ELU),
        ("y = celu(x)", ELU),
        ("y = elu(x, 0.5)", ["Expm1UpTo0", "Muls", "CompareScalar", "Select"]),
        ("y = celu(x, 3.0)", ["Duplicate", "Div", "Expm1UpTo0", "Muls", "CompareScalar", "Select"]),
        ("y = celu(x, -3.0)", ["Duplicate", "Div", "Expm1", "Muls", "CompareScalar", "Select"]),
        ("y = expm1(-abs(x) / 3)", ["Abs", "Muls", "Duplicate", "Div", "Expm1UpTo0"]),
        ("y = expm1(abs(x) / -3)", ["Abs", "Duplicate", "Div", "Expm1UpTo0"]),
        ("y = expm1(-(x * x))", ["Mul", "Muls", "Expm1"]),
        ("y = log1p(exp(-abs(x)))", ["Abs", "Muls", "Exp", "Log1pUpTo1"]),
        ("y = log1p(exp(minimum(x, 0) * 2))", ["Mins", "Muls", "Exp", "Log1pUpTo1"]),
        ("y = log1p(exp(minimum(x, 1)))", ["Mins", "Exp", "Log1p"]),
        ("y = relu(x) + exp(minimum(x, 0))", ["Relu", "Mins", "Exp", "Add"]),
        ("z = expm1(minimum(x, 0))\ny = relu(x) + z", ["Mins", "Expm1UpTo0", "Relu", "Add"]),
    ],
)
def test_curves_whose_definitions_have_a_slope_at_0(compute: str, found: list[str]) -> None:
    """Softplus below the threshold of 17 is not x yet. A part that another step reads stays as it is."""
    assert sorted(names(op("Curve", compute, "x"))) == sorted(found)
    lower = names(op("Curve", "y = softplus(x, 1, 16)", "x"))
    assert "Select" in lower
    assert "Log1pUpTo1" in lower


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        ("y = relu6(x)", ["Mins(x, 6)", "Maxs(x, 0)"]),
        ("y = hardtanh(x, -2, 3)", ["Mins(x, 3)", "Maxs(x, -2)"]),
        ("y = where(x > 3, 8, (x + 1) * 2)", ["Adds(x, 1)", "Muls(x, 2)", "Mins(x, 8)"]),
    ],
)
def test_choices_at_the_ends_of_a_range_are_clamps(compute: str, found: list[str]) -> None:
    texts = [str(i).split(" = ")[1] for i in instructions(op("Clamped", compute, "x"))]
    assert [text.replace("y", "x") for text in texts] == found


@pytest.mark.parametrize(
    "compute",
    [
        "y = where(x >= 3, 2, x)",
        "y = where(x <= 0, 1, x)",
        "y = where(x >= 3, 6, x * s)",
        "y = where(x >= 3, -3, -x)",
        "y = where(x >= 3, 3, abs(x))",
        "y = where(x >= 3, 3, w)",
        "y = where(x == 3, 3, x)",
    ],
)
def test_other_choices_stay(compute: str) -> None:
    """The value jumps there, or may fall, or is not known."""
    spec = op("Chosen", compute, "x w" if "w" in compute.split(",")[2] else "x", *([SCALE] if " s" in compute else []))
    assert "Select" in names(spec)


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


@pytest.mark.parametrize("function", ["gelu", "tanh", "erf", "log1p", "expm1"])
@pytest.mark.parametrize(
    ("compute", "stored"),
    [
        ("y = F(x)", "y"),
        ("y = -F(x) * x / 3.0", "y"),
        ("z = F(x) / x", "z"),
        ("z = where(x > 0, x, F(x))", "z"),
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


@pytest.mark.parametrize(
    ("compute", "stored"),
    [
        ("y = relu(x) + F", "y"),
        ("y = minimum(x, 0) - F", "y"),
        ("y = relu(x) - F", None),
        ("y = x + F", None),
        ("y = F - 1", None),
    ],
)
def test_an_error_is_not_larger_in_a_sum_of_equal_signs(compute: str, stored: str | None) -> None:
    found = instructions(op("Stored", compute.replace("F", "log1p(exp(-abs(x)))"), "x"))
    assert [i.mode for i in found if i.name == "Log1pUpTo1"] == [stored]


def summed(compute: str, dtypes: tuple[str, ...] = ALL) -> OpSpec:
    """An op of those tensors among a, b and c, and of s, that it reads; u is a name for a part."""
    lines = [line for line in compute.splitlines() if not line.startswith("u")]
    inputs = " ".join(name for name in "abc" if f"{name} " in f"{compute} ".replace(")", " ").replace("\n", " "))
    spec = op("Sums", compute, inputs, *([SCALE] if "s * " in compute else []), dtypes=dtypes)
    return replace(spec, outputs=tuple(output for output in spec.outputs if f"{output.name} = " in "\n".join(lines)))


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        ("y = a * b + s * c", ["y = Mul(a, b)", "y = Axpy(y, c, s)"]),
        ("y = s * c + a * b", ["y = Mul(a, b)", "y = Axpy(y, c, s)"]),
        ("y = exp(a + 3.0 * b)", ["a = Axpy(a, b, 3)", "y = Exp(a)"]),
        ("y = exp(a) + s * a", ["y = Exp(a)", "y = Axpy(y, a, s)"]),
        ("y = 2.0 * a + s * b", ["y = Muls(a, 2)", "y = Axpy(y, b, s)"]),
        ("y = a * b + s * c + 3.0 * a", ["y = Mul(a, b)", "y = Axpy(y, c, s)", "y = Axpy(y, a, 3)"]),
        ("y = a + s * b + 3.0 * c", ["b = Muls(b, s)", "y = Add(a, b)", "y = Axpy(y, c, 3)"]),
        ("u = a * b\ny = exp(u)\nz = u + s * c", ["z = Mul(a, b)", "y = Exp(z)", "z = Axpy(z, c, s)"]),
    ],
)
def test_a_product_with_a_number_is_added_in_place(compute: str, found: list[str]) -> None:
    """Where the other term is read for the last time, and so is its place: that of the output if it is stored."""
    assert [str(i) for i in instructions(summed(compute))] == found


def test_what_a_later_sum_reads_is_not_overwritten() -> None:
    """Its product is made before, but reads the value where it is added."""
    found = instructions(summed("u = a * b\nu1 = 3.0 * u\nu2 = u + s * c\ny = exp(u2) + u1"))
    assert [i.name for i in found] == ["Mul", "Muls", "Add", "Exp", "Axpy"]
    assert found[0].target == found[4].sources[1] not in [i.target for i in found[1:4]]


@pytest.mark.parametrize(
    ("compute", "dtypes"),
    [
        ("y = exp(a + 3.0 * b) * a", ALL),  # the term is read again
        ("u = a * b\ny = u + s * c\nz = u", ALL),  # it is stored
        ("u = s * c\ny = a * b + u\nz = exp(u)", ALL),  # the product is read again
        ("u = s * c\ny = u + u", ALL),
        ("u = s * c\ny = a * b + u\nz = u", ALL),
        ("y = a + s * b", ALL),  # an input's view is not the buffer of an output
        ("y = exp(a + 2.0 * a)", ALL),  # it would be overwritten while it is read
        ("y = a * b - s * c", ALL),
        ("y = a * b + 3 * c", ("int32",)),
    ],
)
def test_other_sums_stay(compute: str, dtypes: tuple[str, ...]) -> None:
    assert "Axpy" not in names(summed(compute, dtypes))
