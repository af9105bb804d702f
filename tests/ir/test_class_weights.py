"""Class losses with a weight for each class, against torch's, and their gradients against autograd."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.differentiate import gradients  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec.model import OpSpec, TensorSpec  # noqa: E402
from tests.parsed import parsed  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
TARGETS = {"some": [3, 0, -100, 6, 3], "one": [-100, -100, 2, -100, -100], "none": [-100] * 5, "third": [3, 0, 1, 6, 3]}


def op(compute: str, reduction: str) -> OpSpec:
    floats = ("float32",)
    x, w = TensorSpec("x", floats, ("...", "C")), TensorSpec("w", floats, ("C",))
    y = TensorSpec("y", floats, ("...",) if reduction == "none" else ())
    return parsed(OpSpec("Loss", (x, TensorSpec("t", ("int64",), ("...",)), w), (), (y,), compute))


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["{}(x, t, w, {})", "{}(x, t, weight=w, {})"])
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_losses_with_weights(name: str, form: str, target: str, reduction: str) -> None:
    """Weights are of both sides of 1, and one of them is 0; the rows that do not count have no part in the mean."""
    ignored = 3 if target == "third" else -100
    made_op = op("y = " + form.format(name, f'ignore_index={ignored}, reduction="{reduction}"'), reduction)
    graph = build_graph(made_op)
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(5, 7, generator=generator, dtype=torch.float64).requires_grad_()
    t = torch.tensor(TARGETS[target])
    w = torch.tensor([0.5, 2.0, 1.5, 0.25, 1.0, 0.75, 0.0], dtype=torch.float64)
    wanted = getattr(functional, name)(x, t, w, ignore_index=ignored, reduction=reduction)
    given = {"x": x.detach(), "t": t, "w": w}
    found = evaluate(graph, given, {})["y"]
    torch.testing.assert_close(found.reshape(wanted.shape), wanted, rtol=1e-12, atol=1e-12, equal_nan=True)
    derived = gradients(made_op, graph)
    assert derived is not None
    assert {output.name for output in derived.outputs} == {"grad_x"}  # weights are constants
    grad = torch.randn(wanted.shape, generator=generator, dtype=torch.float64)
    autograd = torch.autograd.grad(wanted, x, grad)[0]
    given["t"] = t[:, None]  # the caller adds the dimension
    given["grad_y"] = grad[:, None] if reduction == "none" else grad
    made = evaluate(derived, {each: given[each] for each in derived.inputs}, {})
    torch.testing.assert_close(made["grad_x"].expand(5, 7), autograd, rtol=1e-12, atol=1e-12, equal_nan=True)
