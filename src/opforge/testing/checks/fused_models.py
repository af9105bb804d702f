"""Models that compute the same as an operator: fuse finds the expression, and keeps results and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.checks.tested_operator import ExpressedOperator

NUMBERS: dict[type, tuple[float, ...]] = {float: (0.3, 0.7, 1.3, 1.7), int: (5, 7, 11, 13)}


class Model(nn.Module):  # type: ignore[misc]
    """Calls a function with a given tensor, parameters, and numbers.

    Matrices may be stored transposed, like the weight of nn.Linear.
    """

    def __init__(
        self, function: Callable[..., Any], rest: list[Tensor | None], numbers: dict[str, float], *, transposed: bool
    ) -> None:
        super().__init__()
        self.function, self.numbers = function, numbers
        self.turned = [transposed and value is not None and value.dim() == 2 for value in rest]
        for place, value in enumerate(rest):
            kept = value.t().contiguous() if value is not None and self.turned[place] else value
            self.register_buffer(f"held_{place}", kept)

    def forward(self, x: Tensor) -> Any:
        """The results of the function."""
        held = [getattr(self, f"held_{place}") for place in range(len(self.turned))]
        rest = [value.t() if turned else value for value, turned in zip(held, self.turned, strict=True)]
        return self.function(x, *rest, **self.numbers)


class Calls(TorchDispatchMode):  # type: ignore[misc]
    """Records the calls of one package's operators."""

    def __init__(self, package: str) -> None:
        super().__init__()
        self.package = package
        self.overloads: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == self.package:
            self.overloads.append(func)
        return func(*args, **(kwargs or {}))


def by_name(fusible: Mapping[Any, Callable[..., Any]]) -> dict[str, Any]:
    """The patterns of fuse by operator name."""
    return {function.__name__: known for known, function in fusible.items() if known.patterns}


def check_fused(package: ModuleType, known: Any, op: ExpressedOperator, *, transposed: bool) -> None:
    """One operator replaces the expression; the model's buffers stay; a second fuse finds nothing more."""
    kinds: dict[type, int] = {}
    numbers: dict[str, float] = {}
    for name, kind in known.attrs.items():
        place = kinds[kind] = kinds.get(kind, -1) + 1
        numbers[name] = NUMBERS[kind][place % 4] + (place // 4 * 20)
    x, *rest = op.sample(0, 5)
    x = x.npu()
    for missing in ((), known.optional):
        held = [None if name in missing else value for name, value in zip(list(op.inputs)[1:], rest, strict=True)]
        model = Model(known.native, held, {**known.fixed, **numbers}, transposed=transposed).npu()
        fused, count = package.fuse(model)
        assert count == 1, f"fuse finds {count} operators in a model of {op.name}"
        with Calls(package.__name__) as calls:
            results = as_tuple(fused(x))
        assert len(calls.overloads) == 1
        expected = as_tuple(op.function(x, *on("npu", held), **known.fixed, **numbers))
        # Another operator of this package may have the same expression, or one that matches a part of it.
        tolerance = 0 if calls.overloads == [op.overload] else 1e-2
        torch.testing.assert_close(results, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
        assert package.fuse(fused)[1] == 0
        assert list(fused.state_dict()) == list(model.state_dict())
        for one, other in zip(fused.buffers(), model.buffers(), strict=True):
            assert one is other
