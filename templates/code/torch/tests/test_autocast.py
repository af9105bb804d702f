"""Regions of torch.autocast: what they do to the operators' dtypes, and that derivatives heed none."""

from __future__ import annotations

{% if derivatives %}
from collections.abc import Callable
{% endif %}
from typing import Any

import pytest
import torch
{% if derivatives %}
from torch import Tensor
{% endif %}

{% for text in imports %}
{{ text }}
{% endfor %}

DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])
NARROW = (torch.float16, torch.bfloat16)
{% if derivatives %}
SAMPLES: list[tuple[Operator, list[Tensor]]] = []
{% for text in cases %}
{{ text }}
{% endfor %}
EVERY = pytest.mark.parametrize(("op", "values"), SAMPLES, ids=identify)
{% endif %}


def narrow_on(device: str) -> list[torch.dtype]:
    """What a region can be of: torch_npu has none of bfloat16 on a SoC that lacks it."""
    return [dtype for dtype in NARROW if device == "cpu" or dtype in torch.npu.get_amp_supported_dtype()]


def assert_same(actual: Any, expected: Any) -> None:
    """All tensors are alike, bit by bit."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
{% if derivatives %}


def gradients(
    function: Callable[..., Any], arguments: tuple[Any, ...], device: str, *, forward: bool, backward: bool
) -> list[Tensor | None]:
    """Of the floating-point arguments, the passes being inside of regions or not."""
    tensors = [value for value in arguments if isinstance(value, Tensor) and value.dtype.is_floating_point]
    leaves = [tensor.requires_grad_() for tensor in tensors]
    with torch.autocast(device, dtype=torch.float16, enabled=forward):
        outputs = [output for output in as_tuple(function(*arguments)) if output.requires_grad]
    with torch.autocast(device, dtype=torch.float16, enabled=backward):
        weights = [torch.ones_like(output) for output in outputs]
        found = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
    assert all(grad is None or grad.dtype == leaf.dtype for grad, leaf in zip(found, leaves, strict=True))
    return [*found]


@DEVICES
@EVERY
def test_the_backward_pass_heeds_no_region(op: Operator, values: list[Tensor], device: str) -> None:
    arguments = op.arguments(*on(device, values))
    for forward in (False, True):
        outside, inside = (
            gradients(op.function, arguments, device, forward=forward, backward=backward) for backward in (False, True)
        )
        assert_same(inside, outside)


@EVERY
def test_compiled_in_a_region(op: Operator, values: list[Tensor]) -> None:
    torch.compiler.reset()
    compiled = torch.compile(op.function, backend="aot_eager", fullgraph=True)
    arguments = op.arguments(*on("npu", values))
    eager = gradients(op.function, arguments, "npu", forward=True, backward=False)
    assert_same(gradients(compiled, arguments, "npu", forward=True, backward=False), eager)
{% endif %}
{% for text in tests %}
{{ text }}
{% endfor %}
