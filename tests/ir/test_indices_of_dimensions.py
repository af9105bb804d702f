"""The number of an extreme along any dimension, and the gradient of its value, against torch's autograd in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph_printer import print_formulas  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec  # noqa: E402
from tests.parsed import parsed  # noqa: E402

pytestmark = pytest.mark.torch

FLOATS = ("float32",)
DIM = AttrSpec("dim", "int", -1, axis=True)
# The shapes of x and of the results, the expression, and the same in torch.
OPS: dict[str, tuple[str, str, Callable[..., tuple[torch.Tensor, torch.Tensor]]]] = {
    "v, i = max(x, 1)": ("N C S", "N S", lambda x: x.max(1)),
    "v, i = min(x, 0, keepdim=True)": ("C S", "1 S", lambda x: x.min(0, keepdim=True)),
    "v, i = max(x, -2)": ("... C H", "... H", lambda x: x.max(-2)),
    "v, i = min(x, -3, keepdim=True)": ("... A C H", "... 1 C H", lambda x: x.min(-3, keepdim=True)),
    "v, i = max(x, dim)": ("...", "...dropped", lambda x, dim: x.max(dim)),
    "v, i = min(x, dim, keepdim=True)": ("...", "...kept", lambda x, dim: x.min(dim, keepdim=True)),
}
SIZES = {"N": 3, "A": 4, "C": 5, "S": 7, "H": 2}


def op(compute: str) -> OpSpec:
    dims, results, _ = OPS[compute]
    outputs = (("v", FLOATS), ("i", ("int64",)))
    made = tuple(TensorSpec(name, dtypes, tuple(results.split())) for name, dtypes in outputs)
    attrs = (DIM,) if dims == "..." else ()
    return parsed(OpSpec("Example", (TensorSpec("x", FLOATS, tuple(dims.split())),), attrs, made, compute))


def calls(compute: str) -> list[tuple[tuple[int, ...], Mapping[str, int]]]:
    """The shapes of x and the attributes."""
    dims = OPS[compute][0].split()
    if dims == ["..."]:
        shapes = [(), (6,), (3, 5), (2, 1, 3), (2, 3, 4, 2)]
        return [(shape, {"dim": dim}) for shape in shapes for dim in range(-max(len(shape), 1), max(len(shape), 1))]
    named = tuple(SIZES[dim] for dim in dims if dim != "...")
    return [((*leading, *named), {}) for leading in ([(), (2,), (2, 3), (0,)] if dims[0] == "..." else [()])]


@pytest.mark.parametrize("compute", OPS)
def test_values_and_gradients(compute: str) -> None:
    """Values in halves are equal often; some are NaN."""
    made = op(compute)
    graph = build_graph(made)
    backward = backward_of(made, graph)
    assert backward is not None
    assert backward.graph is not None
    for seed, (shape, attrs) in enumerate(calls(compute)):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randint(-3, 4, shape, generator=generator).double() / 2
        x = torch.where(torch.rand(shape, generator=generator) > 0.95, torch.nan, x).requires_grad_()
        wanted = OPS[compute][2](x, **attrs)
        found = evaluate(graph, {"x": x}, attrs, {"v": torch.float64, "i": torch.int64})
        torch.testing.assert_close(found["v"], wanted[0], rtol=0, atol=0, equal_nan=True)
        assert torch.equal(found["i"], wanted[1])
        up = torch.randn(wanted[0].shape, generator=generator, dtype=torch.float64)
        (gradient,) = torch.autograd.grad(wanted[0], x, up)
        dim = graph.axes.given(attrs, len(shape)).at[0]
        kept = up.unsqueeze(dim) if up.dim() < x.dim() else up  # the caller adds the dimension
        result = evaluate(backward.graph, {"grad_v": kept, "x": x}, attrs)["grad_x"]
        torch.testing.assert_close(result, gradient, rtol=0, atol=0)


def test_the_formula_has_the_numbers_of_the_dimension() -> None:
    made = op("v, i = min(x, -3, keepdim=True)")
    assert "arange(x.shape[-3]).reshape(-1, 1, 1)" in print_formulas(build_graph(made), {"x": FLOATS})
