"""Reductions of the values of all rows against torch's, and their gradients against autograd."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.differentiate import gradients  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional


def loss(function: Callable[..., torch.Tensor], **options: object) -> Callable[..., torch.Tensor]:
    """Torch's loss of rows [..., C] and classes [..., 1]."""
    return lambda x, t: function(x.reshape(-1, x.shape[-1]), t.reshape(-1), **options)


# Of x [..., C], and of class indices t [..., 1] or of y [..., C].
CLASSES = {
    "v = cross_entropy(x, t)": loss(functional.cross_entropy),
    'v = cross_entropy(x, t, reduction="sum")': loss(functional.cross_entropy, reduction="sum"),
    "v = cross_entropy(x, t, ignore_index=2, label_smoothing=0.25)": loss(
        functional.cross_entropy, ignore_index=2, label_smoothing=0.25
    ),
    'v = nll_loss(x, t, ignore_index=2, reduction="mean")': loss(functional.nll_loss, ignore_index=2),
    'v = nll_loss(log_softmax(x, -1), t, reduction="sum")': loss(functional.cross_entropy, reduction="sum"),
}
PAIRS = {
    "v = mean(sum((x - y) ** 2, -1))": lambda x, y: ((x - y) ** 2).sum(-1).mean(),
    "v = sum(logsumexp(x * y, -1))": lambda x, y: (x * y).logsumexp(-1).sum(),
    "v = mean(logsumexp(x + y, -1, keepdim=True))": lambda x, y: (x + y).logsumexp(-1).mean(),
    "v = amax(sum(x * y, -1)) - amin(mean(x, -1))": lambda x, y: (x * y).sum(-1).amax() - x.mean(-1).amin(),
    "v = mean(x * softmax(y, -1)) * 3": lambda x, y: (x * y.softmax(-1)).mean() * 3,
    # A function of all elements before rows are known, and with them.
    "all = mean(x * y)\nrow = sum(y, -1)\nv = all + mean(row * row)": lambda x, y: (
        (x * y).mean() + y.sum(-1).square().mean()
    ),
    "a = amax(x)\nv = a + sum(amax(y, -1))": lambda x, y: x.amax() + y.amax(-1).sum(),
    "v = mse_loss(x, y) + mean(sum(x, -1))": lambda x, y: functional.mse_loss(x, y) + x.sum(-1).mean(),
    "v = sqrt(sum(sum(x * x, -1)) + exp(mean(y)))": lambda x, y: ((x * x).sum() + y.mean().exp()).sqrt(),
}
# Of x [..., C], and of weights of the rows, r [..., 1].
WEIGHTED = {
    "v = mean(sum(x * x, -1, keepdim=True) * r)": lambda x, r: (x.square().sum(-1, keepdim=True) * r).mean(),
    "v = sum(logsumexp(x, -1, keepdim=True) * r) / (sum(r) + 9)": lambda x, r: (
        (x.logsumexp(-1, keepdim=True) * r).sum() / (r.sum() + 9)
    ),
    "v = amax(sum(x * r, -1)) + mean(r * r)": lambda x, r: (x * r).sum(-1).amax() + r.square().mean(),
}
WANTED = CLASSES | PAIRS | WEIGHTED


def other_of(compute: str) -> str:
    """The name of the second input."""
    return "t" if compute in CLASSES else "r" if compute in WEIGHTED else "y"


def given_of(compute: str, x: torch.Tensor, y: torch.Tensor, t: torch.Tensor) -> dict[str, torch.Tensor]:
    """The inputs by name; weights of rows are the first column of ``y``."""
    others = {"t": t, "r": y.detach()[..., :1].requires_grad_(), "y": y}
    return {"x": x, other_of(compute): others[other_of(compute)]}


def op(compute: str) -> OpSpec:
    other = other_of(compute)
    shapes = ("x=[..., C]", "y=[..., C]" if other == "y" else f"{other}=[..., 1]")
    dtypes = ("t=int64",) if other == "t" else ()
    return spec_from_options("Example", ["x", other], compute=compute, shapes=shapes, dtypes=dtypes).ops[0]


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3)], ids=str)
@pytest.mark.parametrize("compute", WANTED)
def test_values_and_gradients(compute: str, leading: tuple[int, ...]) -> None:
    """Values in halves are equal often, so that several elements share the gradient of an extreme."""
    made, length = op(compute), 7
    graph = build_graph(made)
    assert made.outputs[0].dims == ()
    generator = torch.Generator().manual_seed(5)
    x = ((torch.randn((*leading, length), generator=generator, dtype=torch.float64) * 2).round() / 2).requires_grad_()
    y = ((torch.randn((*leading, length), generator=generator, dtype=torch.float64) * 2).round() / 2).requires_grad_()
    t = torch.randint(0, length, (*leading, 1), generator=generator)
    given = given_of(compute, x, y, t)
    wanted = WANTED[compute](*given.values())
    found = evaluate(graph, given, {}, {"v": torch.float64})["v"]
    assert found.shape == ()
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-13, equal_nan=True)
    derived = gradients(made, graph)
    assert derived is not None
    values = {**given, "grad_v": torch.tensor(1.5, dtype=torch.float64)}
    made_gradients = evaluate(derived, {name: values[name].detach() for name in derived.inputs}, {})
    for name, gradient in made_gradients.items():
        tensor = given[name.removeprefix("grad_")]
        autograd = torch.autograd.grad(wanted, tensor, values["grad_v"], retain_graph=True)[0]
        torch.testing.assert_close(gradient.expand(tensor.shape), autograd, rtol=1e-11, atol=1e-13, equal_nan=True)


@pytest.mark.parametrize("compute", WANTED)
def test_parts_of_the_backward(compute: str) -> None:
    """What ATen computes of all rows, and then the kernel of the gradients, give what autograd gives."""
    made = op(compute)
    backward = backward_of(made, build_graph(made))
    assert backward is not None
    generator = torch.Generator().manual_seed(9)
    x, y = (torch.randn(5, 7, generator=generator, dtype=torch.float64).requires_grad_() for _ in range(2))
    t = torch.randint(0, 7, (5, 1), generator=generator)
    given = given_of(compute, x, y, t)
    values = {name: tensor.detach() for name, tensor in given.items()}
    values["grad_v"] = torch.tensor(1.5, dtype=torch.float64)
    for graph in (backward.totals, backward.graph):
        if graph is not None:
            values |= evaluate(graph, {name: values[name] for name in graph.inputs}, {})
    wanted = WANTED[compute](*given.values())
    for name, source in backward.gradients.items():
        autograd = torch.autograd.grad(wanted, given[name], values["grad_v"], retain_graph=True)[0]
        torch.testing.assert_close(values[source].expand(given[name].shape), autograd, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_rows_that_do_not_count(reduction: str) -> None:
    """They are no part of the mean's divisor, whatever their elements are; of none, a mean is NaN as in torch."""
    compute = f'v = cross_entropy(x, t, reduction="{reduction}")'
    made = spec_from_options(
        "Loss", ["x", "t"], compute=compute, shapes=("x=[..., C]", "t=[..., 1]"), dtypes=("t=int64",)
    ).ops[0]
    graph = build_graph(made)
    x = torch.randn(4, 5, dtype=torch.float64)
    x[1] = float("inf")
    for classes in ([1, -100, 4, -100], [-100] * 4):
        t = torch.tensor(classes)
        found = evaluate(graph, {"x": x, "t": t[:, None]}, {}, {"v": torch.float64})["v"]
        torch.testing.assert_close(found, functional.cross_entropy(x, t, reduction=reduction), equal_nan=True)


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3)], ids=str)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_targets_without_the_dimension_of_a_row(reduction: str, leading: tuple[int, ...]) -> None:
    """As torch's users give them. The kernel of the gradients takes them with the dimension, which the caller adds."""
    compute = f'v = cross_entropy(x, t, ignore_index=2, reduction="{reduction}")'
    made = spec_from_options(
        "Loss", ["x", "t"], compute=compute, shapes=("x=[..., C]", "t=[...]"), dtypes=("t=int64",)
    ).ops[0]
    assert made.outputs[0].dims == (("...",) if reduction == "none" else ())
    graph, backward = build_graph(made), backward_of(made, build_graph(made))
    assert backward is not None
    generator = torch.Generator().manual_seed(5)
    x = torch.randn((*leading, 7), generator=generator, dtype=torch.float64).requires_grad_()
    t = torch.randint(0, 7, leading, generator=generator)
    wanted = loss(functional.cross_entropy, ignore_index=2, reduction=reduction)(x, t)
    wanted = wanted.reshape(leading) if reduction == "none" else wanted
    found = evaluate(graph, {"x": x, "t": t}, {}, {"v": torch.float64})["v"]
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-13)
    grad = torch.full_like(wanted, 1.5)
    of_rows = grad.unsqueeze(-1) if reduction == "none" else grad
    values = {"x": x.detach(), "t": t.unsqueeze(-1), "grad_v": of_rows}
    for part in (backward.totals, backward.graph):
        if part is not None:
            values |= evaluate(part, {name: values[name] for name in part.inputs}, {})
    (autograd,) = torch.autograd.grad(wanted, x, grad)
    torch.testing.assert_close(values["grad_x"], autograd, rtol=1e-11, atol=1e-13)
