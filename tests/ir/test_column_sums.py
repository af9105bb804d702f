"""Which gradients of weights the kernel of the gradients sums over the rows, and their values against autograd's."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from opforge.ir.backward import Backward, backward_of  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph_printer import print_formulas, print_graph  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
NORM = "y = layer_norm(x, w, b)"
SHAPES = {"x": "x=[..., H]", "w": "w=[H]", "b": "b=[H]"}


def backward(compute: str, **shapes: str) -> Backward:
    given = {**SHAPES, **{name: f"{name}={shape}" for name, shape in shapes.items()}}
    used = [name for name in given if name in compute.replace("max", "")]
    op = spec_from_options("Example", used, compute=compute, shapes=tuple(given[name] for name in used)).ops[0]
    found = backward_of(op, build_graph(op))
    assert found is not None
    return found


def summed(found: Backward) -> set[str]:
    return set() if found.graph is None else {output.name for output in found.graph.sums}


@pytest.mark.parametrize("leading", [(), (1,), (5,), (2, 3), (0,)], ids=str)
def test_values(leading: tuple[int, ...]) -> None:
    found = backward(NORM)
    assert found.kernel is not None
    assert found.graph is not None
    generator = torch.Generator().manual_seed(7)
    x, w, b, up = (
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((*leading, 7), (7,), (7,), (*leading, 7))
    )
    wanted = torch.autograd.grad(functional.layer_norm(x, (7,), w, b), (x, w, b), up)
    made = evaluate(found.graph, {"grad_y": up, "x": x, "w": w}, {})
    assert found.gradients == {"x": "grad_x", "w": "grad_w", "b": "grad_b"}
    assert [tensor.dims for tensor in found.kernel.outputs] == [("...", "H"), ("H",), ("H",)]
    for name, gradient in zip(("grad_x", "grad_w", "grad_b"), wanted, strict=True):
        torch.testing.assert_close(made[name], gradient, rtol=1e-10, atol=1e-12)


def test_sums_round_once() -> None:
    """They are float32 until the last row has been added."""
    found = backward("y = softmax(x, -1) + b")
    assert found.graph is not None
    up = torch.full((4099, 3), 1.0, dtype=torch.float16)
    made = evaluate(found.graph, {"grad_y": up, "x": torch.zeros(4099, 3, dtype=torch.float16)}, {})
    assert made["grad_b"].tolist() == [torch.tensor(4099.0).half()] * 3


def test_a_sum_is_named_as_such() -> None:
    found = backward(NORM)
    assert found.graph is not None
    assert print_formulas(found.graph).splitlines()[-1] == "grad_b = sum_to(grad_y, b.shape)"
    assert ", grad_b = sum over rows of %" in print_graph(found.graph)


def test_equal_gradients_are_summed_once() -> None:
    found = backward("y = softmax(x, -1) + w + b")
    assert found.gradients["w"] == found.gradients["b"] == "grad_w"
    assert summed(found) == {"grad_w"}


@pytest.mark.parametrize(
    ("compute", "shapes"),
    [
        ("y = x * w + b", {}),  # elementwise
        ("y = sum(x * w, -1)", {}),  # the gradients are
        ("y = layer_norm(x @ m, w, b)", {"m": "[K, H]", "x": "[..., K]"}),  # of products
        ("y = softmax(x + w, 0)", {"x": "[N, H]"}),  # rows of another dimension
        ("y = softmax(x * w, -1)", {"w": "[..., 1]"}),  # a weight for each row
        ("y = softmax(x * w, -1)", {"w": "[1]"}),  # one number
    ],
)
def test_what_is_left_to_aten(compute: str, shapes: dict[str, str]) -> None:
    assert not summed(backward(compute, **shapes))
