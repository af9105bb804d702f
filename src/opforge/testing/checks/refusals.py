"""Wrong calls of operators. Each check fails if the operator does not refuse the call correctly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from opforge.testing.checks import elementwise_refusals, product_refusals
from opforge.testing.checks.op_case import OpCase
from opforge.testing.checks.product_case import ProductCase
from opforge.testing.checks.tested_operator import ExpressedOperator

Call = Callable[[Any, str], None]  # a check: its operator and its device

_WRONG_CALLS: Mapping[type[ExpressedOperator], Sequence[tuple[Any, ...]]] = {
    OpCase: elementwise_refusals.WRONG_CALLS,
    ProductCase: product_refusals.WRONG_CALLS,
}


def wrong_calls(ops: Iterable[ExpressedOperator]) -> list[tuple[ExpressedOperator, Call, str]]:
    """Every wrong call that applies to an operator, on each device where it is tried."""
    return [
        (op, call, device)
        for op in ops
        for call, devices, applies in _WRONG_CALLS[type(op)]
        if applies(op)
        for device in devices
    ]
