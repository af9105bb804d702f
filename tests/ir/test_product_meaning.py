"""What graphs with products compute, against torch written by hand; the parts of their backward, against autograd.

The parts are put together as the torch side does: products and sums by torch, the epilogue's gradients by their graph.
"""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch")

from opforge.errors import InternalError  # noqa: E402
from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph import Graph  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.ir.product_shapes import product_shape  # noqa: E402
from opforge.spec import catalog  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402
from opforge.spec.read.parse import parse_spec  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
ATTRS = {"alpha": 1.25, "n": 3.0, "negative_slope": 0.125, "eps": 1e-6}


def normed(x: torch.Tensor) -> torch.Tensor:
    """Each row divided by its root mean square."""
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + ATTRS["eps"])


RECIPES = {
    "SwiGLU": lambda x, w_gate, w_up: functional.silu(x @ w_gate) * (x @ w_up),
    "GeGLU": lambda x, w_gate, w_up: functional.gelu(x @ w_gate, approximate="tanh") * (x @ w_up),
    "ReGLU": lambda x, w_gate, w_up: functional.relu(x @ w_gate) * (x @ w_up),
    "Linear": functional.linear,
    "PlainMatmul": torch.matmul,
    "MatmulLeakyRelu": lambda a, b, bias: functional.leaky_relu(a @ b + bias, 0.125),
    "MatmulGelu": lambda a, b: functional.gelu(a @ b, approximate="tanh"),
    "MatmulRMSNorm": lambda x, w, gamma: normed(x @ w) * gamma,
}
# Rows (leading dimensions), K and N.
SIZES = [
    ((), 3, 5),
    ((1,), 1, 1),
    ((7,), 13, 5),
    ((2, 3), 4, 17),
    ((2, 0), 3, 4),
    ((0,), 3, 4),
    ((3,), 0, 4),
    ((3,), 4, 0),
]


def op(inputs: str, compute: str) -> OpSpec:
    attrs = ("alpha:float=1.5", "n:int=2")
    return spec_from_options("Example", inputs.split(","), compute=compute, attrs=attrs).ops[0]


def from_file(inputs: str, compute: str) -> OpSpec:
    text = f"edition: 1\nproject: {{name: gates}}\nops:\n  Example:\n    inputs: {{{inputs}}}\n    compute: {compute}\n"
    return parse_spec(text, None).ops[0]


def tensors_of(made: OpSpec, rows: tuple[int, ...], k: int, n: int, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Random tensors of the op's shapes; values small enough for float16."""
    shape = product_shape(made, build_graph(made))
    assert shape is not None
    sizes = {shape.k: (k,), shape.n: (n,), **dict.fromkeys(shape.rows, rows)}
    dims = {t.name: [size for dim in t.dims for size in sizes[dim]] for t in made.inputs}
    return {name: (torch.randn(size, dtype=torch.float64) / 2).to(dtype) for name, size in dims.items()}


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", RECIPES)
def test_recipes_of_the_catalog(name: str, sizes: tuple[tuple[int, ...], int, int]) -> None:
    torch.manual_seed(7)
    made = catalog.entry(name)
    assert made is not None
    graph = build_graph(made)
    rows, k, n = sizes
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        tensors = tensors_of(made, rows, k, n, dtype)
        wide = torch.promote_types(dtype, torch.float32)
        by_hand = RECIPES[name](*(t.to(wide) for t in tensors.values()))
        (found,) = evaluate(graph, tensors, ATTRS).values()
        assert found.dtype == dtype
        assert found.shape == (*rows, n)
        assert found.is_contiguous()
        ulp = torch.finfo(dtype).eps
        torch.testing.assert_close(found, by_hand.to(dtype), rtol=4 * ulp, atol=4 * torch.finfo(wide).eps)


def test_every_recipe_with_products_is_compared() -> None:
    entries = {name: made for name in catalog.names() if (made := catalog.entry(name)) is not None and made.compute}
    named = {name for name, made in entries.items() if build_graph(made).products}
    assert named == set(RECIPES)


def test_products_are_accumulated_in_float32_and_rounded_once() -> None:
    graph = build_graph(op("a,b", "y = (a @ b) * 0.5"))
    a = torch.full((1, 4096), 32.0, dtype=torch.float16)
    b = torch.ones(4096, 1, dtype=torch.float16)
    assert evaluate(graph, {"a": a, "b": b}, {})["y"].item() == float("inf")  # 65536: one more than float16 holds
    assert evaluate(graph, {"a": a / 2, "b": b}, {})["y"].item() == 32768.0
    ones = torch.ones(1, 4096, dtype=torch.bfloat16)
    assert evaluate(graph, {"a": ones, "b": ones.mT}, {})["y"].item() == 2048.0  # bfloat16 would stop at 256


def test_operands_are_transposed_as_the_expression_says() -> None:
    a, b = torch.randn(3, 4), torch.randn(3, 5)
    found = evaluate(build_graph(op("a,b", "y = a.T @ b")), {"a": a, "b": b}, {})["y"]
    torch.testing.assert_close(found, a.mT @ b)
    found = evaluate(build_graph(op("a,b", "y = a.T @ b.T")), {"a": a, "b": b.mT}, {})["y"]
    torch.testing.assert_close(found, a.mT @ b)
    strided = torch.randn(4, 6)[:, ::2]
    found = evaluate(build_graph(op("a,b", "y = a @ b")), {"a": strided, "b": b}, {})["y"]
    torch.testing.assert_close(found, strided @ b)


def test_what_is_not_given_is_its_number() -> None:
    graph = build_graph(op("x,w,s", "y = (x @ w) * where(present(s), s, -2)"))
    x, w, s = torch.randn(2, 3, 4), torch.randn(4, 5), torch.randn(2, 3, 5)
    torch.testing.assert_close(evaluate(graph, {"x": x, "w": w}, {})["y"], x @ w * -2)
    torch.testing.assert_close(evaluate(graph, {"x": x, "w": w, "s": None}, {})["y"], x @ w * -2)
    torch.testing.assert_close(evaluate(graph, {"x": x, "w": w, "s": s}, {})["y"], x @ w * s)


def test_an_output_that_no_product_reaches_has_the_products_shape_too() -> None:
    made = from_file("x: {dtype: [float32]}, w: {}, b: {shape: [N]}", '"y, z = x @ w, silu(b)"')
    x, w, b = torch.randn(2, 3, 4), torch.randn(4, 5), torch.randn(5)
    found = evaluate(build_graph(made), {"x": x, "w": w, "b": b}, {})
    torch.testing.assert_close(found["z"], functional.silu(b).expand(2, 3, 5))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": None}, "the input w is not given"),
        ({"x": torch.ones(2, 3)}, r"w_product is not a product of \(2, 3\) and \(4, 5\)"),
        ({"w": torch.ones(4)}, r"w_product is not a product of \(2, 4\) and \(4,\)"),
        ({"w": torch.ones(4, 5).half()}, "not one"),
        ({"s": torch.ones(5).half()}, "not one"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, torch.Tensor | None], message: str) -> None:
    graph = build_graph(op("x,w,s", "y = x @ w + where(present(s), s, 0)"))
    tensors = {"x": torch.ones(2, 4), "w": torch.ones(4, 5), **change}
    with pytest.raises(InternalError, match=message):
        evaluate(graph, tensors, {})


def by_parts(
    made: OpSpec, graph: Graph, tensors: dict[str, torch.Tensor], ups: dict[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The gradients of all inputs: products by torch, the kernel's part by its graph, products and sums by torch."""
    backward, shape = backward_of(made, graph), product_shape(made, graph)
    assert backward is not None
    assert shape is not None
    optional = {graph[graph[n.operands[0]].operands[0]].name: n.value for n in graph.nodes if n.op == "given_or"}
    result = next(iter(ups.values())).shape
    values = {name: torch.full(result, value, dtype=torch.float64) for name, value in optional.items()}
    values |= {**tensors, **ups}
    operands = {}
    for product in graph.products:
        names = [graph[operand].name for operand in product.operands]
        pair = [tensors[n].mT if turned else tensors[n] for n, turned in zip(names, product.transposed, strict=True)]
        operands[product.name] = (names, pair, product.transposed)
        values[product.name] = pair[0] @ pair[1]
    if backward.kernel is not None:
        given = {t.name: values[t.name] for t in backward.kernel.inputs}
        values |= evaluate(backward.graph, given, {a.name: ATTRS[a.name] for a in backward.kernel.attrs})
        assert set(backward.graph.inputs) == set(given)
        assert [o.name for o in backward.graph.outputs] == [t.name for t in backward.kernel.outputs]
    gradients: dict[str, torch.Tensor] = {}
    for of, held in backward.gradients.items():
        gradient = values[held]
        if of in operands:
            (left, right), (a, b), turned = operands[of]
            parts = [(left, gradient @ b.mT), (right, a.flatten(0, -2).mT @ gradient.flatten(0, -2))]
            for (name, part), t in zip(parts, turned, strict=True):
                gradients[name] = gradients.get(name, 0) + (part.mT if t else part)
        elif of in tensors:
            gradients[of] = gradient.sum_to_size(tensors[of].shape)
    return gradients


def against_autograd(made: OpSpec, tensors: dict[str, torch.Tensor]) -> None:
    graph = build_graph(made)
    leaves = {name: t.requires_grad_() for name, t in tensors.items()}
    forward = evaluate(graph, leaves, ATTRS)
    ups = {f"grad_{name}": torch.randn_like(value) for name, value in forward.items()}
    wanted = torch.autograd.grad(
        list(forward.values()), list(leaves.values()), list(ups.values()), allow_unused=True, materialize_grads=True
    )
    with torch.no_grad():
        found = by_parts(made, graph, tensors, ups)
    for (name, leaf), gradient in zip(leaves.items(), wanted, strict=True):
        mine = found.get(name, torch.zeros_like(leaf))
        torch.testing.assert_close(mine, gradient, rtol=1e-9, atol=1e-11, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("sizes", [s for s in SIZES if s[0]], ids=str)
@pytest.mark.parametrize("name", RECIPES)
def test_gradients_of_the_recipes(name: str, sizes: tuple[tuple[int, ...], int, int]) -> None:
    torch.manual_seed(11)
    made = catalog.entry(name)
    assert made is not None
    against_autograd(made, tensors_of(made, *sizes, torch.float64))


ODD = {
    "two_outputs": op("x,w,v,r", "p = x @ w\ny, z = relu(p) * r, p + maximum(x @ v, -alpha)"),
    "used_twice": op("x,w", "y = silu(x @ w) * (x @ w)"),
    "shared_right": op("a,b,w", "y = silu(a @ w) - b @ w"),
    "nothing_shared": op("a,b,v,w", "y = sigmoid(a @ v) / (1 + exp(b @ w))"),
    "left_transposed": op("x,w,v", "y = gelu_tanh(x.T @ w) * (x.T @ v)"),
    "right_transposed": op("x,w,v", "y = gelu_tanh(x @ w.T) * (x @ v.T)"),
    "both_transposed": op("x,w", "y = leaky_relu(x.T @ w.T, 0.1 * n)"),
    "bias_full": op("x,w,bias", "y = silu(x @ w + bias)"),
    "bias_row": from_file("x: {dtype: [float32]}, w: {}, bias: {shape: [N]}", "y = silu(x @ w + bias) * bias"),
    "row_alone": from_file("x: {dtype: [float32]}, w: {}, b: {shape: [N]}", '"y, z = x @ w, silu(b)"'),
    "sum": op("x,w,v,r", "y = x @ w + x @ v + r"),
    "difference": op("x,w,v", "y = x @ w - x @ v"),
    "scaled": op("x,w", "y = alpha * (x @ w) + n"),
    "same_output_twice": op("x,w", "p = silu(x @ w)\ny, z = p, p"),
    "flat": op("x,w,r", "y = maximum(x @ w, 1e30) * r"),
    "optional_factor": op("x,w,s", "y = silu(x @ w) * where(present(s), s, 3)"),
    "softmax": from_file("x: {shape: [..., K], dtype: [float32]}, w: {shape: [K, N]}", "y = softmax(x @ w * 1.5, -1)"),
    "residual_norm": from_file(
        "x: {shape: [..., K], dtype: [float32]}, w: {shape: [N, K]}, r: {shape: [..., N]}, g: {shape: [N]}",
        "y = layer_norm(x @ w.T + r, g, g)",
    ),
    "row_result": from_file(
        "x: {shape: [..., K], dtype: [float32]}, w: {shape: [K, N]}, v: {shape: [K, N]}",
        '"y, top = silu(x @ w) * (x @ v), amax(x @ w, -1, keepdim=True)"',
    ),
    "square": from_file("x: {shape: [..., H], dtype: [float32]}, w: {shape: [H, H]}", "y = relu(x @ w)"),
}


@pytest.mark.parametrize("name", ODD)
def test_gradients_of_odd_ops(name: str) -> None:
    torch.manual_seed(13)
    rows = (5,) if "transposed" in name and name != "right_transposed" else (2, 3)
    against_autograd(ODD[name], tensors_of(ODD[name], rows, 4, 4 if name == "square" else 7, torch.float64))


def test_gradients_without_the_optional_input() -> None:
    torch.manual_seed(17)
    for made in (ODD["optional_factor"], catalog.entry("Linear")):
        assert made is not None
        tensors = tensors_of(made, (2, 3), 4, 5, torch.float64)
        against_autograd(made, {name: t for name, t in tensors.items() if name not in ("s", "bias")})


def random_epilogue(rng: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, "alpha", "0.5", "2"])
    first = random_epilogue(rng, names, depth - 1)
    if rng.random() < 0.5:
        functions = ["-({})", "silu({})", "sigmoid({})", "relu({})", "gelu_tanh({})", "leaky_relu({}, 0.25)", "abs({})"]
        return rng.choice(functions).format(first)
    second = random_epilogue(rng, names, depth - 1)
    return rng.choice(["({}) + ({})", "({}) - ({})", "({}) * ({})", "maximum({}, {})", "minimum({}, {})"]).format(
        first, second
    )


@pytest.mark.parametrize("seed", range(40))
def test_gradients_of_random_epilogues(seed: int) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    turned = rng.choice(["", ".T"])
    weights = ["w1", "w2", "w3"][: rng.randrange(1, 4)]
    products = [f"(x @ {w}{turned})" for w in weights]
    names = [*products, "r", "where(present(s), s, 0.75)", "b"]
    total = " + ".join([*products, "r", "where(present(s), s, 0.75)", "b"])
    lines = [f"{random_epilogue(rng, names, 3)} + {total}", f"{random_epilogue(rng, names, 3)} * {products[0]}"]
    declared = ["x: {dtype: [float32]}", *(f"{w}: {{}}" for w in weights), "r: {}", "b: {shape: [N]}"]
    declared.append("s: {optional: true}" if rng.random() < 0.5 else "s: {optional: true, shape: [N]}")
    attrs = "\n    attrs: {alpha: {type: float}}" if any("alpha" in line for line in lines) else ""
    text = "edition: 1\nproject: {name: gates}\nops:\n  Example:\n    inputs: {" + ", ".join(declared) + "}" + attrs
    made = parse_spec(f'{text}\n    compute: "y, z = {lines[0]}, {lines[1]}"\n', None).ops[0]
    tensors = tensors_of(made, (2, 3), 3, 5, torch.float64)
    if rng.random() < 0.5:
        del tensors["s"]
    against_autograd(made, tensors)
