"""Row functions against torch's, and their derivatives against torch's autograd, in float64."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.differentiate import differentiate  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph_printer import print_formulas  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.ir.rows import row_values  # noqa: E402
from opforge.spec.language import ROW_FUNCTIONS  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
# Expressions of x [..., H] and w, b [H]; each has the shape of x.
WHOLE = {
    "y = softmax(x, -1)": lambda x, **_: torch.softmax(x, -1),
    "y = softmax(x * w, dim=-1) + b": lambda x, w, b: torch.softmax(x * w, -1) + b,
    "y = log_softmax(x, -1)": lambda x, **_: torch.log_softmax(x, -1),
    "y = rms_norm(x, w, 1e-6)": lambda x, w, **_: functional.rms_norm(x, x.shape[-1:], w, 1e-6),
    "y = rms_norm(x, weight=w, eps=0.5) * b": lambda x, w, b: functional.rms_norm(x, x.shape[-1:], w, 0.5) * b,
    "y = layer_norm(x, w, b)": lambda x, w, b: functional.layer_norm(x, x.shape[-1:], w, b),
    "y = layer_norm(x, bias=b, weight=w, eps=0.25)": lambda x, w, b: functional.layer_norm(x, x.shape[-1:], w, b, 0.25),
    "y = x - mean(x, -1, keepdim=True)": lambda x, **_: x - x.mean(-1, keepdim=True),
    "y = x / sum(abs(x), -1, keepdim=True)": lambda x, **_: x / x.abs().sum(-1, keepdim=True),
    "y = x - amax(x, -1, True)": lambda x, **_: x - x.amax(-1, keepdim=True),
    "y = x * amin(x * w, -1, True)": lambda x, w, **_: x * (x * w).amin(-1, keepdim=True),
    "y = x * prod(x * w, -1, True)": lambda x, w, **_: x * (x * w).prod(-1, keepdim=True),
    "y = x - logsumexp(x, -1, keepdim=True)": lambda x, **_: x - torch.logsumexp(x, -1, keepdim=True),
    "y = x / std(x, -1, keepdim=True)": lambda x, **_: x / x.std(-1, keepdim=True),
    "y = x * var(x, -1, correction=0, keepdim=True)": lambda x, **_: x * x.var(-1, correction=0, keepdim=True),
    "y = x * x.var(dim=-1, unbiased=False, keepdim=True)": lambda x, **_: x * x.var(-1, False, keepdim=True),
    "y = x * x.std(-1, True, True)": lambda x, **_: x * x.std(-1, True, True),
    "s = sum(x * w, -1, keepdim=True)\ny = x * exp(-s * s) + s": lambda x, w, **_: (
        (s := (x * w).sum(-1, keepdim=True)) * 1 + x * torch.exp(-s * s)
    ),
    "y = x * norm(x * w, dim=-1, keepdim=True)": lambda x, w, **_: x * torch.norm(x * w, dim=-1, keepdim=True),
    "y = x * x.norm(1, -1, True)": lambda x, **_: x * x.norm(1, -1, True),
    "y = x * torch.linalg.vector_norm(x, ord=float('inf'), dim=-1, keepdim=True)": lambda x, **_: (
        x * torch.linalg.vector_norm(x, math.inf, -1, keepdim=True)
    ),
    "y = F.normalize(x * w, dim=-1) * b": lambda x, w, b: functional.normalize(x * w, dim=-1) * b,
    "y = normalize(x, 1, -1, eps=2.5)": lambda x, **_: functional.normalize(x, 1, -1, 2.5),
    "y = x * sum(w, -1, keepdim=True)": lambda x, w, **_: x * w.sum(),
    "m = mean(x, -1, keepdim=True)\nv = mean(x + m, -1, keepdim=True)\ny = x * v": lambda x, **_: (
        x * (x + x.mean(-1, keepdim=True)).mean(-1, keepdim=True)
    ),
}
NAMES = ("x", "w", "b")


def op(compute: str) -> OpSpec:
    used = [name for name in NAMES if name in compute.replace("weight", "").replace("bias", "").replace("abs", "")]
    shapes = {"x": "x=[..., H]", "w": "w=[H]", "b": "b=[H]"}
    given = tuple(shapes[name] for name in used)
    return spec_from_options("Example", used, compute=compute, shapes=given).ops[0]


def tensors(*leading: int, length: int = 7) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    shapes = {"x": (*leading, length), "w": (length,), "b": (length,)}
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for name, shape in shapes.items()
    }


def test_every_function_is_tested() -> None:
    assert all(any(f"{name}(" in compute for compute in (*WHOLE, *INDEXED, *TESTS)) for name in ROW_FUNCTIONS)


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("compute", WHOLE)
def test_meaning_and_derivative(compute: str, leading: tuple[int, ...]) -> None:
    made, given = op(compute), tensors(*leading)
    graph = build_graph(made)
    wanted = WHOLE[compute](**given)
    inputs = {name: given[name] for name in graph.inputs}
    found = evaluate(graph, inputs, {})["y"]
    torch.testing.assert_close(found, wanted.expand(found.shape), rtol=1e-11, atol=1e-13)
    up = torch.randn(found.shape, dtype=torch.float64)
    grads = torch.autograd.grad(wanted.expand(found.shape), list(inputs.values()), up, allow_unused=True)
    backward = differentiate(made, graph)
    results = evaluate(backward, {name: {"grad_y": up, **inputs}[name] for name in backward.inputs}, {})
    for (name, tensor), gradient in zip(inputs.items(), grads, strict=True):
        summed = results[f"grad_{name}"].expand(found.shape).sum_to_size(tensor.shape)
        torch.testing.assert_close(summed, gradient, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("compute", WHOLE)
def test_second_derivatives(compute: str) -> None:
    made, given = op(compute), tensors(3, length=4)
    backward = backward_of(made, build_graph(made))
    assert backward is not None
    assert backward.kernel is not None
    assert backward.graph is not None
    first = backward.graph
    up = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    inputs = {name: {"grad_y": up, **given}[name] for name in first.inputs}
    forward = evaluate(first, inputs, {})
    ups = {f"grad_{name}": torch.randn_like(value) for name, value in forward.items()}
    wanted = torch.autograd.grad(list(forward.values()), list(inputs.values()), list(ups.values()), allow_unused=True)
    second = differentiate(backward.kernel, first)
    found = evaluate(second, {name: {**ups, **inputs}[name] for name in second.inputs}, {})
    for (name, tensor), gradient in zip(inputs.items(), wanted, strict=True):
        if gradient is not None:
            summed = found[f"grad_{name}"].expand(3, 4).sum_to_size(tensor.shape)
            torch.testing.assert_close(summed, gradient, rtol=1e-9, atol=1e-10)


def test_ties_share_the_gradient_of_the_largest() -> None:
    made = op("y = x * amax(x, -1, True)")
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], dtype=torch.float64, requires_grad=True)
    up = torch.tensor([[1.0, 2.0, 5.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    (wanted,) = torch.autograd.grad(x * x.amax(-1, keepdim=True), x, up)
    found = evaluate(differentiate(made, build_graph(made)), {"grad_y": up, "x": x}, {})["grad_x"]
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize(
    "row",
    [
        [2.0, 0.5, -3.0, 4.0],
        [2.0, 0.0, -3.0, 4.0],
        [2.0, -0.0, -3.0, 4.0],
        [2.0, 0.0, -3.0, 0.0],
        [0.0, 0.0, -0.0, 0.0],
        [2.0, math.inf, -3.0, 4.0],
        [2.0, math.nan, -3.0, 4.0],
        [1e200, -1e200, 3.0, 1e200],
        [1e-200, 1e-200, 3.0, 1e-200],
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("compute", "meaning"),
    [("y = prod(x, -1)", lambda x: x.prod(-1)), ("y = torch.prod(x)", torch.prod)],
)
def test_products_have_torchs_values_and_gradients(
    row: list[float], compute: str, meaning: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    """Without zeros, with one and with more; also where the product is infinite or vanishes."""
    x = torch.tensor(row, dtype=torch.float64, requires_grad=True)
    made = spec_from_options("Example", ["x"], compute=compute, shapes=("x=[H]",)).ops[0]
    graph = build_graph(made)
    wanted = meaning(x)
    torch.testing.assert_close(evaluate(graph, {"x": x}, {})["y"], wanted, equal_nan=True)
    (gradient,) = torch.autograd.grad(wanted, x, torch.tensor(-2.0, dtype=torch.float64))
    up = torch.tensor([-2.0], dtype=torch.float64)
    found = evaluate(differentiate(made, graph), {"grad_y": up, "x": x}, {})["grad_x"]
    torch.testing.assert_close(found, gradient, equal_nan=True)


@pytest.mark.parametrize(
    "row", [[0.0, 2.0, math.inf, 3.0], [0.0, math.nan, 2.0, 0.0], [0.0, 3.0, 1e200, 1e200]], ids=str
)
def test_gradients_of_products_where_torchs_is_nan(row: list[float]) -> None:
    """Beside a zero: torch multiplies it by what is infinite or NaN, and here all that it makes zero is 0."""
    x = torch.tensor([row], dtype=torch.float64, requires_grad=True)
    made = spec_from_options("Example", ["x"], compute="y = prod(x, -1)", shapes=("x=[..., H]",)).ops[0]
    (gradient,) = torch.autograd.grad(x.prod(-1), x, torch.ones(1, dtype=torch.float64))
    up = torch.ones(1, 1, dtype=torch.float64)
    found = evaluate(differentiate(made, build_graph(made)), {"grad_y": up, "x": x}, {})["grad_x"]
    assert bool(gradient.isnan().any())
    torch.testing.assert_close(found[~gradient.isnan()], gradient[~gradient.isnan()])
    assert not bool(found[gradient.isnan()].any())


def test_the_product_of_no_elements_is_1() -> None:
    made = spec_from_options("Example", ["x"], compute="y = prod(x, -1)", shapes=("x=[..., H]",)).ops[0]
    assert evaluate(build_graph(made), {"x": torch.ones(3, 0)}, {})["y"].tolist() == [1.0] * 3


@pytest.mark.parametrize(
    "row",
    [
        [math.inf, 1.0, 2.0],
        [-math.inf, -math.inf, -math.inf],
        [-math.inf, 0.0, 1.0],
        [math.nan, 0.0, 1.0],
        [3e38, 3e38, -3e38],
        [-1e30, -1e30, 1e-30],
    ],
)
def test_special_values(row: list[float]) -> None:
    x = torch.tensor([row])
    for compute, wanted in (
        ("y = softmax(x, -1)", torch.softmax(x, -1)),
        ("y = log_softmax(x, -1)", torch.log_softmax(x, -1)),
        ("y = x * 0 + logsumexp(x, -1, keepdim=True)", x * 0 + torch.logsumexp(x, -1, keepdim=True)),
        ("y = x * 0 + amax(x, -1, keepdim=True)", x * 0 + x.amax(-1, keepdim=True)),
    ):
        found = evaluate(build_graph(op(compute)), {"x": x}, {})["y"]
        torch.testing.assert_close(found, wanted, equal_nan=True, rtol=1e-6, atol=0.0)


@pytest.mark.parametrize(
    "row", [[0.0, -0.0, 0.0], [3.0, 0.0, -4.0], [math.inf, 1.0, 2.0], [math.nan, 1.0, 2.0], [1e25, 1e-30, 1.0]]
)
def test_norms_have_torchs_values_and_gradients(row: list[float]) -> None:
    """In float32: the gradient of a row of zeros is 0, and a sum of squares overflows and vanishes as torch's."""
    x = torch.tensor([row, [5.0, 0.0, 0.0]], requires_grad=True)
    up = torch.tensor([[1.0, -2.0, 0.5], [1.0, 1.0, 1.0]])
    for compute, meaning in (
        ("y = x + norm(x, dim=-1, keepdim=True)", lambda x: x + x.norm(dim=-1, keepdim=True)),
        ("y = x + norm(x, 1, -1, keepdim=True)", lambda x: x + x.norm(1, -1, keepdim=True)),
        ("y = x + norm(x, torch.inf, -1, keepdim=True)", lambda x: x + x.norm(math.inf, -1, keepdim=True)),
        ("y = normalize(x, dim=-1)", lambda x: functional.normalize(x, dim=-1)),
        ("y = normalize(x, 1, -1)", lambda x: functional.normalize(x, 1, -1)),
    ):
        made = op(compute)
        graph = build_graph(made)
        wanted = meaning(x)
        found = evaluate(graph, {"x": x}, {})["y"]
        torch.testing.assert_close(found, wanted, equal_nan=True, rtol=1e-6, atol=0.0)
        (gradient,) = torch.autograd.grad(wanted, x, up)
        backward = differentiate(made, graph)
        result = evaluate(backward, {n: {"grad_y": up, "x": x}[n] for n in backward.inputs}, {})["grad_x"]
        if any(map(math.isnan, row)) and "inf" in compute:  # torch gives some of a row with NaN 0
            result, gradient = result[1:], gradient[1:]
        torch.testing.assert_close(result, gradient, equal_nan=True, rtol=1e-6, atol=1e-7)


def test_a_variance_far_from_zero_keeps_its_digits() -> None:
    x = 10_000 + torch.arange(8.0).reshape(1, 8) / 8
    found = evaluate(build_graph(op("y = x * 0 + var(x, -1, keepdim=True)")), {"x": x}, {})["y"]
    torch.testing.assert_close(found[0, 0], x.double().var(-1)[0].float(), rtol=1e-6, atol=0.0)


def test_values_of_rows_are_told_from_tiles() -> None:
    graph = build_graph(op("s = sum(x * w, -1, keepdim=True)\ny = x * exp(-s * s) + s"))
    rows = {graph[node].op for node in row_values(graph.nodes)}
    assert rows == {"sum", "neg", "mul", "exp"}


@pytest.mark.parametrize(
    ("compute", "gradient"),
    [
        ("y = softmax(x, -1)", "grad_x = (grad_y - sum(grad_y * t9, -1, keepdim=True)) * t9"),
        ("y = log_softmax(x, -1)", "grad_x = grad_y - ((sum(grad_y, -1, keepdim=True) / sum(t"),
        ("y = x - mean(x, -1, keepdim=True)", "grad_x = grad_y - (sum(grad_y, -1, keepdim=True) / x.shape[-1])"),
    ],
)  # fmt: skip
def test_gradients_are_those_of_handwritten_kernels(compute: str, gradient: str) -> None:
    """What is the same for a row is not computed for each element, and softmax's own result is used."""
    made = op(compute)
    assert gradient in print_formulas(differentiate(made, build_graph(made)))


# Of x [..., H] and class indices t [..., 1].
INDEXED = {
    "v, i = max(x, -1)": lambda x, _: x.max(-1),
    "v, i = min(x, dim=-1, keepdim=True)": lambda x, _: x.min(-1, keepdim=True),
    "v, i = sum(x, -1), argmax(x, -1)": lambda x, _: (x.sum(-1), x.argmax(-1)),
    "v, i = mean(x, -1), argmin(x, dim=-1)": lambda x, _: (x.mean(-1), x.argmin(-1)),
    'v = cross_entropy(x, t, reduction="none")': lambda x, t: (loss(x, t),),
    'v = cross_entropy(x, target=t, ignore_index=1, label_smoothing=0.25, reduction="none")': lambda x, t: (
        loss(x, t, ignore_index=1, label_smoothing=0.25),
    ),
    'v = nll_loss(x, t, ignore_index=2, reduction="none")': lambda x, t: (
        loss(x, t, functional.nll_loss, ignore_index=2),
    ),
}


def loss(
    x: torch.Tensor, t: torch.Tensor, function: Callable[..., torch.Tensor] = functional.cross_entropy, **options: float
) -> torch.Tensor:
    rows = function(x.reshape(-1, x.shape[-1]), t.reshape(-1), reduction="none", **options)
    return rows.reshape(t.shape)


def indexed(compute: str) -> OpSpec:
    names = ["x", "t"] if "t," in compute else ["x"]
    given = [f"{name}={shape}" for name, shape in {"x": "[..., H]", "t": "[..., 1]"}.items() if name in names]
    dtypes = ("t=int64",) if "t" in names else ()
    return spec_from_options("Example", names, compute=compute, shapes=given, dtypes=dtypes).ops[0]


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("compute", INDEXED)
def test_indices(compute: str, leading: tuple[int, ...]) -> None:
    """Also of equal elements, whose gradient the first one has; values in halves are equal often."""
    made, length = indexed(compute), 7
    graph = build_graph(made)
    generator = torch.Generator().manual_seed(5)
    x = (torch.randn((*leading, length), generator=generator, dtype=torch.float64) * 2).round() / 2
    x.requires_grad_()
    t = torch.randint(0, length, (*leading, 1), generator=generator)
    wanted = INDEXED[compute](x, t)
    found = evaluate(graph, {"x": x, "t": t}, {}, {"v": torch.float64, "i": torch.int64})
    for value, (name, result) in zip(wanted, found.items(), strict=True):
        torch.testing.assert_close(result, value, rtol=1e-12, atol=1e-14, msg=lambda text, name=name: f"{name} {text}")
    up = torch.randn(wanted[0].shape, generator=generator, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(wanted[0], x, up)
    backward = backward_of(made, graph)
    assert backward is not None
    kept = up if up.dim() == x.dim() else up.unsqueeze(-1)  # the caller adds the dimension
    if backward.graph is None:  # of a sum
        torch.testing.assert_close(kept.expand(x.shape), gradient)
        return
    given = {name: {"grad_v": kept, "x": x, "t": t}[name] for name in backward.graph.inputs}
    result = evaluate(backward.graph, given, {})["grad_x"].expand(x.shape)
    torch.testing.assert_close(result, gradient, rtol=1e-10, atol=1e-12)


# Of x [..., H] and masks m [..., H].
TESTS = {
    "y, i = any(x > 1, -1), count_nonzero(m, -1)": lambda x, m: ((x > 1).any(-1), m.count_nonzero(-1)),
    "y, i = (x > -1).all(-1, keepdim=True), count_nonzero(x, dim=-1)": lambda x, _: (
        (x > -1).all(-1, keepdim=True),
        x.count_nonzero(-1),
    ),
    "y, i = torch.all(x, -1), torch.count_nonzero(x > 0, -1)": lambda x, _: (x.all(-1), (x > 0).count_nonzero(-1)),
    "y, i = x.any(-1, True) and m, count_nonzero(m and x > 0, -1)": lambda x, m: (
        x.any(-1, keepdim=True) & m,
        (m & (x > 0)).count_nonzero(-1),
    ),
    "y, i = any(x), cast(count_nonzero(x != 2), int32)": lambda x, _: (x.any(), (x != 2).sum().int()),
    "y, i = where(all(m, -1, keepdim=True), x, -x), all(m, -1)": lambda x, m: (
        torch.where(m.all(-1, keepdim=True), x, -x),
        m.all(-1),
    ),
}


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("compute", TESTS)
def test_tests_of_rows(compute: str, leading: tuple[int, ...]) -> None:
    """Also of NaN, which is not zero, of rows of zeros of either sign, and of masks that are true everywhere."""
    masks = re.search(r"\bm\b", compute) is not None
    names, given = (["x", "m"] if masks else ["x"]), ("m=[..., H]",) if masks else ()
    whole = "x=[...]" if "any(x)," in compute else "x=[..., H]"
    dtypes = ("m=bool",) if masks else ()
    made = spec_from_options("Example", names, compute=compute, shapes=(whole, *given), dtypes=dtypes).ops[0]
    generator = torch.Generator().manual_seed(8)
    x = torch.randn((*leading, 5), generator=generator, dtype=torch.float64)
    m = torch.rand((*leading, 5), generator=generator) > 0.2
    if leading == (5,):
        x[0], x[1], x[2, 3], x[3] = 0.0, -0.0, math.nan, 3.0
        m[1], m[2] = True, False
    wanted = TESTS[compute](x, m)
    dtypes = {tensor.name: value.dtype for tensor, value in zip(made.outputs, wanted, strict=True)}
    assert [tensor.dtypes[0] for tensor in made.outputs if tensor.name == "i"] == [str(dtypes["i"])[6:]]
    found = evaluate(build_graph(made), {name: {"x": x, "m": m}[name] for name in names}, {}, dtypes)
    for name, value in zip(dtypes, wanted, strict=True):
        torch.testing.assert_close(found[name], value, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("function", [torch.any, torch.all, torch.count_nonzero])
def test_tests_of_no_elements(function: Callable[..., torch.Tensor]) -> None:
    compute, x = f"y = {function.__name__}(x, -1)", torch.zeros(3, 0)
    made = spec_from_options("Example", ["x"], compute=compute, shapes=("x=[..., H]",)).ops[0]
    wanted = function(x, -1)
    assert torch.equal(evaluate(build_graph(made), {"x": x}, {}, {"y": wanted.dtype})["y"], wanted)


@pytest.mark.parametrize(
    "row", [[1.0, math.nan, 2.0, math.nan], [math.inf] * 4, [-math.inf] * 4, [0.0, -0.0, 0.0, 0.0]]
)
def test_indices_of_special_values(row: list[float]) -> None:
    x = torch.tensor([row], dtype=torch.float64, requires_grad=True)
    for compute, pick in (("v, i = max(x, -1)", torch.max), ("v, i = min(x, -1)", torch.min)):
        made = indexed(compute)
        graph = build_graph(made)
        wanted = pick(x, -1)
        found = evaluate(graph, {"x": x}, {}, {"v": torch.float64, "i": torch.int64})
        torch.testing.assert_close(found["v"], wanted.values, equal_nan=True)
        assert torch.equal(found["i"], wanted.indices)
        (gradient,) = torch.autograd.grad(wanted.values, x, torch.tensor([0.5], dtype=torch.float64))
        backward = differentiate(made, graph)
        result = evaluate(backward, {"x": x, "grad_v": torch.tensor([[0.5]], dtype=torch.float64)}, {})["grad_x"]
        assert torch.equal(result, gradient)
