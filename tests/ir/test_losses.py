"""Losses, of all elements or of each, against torch's, and their gradients against autograd."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.differentiate import gradients  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec import language  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
LOSSES = {
    "mse_loss(x, t)": functional.mse_loss,
    "l1_loss(x, t)": functional.l1_loss,
    "huber_loss(x, t)": functional.huber_loss,
    "huber_loss(x, t, delta=0.3)": lambda x, t: functional.huber_loss(x, t, delta=0.3),
    "smooth_l1_loss(x, t)": functional.smooth_l1_loss,
    "smooth_l1_loss(x, t, 0.5)": lambda x, t: functional.smooth_l1_loss(x, t, beta=0.5),
    "kl_div(x, t)": lambda x, t: functional.kl_div(x, t, reduction="mean"),
    "binary_cross_entropy_with_logits(x, t)": functional.binary_cross_entropy_with_logits,
}


def test_every_loss_is_tested() -> None:
    assert {call.partition("(")[0] for call in LOSSES} == language.LOSSES


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", sorted(language.LOSSES))
def test_reductions(name: str, reduction: str) -> None:
    """Also what torch's code for the op says: `opforge` writes the call of torch's function."""
    text = f'y = {name}(x, t, reduction="{reduction}")'
    op = spec_from_options("Loss", ["x", "t"], compute=text).ops[0]
    generator = torch.Generator().manual_seed(5)
    x, t = (torch.rand((3, 5), generator=generator, dtype=torch.float64) for _ in "xt")
    x.requires_grad_()
    wanted = getattr(functional, name)(x, t, reduction=reduction)
    found = evaluate(build_graph(op), {"x": x, "t": t}, {})["y"]
    torch.testing.assert_close(found, wanted)
    derived = gradients(op, build_graph(op))
    assert derived is not None
    up = torch.rand(wanted.shape, generator=generator, dtype=torch.float64)
    given = {"grad_y": up, "x": x.detach(), "t": t}
    made = evaluate(derived, {each: given[each] for each in derived.inputs}, {})["grad_x"]
    torch.testing.assert_close(made.expand(3, 5), torch.autograd.grad(wanted, x, up)[0])
    (call,) = (each.call for each in op.expression.assignments if each.call is not None and not each.inner)
    spelled = call.torch.format("x", "t", *(argument.value for argument in call.arguments[2:]))
    said = eval(spelled, {"torch": torch, "x": x, "t": t})  # noqa: S307 - this test's own text
    torch.testing.assert_close(said, wanted)


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("scale", [1.0, 200.0], ids=["near", "far"])
@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss: str, scale: float, shape: tuple[int, ...]) -> None:
    """Far values saturate exponentials. The target is a probability; 0 and 1 are among them."""
    op = spec_from_options("Loss", ["x", "t"], compute=f"y = {loss}").ops[0]
    graph = build_graph(op)
    generator = torch.Generator().manual_seed(5)
    x = (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).requires_grad_()
    t = torch.rand(shape, generator=generator, dtype=torch.float64)
    t = torch.where(t < 0.2, 0.0, torch.where(t > 0.8, 1.0, t)).requires_grad_()
    wanted = LOSSES[loss](x, t)
    found = evaluate(graph, {"x": x, "t": t}, {})["y"]
    assert found.shape == ()
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)
    derived = gradients(op, graph)
    assert derived is not None
    given = {"grad_y": torch.tensor(1.5, dtype=torch.float64), "x": x.detach(), "t": t.detach()}
    made = evaluate(derived, {name: given[name] for name in derived.inputs}, {})
    autograd = torch.autograd.grad(wanted, x, given["grad_y"])[0]
    torch.testing.assert_close(made["grad_x"].expand(shape), autograd, rtol=1e-12, atol=1e-12)
