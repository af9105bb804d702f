"""Gradients of inputs and results with one element for each row, against torch's autograd, in float64."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.backward import Backward, backward_of  # noqa: E402
from opforge.ir.differentiate import differentiate  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph import Graph  # noqa: E402
from opforge.ir.graph_printer import print_formulas  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec import catalog  # noqa: E402
from opforge.spec.model import OpSpec, TensorSpec  # noqa: E402
from tests.parsed import parsed  # noqa: E402

pytestmark = pytest.mark.torch

SHAPES = {
    "x": ("...", "H"),
    "r": ("...", "1"),
    "o": (),
    "w": ("H",),
    "y": ("...", "H"),
    "s": ("...", "1"),
    "d": ("...",),
}


def _ones(x: torch.Tensor) -> torch.Tensor:
    return torch.rsqrt((x * x).mean(-1, keepdim=True) + 0.5)


# The inputs, results and expression of an op, and the same in torch.
OPS: dict[str, tuple[str, str, str, Callable[..., tuple[torch.Tensor, ...]]]] = {
    "scaled": ("x r", "y", "y = softmax(x * r, -1) * r", lambda x, r: (torch.softmax(x * r, -1) * r,)),
    "of_rows_alone": ("x r", "s", "s = sum(x * x, -1, keepdim=True) * r", lambda x, r: ((x * x).sum(-1, True) * r,)),
    "of_all_rows": ("x o", "y", "y = softmax(x * o, -1) * o", lambda x, o: (torch.softmax(x * o, -1) * o,)),
    "beside_elements": (
        "x r",
        "s",
        "s = sum(abs(x + r) + r, -1, keepdim=True)",
        lambda x, r: ((abs(x + r) + r).sum(-1, True),),
    ),
    "without_reduction": (
        "x r",
        "s",
        "s = sum(x, -1, keepdim=True) + tanh(r)",
        lambda x, r: (x.sum(-1, True) + torch.tanh(r),),
    ),
    "without_reduction_beside_elements": (
        "x r w",
        "y s",
        "y, s = x * w, sum(x, -1, keepdim=True) + tanh(r)",
        lambda x, r, w: (x * w, x.sum(-1, True) + torch.tanh(r)),
    ),
    "several": (
        "x r w",
        "y s",
        "a = rsqrt(mean(x * x, -1, keepdim=True) + 0.5)\ny, s = x * a * w + r, a * r + r * r",
        lambda x, r, w: (x * _ones(x) * w + r, _ones(x) * r + r * r),
    ),
    "kept": (
        "x w",
        "y s",
        "a = rsqrt(mean(x * x, -1, keepdim=True) + 0.5)\ny, s = x * a * w, a",
        lambda x, w: (x * _ones(x) * w, _ones(x)),
    ),
    "dropped": (
        "x",
        "y d",
        "a = logsumexp(x, -1, keepdim=True)\ny, d = exp(x - a) * mean(x, -1, keepdim=True), logsumexp(x, -1)",
        lambda x: (torch.exp(x - x.logsumexp(-1, True)) * x.mean(-1, keepdim=True), x.logsumexp(-1)),
    ),
}


def op(name: str) -> OpSpec:
    inputs, outputs, compute, _ = OPS[name]
    floats = ("float16", "float32")
    given = tuple(TensorSpec(each, floats, SHAPES[each]) for each in inputs.split())
    dtypes = {"y": floats, "s": ("float32",) * 2, "d": ("float32",) * 2}
    return parsed(
        OpSpec("Example", given, (), tuple(TensorSpec(o, dtypes[o], SHAPES[o]) for o in outputs.split()), compute)
    )


def tensors(name: str, leading: tuple[int, ...]) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    shapes = {"x": (*leading, 7), "r": (*leading, 1), "o": (), "w": (7,)}
    made = {each: torch.randn(shapes[each], generator=generator, dtype=torch.float64) for each in OPS[name][0].split()}
    return {each: value.requires_grad_() for each, value in made.items()}


def gradients(backward: Backward, results: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: results[holder] for name, holder in backward.gradients.items()}


@pytest.mark.parametrize("leading", [(), (5,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("name", OPS)
def test_gradients(name: str, leading: tuple[int, ...]) -> None:
    """By the graph of all gradients, and by the kernel of the gradients, which reads results of the op."""
    made, given = op(name), tensors(name, leading)
    graph = build_graph(made)
    wanted = OPS[name][3](**given)
    results = dict(zip(OPS[name][1].split(), wanted, strict=True))
    for output, found in evaluate(graph, given, {}).items():
        torch.testing.assert_close(found, results[output].expand(found.shape), rtol=1e-11, atol=1e-13)
    ups = {output: torch.randn(value.shape, dtype=torch.float64) for output, value in results.items()}
    grads = torch.autograd.grad(list(wanted), list(given.values()), [ups[o] for o in results], allow_unused=True)
    whole = {output: up.unsqueeze(-1) if output == "d" else up for output, up in ups.items()}
    up = {f"grad_{output}": value for output, value in whole.items()}

    derived = differentiate(made, graph)
    found = evaluate(derived, {n: {**up, **given}[n] for n in derived.inputs}, {})
    backward = backward_of(made, graph)
    assert backward is not None
    kept = {output: value.unsqueeze(-1) if output == "d" else value for output, value in results.items()}
    by_kernel = up | ({} if backward.graph is None else _evaluated(backward.graph, {**up, **given, **kept}))
    for (each, tensor), gradient in zip(given.items(), grads, strict=True):
        for value in (found[f"grad_{each}"], by_kernel[backward.gradients[each]]):
            torch.testing.assert_close(_summed(value, tensor, leading), gradient, rtol=1e-9, atol=1e-11)


def _evaluated(graph: Graph, given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return evaluate(graph, {name: given[name] for name in graph.inputs}, {})


def _summed(value: torch.Tensor, like: torch.Tensor, leading: tuple[int, ...]) -> torch.Tensor:
    if like.shape == (7,) and value.shape == (7,):
        return value
    if like.shape == (*leading, 7):
        value = value.expand(*leading, 7)
    return value.sum_to_size(like.shape)


def test_saved() -> None:
    """Results in float32 are read, and others computed again; without a reduction, none is read."""
    saved = {name: getattr(backward_of(op(name), build_graph(op(name))), "saved", None) for name in OPS}
    assert saved == {name: ("s",) if name == "kept" else ("d",) if name == "dropped" else () for name in OPS}
    backward = backward_of(op("kept"), build_graph(op("kept")))
    assert backward is not None
    assert backward.kernel is not None
    assert backward.graph is not None
    assert [(t.name, t.dtypes[0], t.dims) for t in backward.kernel.inputs][-1] == ("s", "float32", ("...", "1"))
    assert len(backward.graph.reductions) == 1
    assert "rsqrt" not in print_formulas(backward.graph, {})


def test_gradients_that_aten_sums_over_other_dimensions_are_float32() -> None:
    """Of an input that is broadcast, not of x nor of one with an element for each row, which the kernel sums."""
    op = catalog.entry("BatchNormTraining")
    assert op is not None
    backward = backward_of(op, build_graph(op))
    assert backward is not None
    assert backward.kernel is not None
    dtypes = {tensor.name: tensor.dtypes for tensor in backward.kernel.outputs}
    assert dtypes == {"grad_x": ("float16", "bfloat16", "float32"), "grad_gamma": ("float32",) * 3}
