"""Operators in models that compute what they compute: found, with the same results, and with the model's parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

import {{ package }}
{% for text in imports %}
{{ text }}
{% endfor %}

NUMBERS: dict[type, tuple[float, ...]] = {float: (0.3, 0.7, 1.3, 1.7), int: (5, 7, 11, 13)}


class Model(nn.Module):
    """Calls a function with a tensor that is given, parameters, and numbers.

    Matrices may be kept as nn.Linear keeps its weight, transposed.
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
        held = [getattr(self, f"held_{place}") for place in range(len(self.turned))]
        rest = [value.t() if turned else value for value, turned in zip(held, self.turned, strict=True)]
        return self.function(x, *rest, **self.numbers)


class Calls(TorchDispatchMode):
    """The calls of this package's operators."""

    def __init__(self) -> None:
        super().__init__()
        self.overloads: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "{{ package }}":
            self.overloads.append(func)
        return func(*args, **(kwargs or {}))


FUSION, FUSE = {{ package }}._opforge._fusion, {{ package }}.fuse  # here: locals may be called as the package is
FUSIBLE = {function.__name__: fusible for fusible, function in FUSION.FUSIBLE.items() if fusible.patterns}
CASES: list[tuple[Operator, list[Tensor]]] = []
{% for text in cases %}
{{ text }}
{% endfor %}


@pytest.mark.parametrize("transposed", [False, True], ids=["as it is", "transposed"])
@pytest.mark.parametrize(("op", "values"), CASES, ids=identify)
def test_expressions(op: Operator, values: list[Tensor], *, transposed: bool) -> None:
    fusible = FUSIBLE[op.name]
    kinds: dict[type, int] = {}
    numbers: dict[str, float] = {}
    for name, kind in fusible.attrs.items():
        place = kinds[kind] = kinds.get(kind, -1) + 1
        numbers[name] = NUMBERS[kind][place % 4] + (place // 4 * 20)
    x, *rest = values
    x = x.npu()
    for missing in ((), fusible.optional):
        held = [None if name in missing else value for name, value in zip(list(op.inputs)[1:], rest, strict=True)]
        model = Model(fusible.native, held, {**fusible.fixed, **numbers}, transposed=transposed).npu()
        fused, count = FUSE(model)
        assert count == 1
        with Calls() as calls:
            results = as_tuple(fused(x))
        assert len(calls.overloads) == 1
        expected = as_tuple(op.function(x, *on("npu", held), **fusible.fixed, **numbers))
        # Another operator of this package may have the same expression, or a part of it whose tensors fit for sure.
        tolerance = 0 if calls.overloads == [op.overload] else 1e-2
        torch.testing.assert_close(results, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
        assert FUSE(fused)[1] == 0
        assert list(fused.state_dict()) == list(model.state_dict())
        for one, other in zip(fused.buffers(), model.buffers(), strict=True):
            assert one is other
