"""Checks of opforge.testing find what is wrong with an operator: those that run without a simulated device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from opforge.testing.checks.op_case import OpCase

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def right() -> Iterator[OpCase]:
    """An operator that adds, checks its arguments, and has a derivative and a rule for autocast."""
    import torch

    from opforge.testing.checks.op_case import OpCase

    library = torch.library.Library("planted", "DEF")
    library.define("add(Tensor x, Tensor y) -> Tensor")
    library.impl("add", lambda x, y: x + y, "CompositeImplicitAutograd")

    def add(x: Any, y: Any, **more: Any) -> Any:
        for name, value in {"x": x, "y": y, **more}.items():
            if name not in ("x", "y"):
                raise TypeError(f"add() got an unexpected argument {name}")
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"add: {name} must be a Tensor, but it is {value}")
            if value.dim() > 8:
                raise ValueError(f"add: {name} has {value.dim()} dimensions; at most 8 are supported")
        if torch.is_autocast_enabled("cpu"):
            x, y = x.float(), y.float()
        return torch.ops.planted.add(x, y)

    add.__module__ = "planted"
    columns = ((torch.float32, torch.float32), (torch.float16, torch.float16))
    yield OpCase(function=add, reference=torch.add, inputs=("x", "y"), columns=columns, tiles=(8, 8))
    del library  # until here it is registered


def named(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__, function.__module__ = "add", "planted"
    return function


def test_wrong_calls_are_those_that_make_sense(right: OpCase) -> None:
    from opforge.testing.checks.refusals import wrong_calls

    made = [(call.__name__, device) for _, call, device in wrong_calls([right])]
    assert len(made) == 13
    assert ("sizes_that_must_be_equal", "cpu") not in made  # it has no named dimensions
    assert ("a_result_that_does_not_fit_where_it_is_written", "cpu") not in made
    alone = replace(right, inputs=("x",), columns=tuple(column[:1] for column in right.columns))
    assert "shapes_that_do_not_broadcast" not in {call.__name__ for _, call, _ in wrong_calls([alone])}


def test_a_missing_check_is_found(right: OpCase) -> None:
    from opforge.testing.checks.elementwise_refusals import too_many_dimensions

    too_many_dimensions(right, "cpu")
    unchecked = replace(right, function=named(lambda x, y: x + y))
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        too_many_dimensions(unchecked, "cpu")


def test_a_wrong_rule_of_autocast_is_found(right: OpCase) -> None:
    import torch

    right.check_region("cpu")
    narrow = replace(right, function=named(lambda x, y: (x + y).half() if torch.is_autocast_enabled("cpu") else x + y))
    with pytest.raises(AssertionError, match="dtype"):
        narrow.check_region("cpu")
    assert right(torch.ones(1), torch.ones(1))[0].dtype == torch.float32


def test_a_wrong_derivative_is_found(right: OpCase) -> None:
    from opforge.testing.checks.elementwise_gradients import check_formulas

    check_formulas(right, (2, 3), (3,))
    wrong = replace(right, function=named(lambda x, y: x + y.detach() * 1.0))
    with pytest.raises(RuntimeError, match=r"Jacobian mismatch|does not require"):
        check_formulas(wrong, (2, 3), (3,))


def test_another_reference_of_the_author_is_found(right: OpCase) -> None:
    import torch

    from opforge.testing.checks import authored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(authored, "on", lambda _, values: values)
        authored.check_against_author(replace(right, by_author=torch.add), 0)
        with pytest.raises(AssertionError, match=r"add's output 0 by its expression .* elements are off"):
            authored.check_against_author(replace(right, by_author=torch.sub), 0)
        broken = replace(right, function=named(lambda x, y: x - y), by_author=torch.add)
        with pytest.raises(AssertionError, match=r"add's output 0 by its kernel .* elements are off"):
            authored.check_against_author(broken, 0)


def test_gradients_are_named_by_their_inputs() -> None:
    import torch

    from opforge.testing.checks.by_hand import _floating

    x, several = torch.ones(2), [torch.ones(1), torch.ones(3)]
    named = _floating({"x": x, "index": torch.ones(2, dtype=torch.int32), "parts": several, "eps": 0.5, "bias": None})
    assert list(named) == ["x", "parts[0]", "parts[1]"]
    assert all(mine is given for mine, given in zip(named.values(), [x, *several], strict=True))


def test_a_gradient_may_be_none_where_it_is_zero(right: OpCase, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from opforge.testing.checks.elementwise_gradients import check_gradients

    class Flat(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:  # noqa: ARG004
            return x.ceil()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:  # noqa: ARG004
            return None

    def flat_of(x: Any) -> Any:
        return Flat.apply(x)

    library = torch.library.Library("planted_flat", "DEF")
    library.define("flat(Tensor x) -> Tensor")
    flat_of.__name__, flat_of.__module__ = "flat", "planted_flat"
    monkeypatch.setattr(torch.Tensor, "npu", torch.Tensor.clone, raising=False)
    columns = tuple(column[:1] for column in right.columns)
    flat = replace(right, function=flat_of, reference=torch.ceil, inputs=("x",), columns=columns)
    check_gradients(flat, [torch.randn(5)])
    with pytest.raises(AssertionError, match="the gradient of x is None, that of the golden is not 0"):
        check_gradients(replace(flat, reference=torch.sin), [torch.randn(5)])
    del library


def test_opcheck_takes_integers_before_floats() -> None:
    """torch's opcheck adds all results to the first one."""
    import torch

    from opforge.testing.checks.op_case import OpCase
    from opforge.testing.checks.registration import check_opcheck

    library = torch.library.Library("planted_signs", "DEF")
    library.define("split(Tensor x) -> (Tensor, Tensor)")

    def split(x: Any) -> Any:
        return x.sign().to(torch.int8), x.abs()

    library.impl("split", split, "CompositeImplicitAutograd")

    def function(x: Any) -> Any:
        return torch.ops.planted_signs.split(x)

    function.__name__, function.__module__ = "split", "planted_signs"
    op = OpCase(function=function, reference=split, inputs=("x",), columns=((torch.float16,),), tiles=(8,))
    check_opcheck(op, 0, "cpu")
    del library
