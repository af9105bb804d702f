"""Graphs as vector instructions (plan.lowering), carried out in torch and compared with the graph's meaning."""

from __future__ import annotations

import itertools
import math

import pytest

torch = pytest.importorskip("torch")

from random_ops import ATTRS, random_op  # noqa: E402

from opforge.ir.builder import GraphBuilder  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph import OPERATORS, TERNARY, UNARY, Graph  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.kinds import derive  # noqa: E402
from opforge.plan.lowering import lower  # noqa: E402
from opforge.plan.steps import Lowered, Step, Value  # noqa: E402
from opforge.spec import catalog  # noqa: E402
from opforge.spec.model import ProjectSpec, Spec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402
from tests.header_polynomials import polynomial  # noqa: E402

pytestmark = pytest.mark.torch

EDGES = torch.tensor(
    [0.0, -0.0, 1.0, -1.0, 2.5, -3.75, 10.0, -10.0, 88.0, -88.0, 1e30, -1e30, math.inf, -math.inf, math.nan]
)

MODES = {"GE": torch.ge, "GT": torch.gt, "LE": torch.le, "LT": torch.lt, "EQ": torch.eq, "NE": torch.ne}
ROUNDED = {"CAST_RINT": torch.round, "CAST_TRUNC": torch.trunc, "CAST_FLOOR": torch.floor, "CAST_CEIL": torch.ceil}
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
    "Axpy": lambda d, x, s: d + x * s,
    "LeakyRelu": lambda x, s: torch.where(x >= 0, x, x * s),
    "Relu": torch.relu,
    "Abs": torch.abs,
    "Exp": torch.exp,
    "Ln": torch.log,
    "Sqrt": torch.sqrt,
    # Of vector_math.h.
    "Tanh": torch.tanh,
    "Erf": torch.erf,
    "Log1p": torch.log1p,
    "Log1pUpTo1": torch.log1p,
    "Expm1": torch.expm1,
    "Expm1UpTo0": torch.expm1,
    "Log2": torch.log2,
    "Exp2": torch.exp2,
    "Sin": torch.sin,
    "Cos": torch.cos,
    "Gelu": lambda x: x.clamp(min=-100) * 0.5 * (1 + torch.erf(x * math.sqrt(0.5))),
    "Power": torch.pow,
    "Fmod": torch.fmod,
}


def step(instruction: Step, sources: list[torch.Tensor], scalar: torch.Tensor | None) -> torch.Tensor:
    if instruction.name == "Duplicate":
        assert scalar is not None
        return scalar
    if instruction.name == "Cast":
        rounded = ROUNDED[instruction.mode or ""](sources[0]) if sources[0].is_floating_point() else sources[0]
        return rounded.to(getattr(torch, instruction.target.dtype))
    if instruction.name == "Polynomial":
        return polynomial(sources[0], instruction.mode or "")
    given = [*sources, *([scalar] if scalar is not None else [])]
    if instruction.name == "Select":
        return torch.where(*given)
    if instruction.name.startswith("Compare"):
        return MODES[instruction.mode or ""](*given)
    return INSTRUCTIONS[instruction.name](*given)


def carried_out(
    lowered: Lowered, tensors: dict[str, torch.Tensor], scalars: dict[str, float]
) -> dict[str, torch.Tensor]:
    values: dict[Value, torch.Tensor] = {}
    for value in (*lowered.inputs, *lowered.products):
        name = value.input or value.product or ""
        loaded = tensors[name] if name in tensors else torch.tensor(value.otherwise)
        values[value] = loaded.to(getattr(torch, value.dtype))
    for instruction in lowered.steps:
        operand = instruction.scalar
        scalar = None
        if operand is not None:
            number = operand.value if operand.value is not None else scalars[operand.name or ""]
            scalar = torch.tensor(-number if operand.negated else number, dtype=getattr(torch, operand.dtype))
        values[instruction.target] = step(instruction, [values[s] for s in instruction.sources], scalar)
    return {name: values[value] for name, value in lowered.outputs}


def graph_of(name: str, first: str, second: str) -> Graph:
    """``name`` on two operands, each a tensor or a number."""
    builder = GraphBuilder()
    kinds = [first] if name in UNARY else [first, second]
    nodes = [builder.input("xy"[i]) if kind == "tensor" else builder.const(float(kind)) for i, kind in enumerate(kinds)]
    if name in TERNARY:
        nodes.insert(0, builder.apply("gt", builder.input("w"), builder.const(0.5)))
    return builder.finish({"z": builder.apply(name, *nodes)})


@pytest.mark.parametrize("name", OPERATORS)
def test_each_operator_on_tensors_and_numbers(name: str) -> None:
    # A slope that is a tensor, which no expression has, is finite; a number may be what it likes.
    tensors = {"x": EDGES[:, None], "y": EDGES[EDGES.isfinite()] if name == "leaky_relu" else EDGES, "w": EDGES}
    for first, second in itertools.product(("tensor", "0.25", "-2", "0", "3"), repeat=2):
        if first != "tensor" and name not in TERNARY and (second != "tensor" or name in UNARY):
            continue
        if name == "pow" and "tensor" in (first, second) and second == "0.25":
            continue  # of an exponent that is no integer the kernel makes a logarithm, which -infinity has none of
        graph = graph_of(name, first, second)
        used = {n: tensors[n] for n in graph.inputs}
        wanted = evaluate(graph, used, {})["z"]
        found = carried_out(lower(graph), used, {})["z"]
        torch.testing.assert_close(found.expand(wanted.shape), wanted, equal_nan=True, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("seed", range(40))
def test_random_ops_and_their_gradients(seed: int) -> None:
    """With casts, masks and int32 in between; the instructions are of float32 as the graph is."""
    made = random_op(seed)
    torch.manual_seed(seed)
    for kernel in derive(Spec(ProjectSpec("p", "p", "p", "0", ("ascend910b",)), (made,))).kernels:
        op, graph = kernel.op, kernel.graph
        assert graph is not None
        attributes = {name: float(value) for name, value in ATTRS.items()}
        given = {t.name: torch.randn(97).mul(1.5).to(getattr(torch, t.dtypes[0])) for t in op.inputs}
        lowered = lower(graph)
        scalars = {s.name: float(scalar_of(graph, s.node)) for s in lowered.scalars}
        wanted = evaluate(graph, given, attributes, {o.name: torch.float64 for o in graph.outputs})
        for name, value in carried_out(lowered, given, scalars).items():
            found = value.to(torch.float64).expand(97)
            # Steps of truncations and comparisons may fall to either side where the two round otherwise.
            close = torch.isclose(found, wanted[name], rtol=1e-3, atol=1e-3, equal_nan=True)
            assert close.float().mean() > 0.95, name


def scalar_of(graph: Graph, node: int) -> torch.Tensor:
    """A number of the host's, by the meaning of the graph."""
    one = GraphBuilder()
    values: dict[int, int] = {}
    for each in graph.nodes[: node + 1]:
        if each.scalar and each.op == "attr":
            values[each.id] = one.const(float(ATTRS[each.name or ""]), each.dtype)
        elif each.scalar and each.value is not None:
            values[each.id] = one.const(each.value, each.dtype)
        elif each.scalar:
            values[each.id] = one.apply(each.op, *(values[o] for o in each.operands))
    return torch.tensor(one.nodes[values[node]].value)


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
