"""Goldens and inputs where PyTorch's vector instructions, or kernels of sin and cos, cannot be right."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from opforge.testing.measuring import difficult  # noqa: E402
from opforge.testing.measuring.case import Case, Input, Op  # noqa: E402
from opforge.testing.measuring.judging import BROADCAST, trials  # noqa: E402
from opforge.testing.measuring.judging import _one_by_one as one_by_one  # noqa: E402

pytestmark = pytest.mark.torch


def wave(x: Tensor) -> Tensor:
    return torch.sin(x)


def logarithm(x: Tensor) -> Tensor:
    return torch.log(x)


def loss(x: Tensor, t: Tensor) -> Tensor:
    if x.shape != t.shape:
        raise ValueError("the leading dimensions differ")
    return (x - t).square().mean()


def difference(x: Tensor, t: Tensor) -> Tensor:
    return x - t


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e4), (torch.bfloat16, 1e4), (torch.float16, 1e4)])
def test_sin_is_tried_up_to_where_it_has_digits(dtype: torch.dtype, most: float) -> None:
    assert difficult.largest(wave, dtype) == most
    assert difficult.largest(logarithm, dtype) == torch.finfo(dtype).max
    assert difficult.largest(torch.sin, dtype) == most
    assert difficult.largest(torch.asin, dtype) == torch.finfo(dtype).max


def test_what_is_nan_is_computed_alone() -> None:
    """A golden that gives NaN only for tensors of more than one element, as torch.fmod does for large quotients."""

    def golden(values: list[Tensor]) -> tuple[Tensor, ...]:
        result = torch.log(values[0])
        return (torch.where(values[0] == 2, torch.nan, result) if values[0].numel() > 1 else result,)

    def compute(function: object, values: list[Tensor]) -> list[Tensor]:
        return list(function(values))  # type: ignore[operator]

    values = [torch.tensor([[1.0, 2.0], [-1.0, torch.inf]])]
    (made,) = golden(values)
    found = one_by_one(made, 0, golden, compute, values)  # type: ignore[arg-type]
    expected = torch.tensor([[0.0, 0.6931472], [torch.nan, torch.inf]])
    torch.testing.assert_close(found, expected, equal_nan=True)


@pytest.mark.parametrize("function", [loss, difference])
def test_only_elementwise_ops_are_given_shapes_that_broadcast(function: object) -> None:
    dims = ("...",)
    op = Op(
        type="Example",
        function=function,  # type: ignore[arg-type]
        inputs={"x": Input("Tensor", dims), "t": Input("Tensor", dims)},
        columns=((torch.float32, torch.float32),),
        outputs=("y",),
        reference=function,  # type: ignore[arg-type]
    )
    shapes: list[Case] = [trial.case for trial in trials(op, 0, quick=True)]
    assert any(case.leading == BROADCAST for case in shapes) == (function is difference)
