"""Expressions to graphs: what they look like, what every pass keeps, and what the verifier refuses."""

from __future__ import annotations

import dataclasses

import pytest

from opforge.errors import InternalError, SpecError
from opforge.ir.builder import GraphBuilder
from opforge.ir.differentiate import differentiate
from opforge.ir.graph import Graph, Node, Output
from opforge.ir.graph_printer import print_graph
from opforge.ir.legality import verify
from opforge.ir.op_graphs import build_graph, build_graphs
from opforge.spec.model import OpSpec, Spec, TensorSpec
from opforge.spec.read.command_line import spec_from_options
from opforge.spec.read.parse import parse_spec
from tests.parsed import graph_of

GOLDENS = {
    "vector_add": ("x,y", "z = x + y"),
    "axpy": ("x,y", "z = alpha * x + y"),
    "silu_mul": ("gate,up", "y = silu(gate) * up"),
    "quotient": ("x,y", "z = -x / y"),
    "clamp": ("x", "y = maximum(minimum(x, 6), -n)"),
    "exp_abs": ("x", "y = exp(-abs(x))"),
    "shared": ("x,y", "s = x + y\np, q = sigmoid(s) * (x + y), s * (2 * 3 - 1)"),
    "scalars": ("x", "y = x * (alpha * n + 1) / (alpha * n + 1)"),
}


def op(inputs: str, compute: str) -> OpSpec:
    attrs = ("alpha:float=1.5", "n:int=2")
    return spec_from_options("Example", inputs.split(","), compute=compute, attrs=attrs).ops[0]


@pytest.mark.parametrize("name", GOLDENS)
def test_the_printed_graph_and_its_derivative(name: str, golden) -> None:
    made = op(*GOLDENS[name])
    graph = build_graph(made)
    text = f"# {made.compute.replace(chr(10), chr(10) + '# ')}\n{print_graph(graph)}\n# backward\n"
    golden(f"{name}.txt", text + print_graph(differentiate(made, graph)))


def test_equal_subexpressions_are_one_node_and_dead_ones_none() -> None:
    graph = build_graph(op("x,y", "t = x * y\nz, w = t + y * x, exp(x * y)"))
    assert [node.op for node in graph.nodes].count("mul") == 1
    zeros = build_graph(op("x", "y = maximum(x, 0.0) + minimum(x, -0.0)"))
    assert [str(node.value) for node in zeros.nodes if node.op == "const"] == ["0.0", "-0.0"]


@pytest.mark.parametrize(
    ("spelled", "plain"),
    [
        ("z = x.exp().clamp(min=0.5) + torch.abs(y)", "z = clamp(exp(x), min=0.5) + abs(y)"),
        ("z = F.gelu(x, approximate='tanh') * torch.nn.functional.silu(y)", "z = gelu_tanh(x) * silu(y)"),
        ("z = (x.float() + y).to(torch.bfloat16)", "z = cast(cast(x, float32) + y, bfloat16)"),
        ("z = x.where(x > y, 2.0)", "z = where(x > y, x, 2.0)"),
        ("torch = x + y\nz = torch.exp()", "t = x + y\nz = exp(t)"),
    ],
)
def test_methods_and_modules_of_torch_are_its_functions(spelled: str, plain: str) -> None:
    assert print_graph(build_graph(op("x,y", spelled))) == print_graph(build_graph(op("x,y", plain)))


def test_only_what_the_text_itself_detaches_is_told() -> None:
    assert op("x", "y = x + detach(round(x) - x)").expression.detaches
    assert not op("x", "y = log10(x)").expression.detaches  # only at points where its values jump


def test_operands_keep_their_order() -> None:
    graph = build_graph(op("x,y", "z = y - x"))
    names = [graph[graph[operand].operands[0]].name for operand in graph.nodes[-2].operands]
    assert names == ["y", "x"]


def test_constants_are_folded_before_they_are_rounded() -> None:
    graph = build_graph(op("x", "y = x * (1 / 3 - silu(2) + maximum(1, 2) * abs(-4))"))
    (value,) = [node.value for node in graph.nodes if node.op == "const"]
    assert value == pytest.approx(1 / 3 - 2 / (1 + 2.718281828459045**-2) + 8, rel=1e-15)


def test_a_graph_from_an_op_without_places_points_into_its_compute() -> None:
    made = op("x", "y = x * 2")
    broken = dataclasses.replace(made, compute="y = x *", source=None)
    with pytest.raises(SpecError) as caught:
        graph_of(broken)
    assert caught.value.render() == (
        "error: <command line>:1:8: compute is not a valid expression: invalid syntax\n 1 | y = x *\n   |        ^\n"
        "  help: for example `y = silu(x) * 2`, in Python's syntax"
    )


def test_the_problems_of_all_ops_come_together() -> None:
    text = "edition: 1\nproject: {name: two}\nops:\n" + "".join(
        f"  {name}:\n    inputs: {{x: {{dtype: [float32]}}}}\n    compute: y = x\n" for name in ("OpA", "OpB")
    )
    with pytest.raises(SpecError) as caught:
        build_graphs(parse_spec(text, None))
    assert [p.where.line for p in caught.value.problems if p.where] == [6, 9]


def test_graphs_by_op_type() -> None:
    spec = spec_from_options("VectorAdd", ("x", "y"))
    assert build_graphs(spec) == {"VectorAdd": build_graph(spec.ops[0])}
    assert isinstance(spec, Spec)


def test_an_input_that_no_output_depends_on_smoothly_has_no_gradient() -> None:
    builder = GraphBuilder()
    x, y = builder.input("x"), builder.input("y")
    graph = builder.finish({"z": builder.apply("mul", builder.apply("sign", x), y)})
    columns = ("float32",)
    inputs = (TensorSpec("x", columns), TensorSpec("y", columns))
    made = OpSpec("Example", inputs, (), (TensorSpec("z", columns),), "z = sign(x) * y")
    assert [output.name for output in differentiate(made, graph).outputs] == ["grad_y"]


# A legal graph: z = alpha * x, and ways to break it.
LEGAL = Graph(
    (
        Node(0, "input", name="x", dtype="storage"),
        Node(1, "cast", (0,)),
        Node(2, "attr", name="alpha", scalar=True),
        Node(3, "mul", (2, 1)),
        Node(4, "cast", (3,), "storage"),
    ),
    (Output("z", 4),),
)
BROKEN = {
    "its id is 7": (1, {"id": 7}),
    "unknown operator": (3, {"op": "convolution"}),
    "it has 1 operands, but takes 2": (3, {"operands": (1,)}),
    "do not all come before it": (3, {"operands": (1, 3)}),
    "inputs, attributes and products must have a name": (0, {"name": None}),
    "no other node may have one": (3, {"name": "x"}),
    "must have a value, and no other node may have one": (3, {"value": 1.0}),
    "no operator computes in float8": (1, {"dtype": "float8"}),
    "an input must be a tensor of its storage dtype": (0, {"dtype": "float32"}),
    "it must be a float32 or int32 scalar": (2, {"scalar": False}),
    "the cast changes nothing": (1, {"dtype": "storage"}),
    "operators compute in float32": (3, {"dtype": "storage"}),
    "need explicit casts around them": (3, {"operands": (2, 0)}),
    "it must be a scalar if and only if": (3, {"scalar": True}),
    "is unused": (3, {"operands": (1, 1)}),
    "is not finite": (2, {"op": "const", "name": None, "value": float("nan")}),
    "input x appears twice": (2, {"op": "input", "name": "x", "dtype": "storage", "scalar": False}),
}


@pytest.mark.parametrize("message", BROKEN)
def test_the_verifier_finds_every_broken_rule(message: str) -> None:
    verify(LEGAL)
    place, change = BROKEN[message]
    nodes = list(LEGAL.nodes)
    nodes[place] = dataclasses.replace(nodes[place], **change)
    with pytest.raises(InternalError, match=message.replace("(", r"\(")):
        verify(Graph(tuple(nodes), LEGAL.outputs))


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ((), "outputs must be one or more distinct names"),
        ((Output("z", 4), Output("z", 4)), "outputs must be one or more distinct names"),
        ((Output("z", 5),), "which does not exist"),
        ((Output("z", 3),), "not cast to its storage dtype"),
    ],
)
def test_the_verifier_looks_at_outputs(outputs: tuple[Output, ...], message: str) -> None:
    with pytest.raises(InternalError, match=message):
        verify(Graph(LEGAL.nodes, outputs))
