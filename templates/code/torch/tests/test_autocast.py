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

{% if elementwise %}
from op_cases import {{ op_cases }}
{% endif %}
from operators import {{ operators }}
from precision import {{ inputs }}
{% if products %}
from product_cases import PRODUCTS, ProductCase
{% endif %}

DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])
NARROW = (torch.float16, torch.bfloat16)
{% if derivatives %}
SAMPLES: list[tuple[Operator, list[Tensor]]] = []
{% if elementwise %}
SAMPLES += [(op, random_inputs(op, -1, (5, 3))) for op in OPS if op.differentiable and not op.written]
{% endif %}
{% if products %}
SAMPLES += [(op, product_inputs(op, -1, ((5,), 7, 3))) for op in PRODUCTS if op.differentiable]
{% endif %}
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
{% if promotes %}


@DEVICES
@pytest.mark.parametrize("op", [op for op in OPS if not op.written and len(op.floating(0)) > 1], ids=identify)
def test_dtypes_that_differ_go_to_the_widest(op: OpCase, device: str) -> None:
    first, *_ = op.floating(0)
    for column, dtypes in enumerate(op.columns):
        if {dtype for dtype in dtypes if dtype.is_floating_point} != {torch.float32}:
            continue
        for narrow in narrow_on(device):
            wide = on(device, random_inputs(op, column, (5, 3)))
            mixed = [value.to(narrow) if place == first else value for place, value in enumerate(wide)]
            with torch.autocast(device, dtype=narrow):
                actual = op(*mixed)
            supported = tuple(value.dtype for value in mixed) in op.columns
            wide[first] = mixed[first].float()
            assert_same(actual, op(*(mixed if supported else wide)))
{% endif %}
{% if products %}


FLOAT32 = [op for op in PRODUCTS if (torch.float32,) * len(op.inputs) in op.columns]


@DEVICES
@pytest.mark.parametrize("op", FLOAT32, ids=identify)
def test_the_innermost_region_counts(op: ProductCase, device: str) -> None:
    values = on(device, [value.float() for value in product_inputs(op, -1, ((5,), 7, 3))])
    if len(narrow_on(device)) == 1:
        pytest.skip("regions of one dtype")
    for outer, inner in (NARROW, NARROW[::-1]):
        with torch.autocast(device, dtype=outer):
            with torch.autocast(device, dtype=inner):
                in_inner = op(*values)
            with torch.autocast(device, enabled=False):
                in_none = op(*values)
            in_outer = op(*values)
        assert_same(in_none, op(*values))
        for actual, dtype in ((in_inner, inner), (in_outer, outer)):
            used = dtype if (dtype,) * len(op.inputs) in op.columns else torch.float32
            assert_same(actual, op(*(value.to(used) for value in values)))
{% endif %}
