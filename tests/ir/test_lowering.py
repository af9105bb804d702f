"""Graphs as vector instructions (plan.lowering), carried out in torch and compared with the graph's meaning."""

from __future__ import annotations

import itertools
import math

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.build import build_graph  # noqa: E402
from opforge.ir.builder import GraphBuilder  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph import OPERATORS, UNARY, Graph  # noqa: E402
from opforge.plan.lowering import Lowered, Step, Value, lower  # noqa: E402
from opforge.spec import catalog  # noqa: E402
from opforge.spec.request import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

EDGES = torch.tensor(
    [0.0, -0.0, 1.0, -1.0, 2.5, -3.75, 10.0, -10.0, 88.0, -88.0, 1e30, -1e30, math.inf, -math.inf, math.nan]
)

MODES = {"GE": torch.ge, "GT": torch.gt, "LE": torch.le, "LT": torch.lt, "EQ": torch.eq}
# As Ascend C documents them (SIMD-API, memory vector computing).
INSTRUCTIONS = {
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Min": torch.minimum,
    "Max": torch.maximum,
    "Adds": torch.add,
    "Muls": torch.mul,
    "Mins": torch.minimum,
    "Maxs": torch.maximum,
    "LeakyRelu": lambda x, s: torch.where(x >= 0, x, x * s),
    "Relu": torch.relu,
    "Abs": torch.abs,
    "Exp": torch.exp,
}


def step(instruction: Step, sources: list[torch.Tensor], scalar: torch.Tensor | None) -> torch.Tensor:
    if instruction.name == "Duplicate":
        assert scalar is not None
        return scalar
    if instruction.name == "Select":
        assert scalar is not None
        return torch.where(sources[0], sources[1], scalar)
    given = [*sources, *([scalar] if scalar is not None else [])]
    if instruction.name.startswith("Compare"):
        return MODES[instruction.mode or ""](*given)
    return INSTRUCTIONS[instruction.name](*given)


def carried_out(
    lowered: Lowered, tensors: dict[str, torch.Tensor], scalars: dict[str, float]
) -> dict[str, torch.Tensor]:
    values: dict[Value, torch.Tensor] = {}
    for value in (*lowered.inputs, *lowered.products):
        name = value.input or value.product or ""
        values[value] = tensors[name] if name in tensors else torch.tensor(value.otherwise)
    for instruction in lowered.steps:
        operand = instruction.scalar
        scalar = None
        if operand is not None:
            number = operand.value if operand.value is not None else scalars[operand.name or ""]
            scalar = torch.tensor(-number if operand.negated else number, dtype=torch.float32)
        values[instruction.target] = step(instruction, [values[s] for s in instruction.sources], scalar)
    return {name: values[value] for name, value in lowered.outputs}


def graph_of(name: str, first: str, second: str) -> Graph:
    """``name`` on two operands, each a tensor or a number."""
    builder = GraphBuilder()
    kinds = [first] if name in UNARY else [first, second]
    nodes = [builder.input("xy"[i]) if kind == "tensor" else builder.const(float(kind)) for i, kind in enumerate(kinds)]
    return builder.finish({"z": builder.apply(name, *nodes)})


@pytest.mark.parametrize("name", OPERATORS)
def test_each_operator_on_tensors_and_numbers(name: str) -> None:
    # A slope that is a tensor, which no expression has, is finite; a number may be what it likes.
    tensors = {"x": EDGES[:, None], "y": EDGES[EDGES.isfinite()] if name == "leaky_relu" else EDGES}
    for first, second in itertools.product(("tensor", "0.25", "-2", "0", "3"), repeat=2):
        if first != "tensor" and (second != "tensor" or name in UNARY):
            continue
        graph = graph_of(name, first, second)
        used = {n: tensors[n] for n in graph.inputs}
        wanted = evaluate(graph, used, {})["z"]
        found = carried_out(lower(graph), used, {})["z"]
        torch.testing.assert_close(found.expand(wanted.shape), wanted, equal_nan=True, rtol=2e-6, atol=2e-6)


def test_products_come_in_as_values_and_their_operands_not_at_all() -> None:
    swiglu = catalog.entry("SwiGLU")
    assert swiglu is not None
    lowered = lower(build_graph(swiglu))
    assert lowered.inputs == ()
    assert [value.product for value in lowered.products] == ["gate", "up"]
    tiles = {"gate": torch.randn(5, 3), "up": torch.randn(5, 3)}
    found = carried_out(lowered, tiles, {})["y"]
    torch.testing.assert_close(found, torch.nn.functional.silu(tiles["gate"]) * tiles["up"])


def test_an_optional_input_comes_in_with_its_number() -> None:
    made = spec_from_options(
        "Example",
        ("x", "w", "s", "r"),
        compute="y = leaky_relu((x @ w) * where(present(s), s, -2) + r, slope / 2)",
        attrs=("slope:float",),
    ).ops[0]
    lowered = lower(build_graph(made))
    assert [(value.input, value.otherwise) for value in lowered.inputs] == [("s", -2.0), ("r", None)]
    assert [value.product for value in lowered.products] == ["w_product"]
    assert [scalar.name for scalar in lowered.scalars] == ["scalar0"]
    p, s, r = torch.randn(3, 4, 5).unbind()
    for given, factor in (({"s": s}, s), ({}, -2.0)):
        found = carried_out(lowered, {"w_product": p, "r": r, **given}, {"scalar0": 0.25})["y"]
        torch.testing.assert_close(found, torch.nn.functional.leaky_relu(p * factor + r, 0.25))


def test_a_plain_product_needs_no_instruction() -> None:
    made = catalog.entry("PlainMatmul")
    assert made is not None
    lowered = lower(build_graph(made))
    assert lowered.steps == ()
    assert [(name, value.product) for name, value in lowered.outputs] == [("y", "b_product")]
