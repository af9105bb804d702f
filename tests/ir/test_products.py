"""Ops with matrix products: their graphs, names, shapes and the ops of their gradients, as they look."""

from __future__ import annotations

import dataclasses
import re

import pytest

from opforge.errors import InternalError
from opforge.ir.backward import backward_of
from opforge.ir.differentiate import differentiate
from opforge.ir.graph import Graph, Node, Output
from opforge.ir.graph_printer import print_formulas, print_graph
from opforge.ir.legality import verify
from opforge.ir.op_graphs import build_graph, build_graphs
from opforge.ir.product_shapes import ProductShape, product_shape
from opforge.kinds import derive
from opforge.spec import catalog
from opforge.spec.model import OpSpec
from opforge.spec.read.command_line import spec_from_options
from opforge.spec.read.parse import parse_spec

# The recipes of the catalog, and what none of them has.
GOLDENS = {
    "swiglu": "SwiGLU",
    "geglu": "GeGLU",
    "reglu": "ReGLU",
    "linear": "Linear",
    "plain_matmul": "PlainMatmul",
    "matmul_leaky_relu": "MatmulLeakyRelu",
    "matmul_gelu": "MatmulGelu",
    "left_transposed": ("x,w", "y = silu(x.T @ w.T)"),
    "two_outputs": ("x,w_p,v,r", "p = x @ w_p\nq = x @ v\ny, z = relu(p) * r, p + maximum(q, -alpha)"),
    "optional_factor": ("x,w,s", "y = (x @ w) * where(present(s), s, 1)"),
    "shared_right": ("a,b,w", "y = silu(a @ w) - b @ w"),
    "used_twice": ("x,w", "y = silu(x @ w) * (x @ w)"),
}


def op(inputs: str, compute: str) -> OpSpec:
    attrs = ("alpha:float=1.5", "n:int=2")
    return spec_from_options("Example", inputs.split(","), compute=compute, attrs=attrs, dtypes=("float32",)).ops[0]


def recipe(name: str) -> OpSpec:
    made = catalog.entry(name)
    assert made is not None
    return made


@pytest.mark.parametrize("name", GOLDENS)
def test_the_printed_graph_and_the_parts_of_its_backward(name: str, golden) -> None:
    given = GOLDENS[name]
    made = recipe(given) if isinstance(given, str) else op(*given)
    graph = build_graph(made)
    backward = backward_of(made, graph)
    assert backward is not None
    text = f"# {made.compute.replace(chr(10), chr(10) + '# ')}\n{print_graph(graph)}\n"
    text += "".join(f"# the gradient of {of} is {held}\n" for of, held in backward.gradients.items())
    if backward.kernel is not None and backward.graph is not None:
        names = [", ".join(t.name for t in tensors) for tensors in (backward.kernel.inputs, backward.kernel.outputs)]
        attrs = "".join(f", {attr.name}" for attr in backward.kernel.attrs)
        formulas = backward.kernel.compute.replace("\n", "\n# ")
        text += f"\n# {backward.kernel.type}: {names[0]}{attrs} -> {names[1]}\n# {formulas}\n"
        text += print_graph(backward.graph)
    golden(f"{name}.txt", text)


@pytest.mark.parametrize(
    ("inputs", "compute", "names"),
    [
        ("x,w_gate,w_up", "y = silu(x @ w_gate) * (x @ w_up)", "gate up"),
        ("x,weight_gate,up", "y = silu(x @ weight_gate) * (x @ up)", "gate up_product"),
        ("x,w_gate,w_up", "g = x @ w_gate\ngate = x @ w_up\ny = g * gate", "g gate"),
        ("x,w_gate,w_up", "gate = silu(x @ w_gate)\ny = gate * (x @ w_up)", "w_gate_product up"),
        ("x,w_gate,weight_gate", "y = (x @ w_gate) * (x @ weight_gate)", "gate weight_gate_product"),
        ("x,gate,w_gate", "y = gate * (x @ w_gate)", "w_gate_product"),
        ("x,w,v", "y, z = x @ w, relu(x @ w) * (x @ v)", "w_product v_product"),
        ("x,w_for", "G = x @ w_for\ny = relu(G)", "w_for_product"),
        ("a,b,w_y", "y = relu(a @ w_y) + (b @ w_y)", "w_y_product w_y_product2"),
        ("x,w,w_product", "y = (x @ w) + w_product", "w_product2"),
        ("x,w_alpha", "y = alpha * (x @ w_alpha)", "w_alpha_product"),
        ("x,w_grad_y", "y = relu(x @ w_grad_y)", "w_grad_y_product"),
        ("x,w_example", "y = relu(x @ w_example)", "w_example_product"),
        ("x,w_g1,v", "g_1 = x @ v\ny = g_1 * (x @ w_g1)", "g_1 w_g1_product"),
        ("x,v,w", "g_1 = x @ v\ng1 = x @ w\ny = g_1 * g1", "g_1 w_product"),
        ("x,w", "p = x @ w\ny = p * silu(x @ w)", "p"),
    ],
)
def test_products_have_names_that_nothing_else_has(inputs: str, compute: str, names: str) -> None:
    assert [product.name for product in build_graph(op(inputs, compute)).products] == names.split()


def shape(made: OpSpec) -> ProductShape | None:
    return product_shape(made, build_graph(made))


def test_the_shapes_of_the_recipes() -> None:
    none = {"full": (), "row_vectors": ()}
    plain = {"rows": ("...",), "transposed": (False, False), **none}
    assert shape(recipe("SwiGLU")) == ProductShape(k="H", n="I", left=("x",), right=("w_gate", "w_up"), **plain)
    assert shape(recipe("Linear")) == ProductShape(
        ("...",), "K", "N", (False, True), ("x",), ("weight",), (), ("bias",)
    )
    assert shape(recipe("PlainMatmul")) == ProductShape(k="K", n="N", left=("a",), right=("b",), **plain)
    assert shape(recipe("SiluMul")) is None


def test_the_shapes_of_what_was_not_declared() -> None:
    assert shape(op("r,x,w,s", "y = (x.T @ w.T) * r + s")) == ProductShape(
        ("M",), "K", "N", (True, True), ("x",), ("w",), ("r", "s"), ()
    )
    assert shape(op("a,b,w", "y = silu(a @ w) - b @ w")) == ProductShape(
        ("...",), "K", "N", (False, False), ("a", "b"), ("w",), (), ()
    )


def test_symbols_may_be_equal_and_outputs_have_the_products_shape() -> None:
    text = """\
edition: 1
project: {name: square}
ops:
  Square2:
    inputs: {x: {shape: [M, H], dtype: [float32]}, w: {shape: [H, H]}, b: {shape: [H]}}
    compute: y = relu(x @ w) * b
"""
    made = parse_spec(text, None).ops[0]
    assert shape(made) == ProductShape(("M",), "H", "H", (False, False), ("x",), ("w",), (), ("b",))
    assert [t.dims for t in made.outputs] == [("M", "H")]
    assert build_graph(made).products


def test_a_sum_of_products_needs_no_kernel_for_its_gradients() -> None:
    made = op("x,w,v,r", "y = x @ w + x @ v + r")
    backward = backward_of(made, build_graph(made))
    assert backward is not None
    assert (backward.kernel, backward.graph) == (None, None)
    assert backward.gradients == {"w_product": "grad_y", "v_product": "grad_y", "r": "grad_y"}


def test_what_no_output_depends_on_smoothly_has_no_gradient() -> None:
    made = op("x,w,r", "y, z = x @ w, relu(r)")
    backward = backward_of(made, build_graph(made))
    assert backward is not None
    assert backward.kernel is not None
    assert backward.gradients == {"w_product": "grad_y", "r": "grad_r"}
    assert [t.name for t in backward.kernel.inputs] == ["grad_z", "r"]


def test_the_kernel_of_gradients_is_an_elementwise_op_of_the_same_dtypes() -> None:
    made = recipe("MatmulLeakyRelu")
    backward = backward_of(made, build_graph(made))
    assert backward is not None
    kernel = backward.kernel
    assert kernel is not None
    assert kernel.type == "MatmulLeakyReluGrad"
    assert not backward.graph.products
    assert not kernel.backward
    assert {t.dtypes for t in (*kernel.inputs, *kernel.outputs)} == {made.inputs[0].dtypes}
    assert kernel.attrs == made.attrs
    assert not any(t.optional for t in kernel.inputs)


def test_every_op_with_a_kernel() -> None:
    text = """\
edition: 1
project: {name: several}
ops:
  Gate:
    inputs: {x: {dtype: [float32]}, w: {}}
    compute: y = silu(x @ w)
  Add2:
    inputs: {x: {dtype: [float32]}, y: {}}
    compute: z = x + y
  Plain:
    inputs: {x: {dtype: [float32]}, w: {}}
    compute: y = x @ w
  Still:
    inputs: {x: {dtype: [float32]}, w: {}}
    compute: y = silu(x @ w)
    backward: false
"""
    spec = parse_spec(text, None)
    made = derive(spec)
    assert [op.type for op in made.ops] == ["Gate", "GateGrad", "Add2", "Plain", "Still"]
    assert derive(spec) == made
    assert [kernel.graph for kernel in made.public] == list(build_graphs(spec).values())


def test_an_op_with_products_is_not_differentiated_as_a_whole() -> None:
    made = recipe("SwiGLU")
    with pytest.raises(InternalError, match="SwiGLU is not elementwise"):
        differentiate(made, build_graph(made))


def test_formulas_keep_the_graphs_meaning_and_name_nothing_twice() -> None:
    made = op("t3,y", "z, w = -(t3 * y) * (t3 * y) / (n - 1), exp(t3 * y) - (t3 - y)")
    text = print_formulas(build_graph(made))
    names = re.findall(r"^(\w+) = ", text, re.MULTILINE)
    assert len(set(names) | {"t3", "y"}) == len(names) + 2
    values = {"t3": 1.5, "y": -0.25, "n": 3.0}
    exec(text, {"exp": lambda x: 2.718281828459045**x}, values)  # noqa: S102  (formulas of ours)
    assert values["z"] == pytest.approx(-((1.5 * -0.25) ** 2) / 2)
    assert values["w"] == pytest.approx(2.718281828459045**-0.375 - 1.75)


# y = silu(x @ w^T) + (b or 0.5), and ways to break it.
LEGAL = Graph(
    (
        Node(0, "input", name="x", dtype="storage"),
        Node(1, "input", name="w", dtype="storage"),
        Node(2, "matmul", (0, 1), name="gate", transposed=(False, True)),
        Node(3, "input", name="b", dtype="storage"),
        Node(4, "cast", (3,)),
        Node(5, "given_or", (4,), value=0.5),
        Node(6, "silu", (2,)),
        Node(7, "add", (6, 5)),
        Node(8, "cast", (7,), "storage"),
    ),
    (Output("y", 8),),
)
BROKEN = {
    "it has 1 operands, but takes 2": (2, {"operands": (0,)}),
    "products must have a name": (2, {"name": None}),
    "matmul b appears twice|input b appears twice": (2, {"name": "b"}),
    "the operands of a product must be stored inputs": (7, {"op": "matmul", "name": "z"}),
    "optional inputs must have a value": (5, {"value": None}),
    "is not finite": (5, {"value": float("inf")}),
    "only inputs can be optional": (5, {"operands": (2,)}),
    "only products have transposed operands": (7, {"transposed": (True, False)}),
    "operators compute in float32": (2, {"dtype": "storage"}),
    "it must be a scalar if and only if": (2, {"scalar": True}),
}


@pytest.mark.parametrize("message", BROKEN)
def test_the_verifier_finds_what_is_wrong_with_products(message: str) -> None:
    verify(LEGAL)
    place, change = BROKEN[message]
    nodes = list(LEGAL.nodes)
    nodes[place] = dataclasses.replace(nodes[place], **change)
    with pytest.raises(InternalError, match=message):
        verify(Graph(tuple(nodes), LEGAL.outputs))
