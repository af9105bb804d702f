"""Lowers operators on int32 tiles for which the instructions of float32 do not exist, or have no such type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.operators import MODES
from opforge.plan.steps import Emitter, Value
from opforge.plan.vector_model import ScalarOperand

if TYPE_CHECKING:
    from collections.abc import Callable

    from opforge.plan.operators import Operand


def _whole(value: float) -> ScalarOperand:
    return ScalarOperand(value=value, dtype="int32")


def _abs(low: Emitter, x: Value) -> Value:
    """The larger one of x and -x: the least integer has no other sign, and stays."""
    return low.emit("Max", low.emit("Muls", x, scalar=_whole(-1)), x)


def _sign(low: Emitter, x: Value) -> Value:
    return low.emit("Mins", low.emit("Maxs", x, scalar=_whole(-1)), scalar=_whole(1))


WHOLE_UNARY: dict[str, Callable[[Emitter, Value], Value]] = {
    "abs": _abs,
    "sign": _sign,
    "relu": lambda low, x: low.emit("Maxs", x, scalar=_whole(0)),
}


def comparison_of_integers(low: Emitter, op: str, a: Operand, b: Operand) -> Value:
    """The mask of ``a op b``, by a function of integer_math.h: of int32_t, Compare tells only whether it is equal."""
    return low.emit("CompareIntegers", _tile(low, a), _tile(low, b), mode=MODES[op], work=(1, 0))


def where_of_integers(low: Emitter, mask: Value, chosen: Operand, other: Operand) -> Value:
    """``chosen`` where the mask is set, else ``other``."""
    return low.emit("SelectIntegers", mask, _tile(low, chosen), _tile(low, other))


def _tile(low: Emitter, operand: Operand) -> Value:
    return operand if isinstance(operand, Value) else low.filled(operand)
