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


# Functions of integer_math.h, and the float32 tiles that they need as work space. The vector unit divides only floats.
DIVISIONS = {
    "floor_divide": ("FloorDivideIntegers", 4),
    "remainder": ("RemainderIntegers", 3),
    "fmod": ("FmodIntegers", 4),
}


def _divided(name: str, tiles: int) -> Callable[[Emitter, Operand, Operand], Value]:
    return lambda low, a, b: low.emit(name, _tile(low, a), _tile(low, b), work=(tiles, 0))


WHOLE_OPERATORS: dict[str, Callable[..., Value]] = {
    "abs": _abs,
    "sign": _sign,
    "relu": lambda low, x: low.emit("Maxs", x, scalar=_whole(0)),
    **{op: _divided(*how) for op, how in DIVISIONS.items()},
    "bitwise_and": lambda low, a, b: low.emit("AndIntegers", _tile(low, a), _tile(low, b)),
    "bitwise_or": lambda low, a, b: low.emit("OrIntegers", _tile(low, a), _tile(low, b)),
    "bitwise_xor": lambda low, a, b: low.emit("XorIntegers", _tile(low, a), _tile(low, b), work=(1, 0)),
    "bitwise_not": lambda low, x: low.emit("NotIntegers", x),
    "bitwise_left_shift": lambda low, x, bits: low.emit("ShiftLeftIntegers", x, scalar=bits),
    "bitwise_right_shift": lambda low, x, bits: low.emit("ShiftRight", x, scalar=bits),
}


def comparison_of_integers(low: Emitter, op: str, a: Operand, b: Operand) -> Value:
    """The mask of ``a op b``, by a function of integer_math.h: of int32_t, Compare tells only whether it is equal."""
    return low.emit("CompareIntegers", _tile(low, a), _tile(low, b), mode=MODES[op], work=(1, 0))


def where_of_integers(low: Emitter, mask: Value, chosen: Operand, other: Operand) -> Value:
    """``chosen`` where the mask is set, else ``other``."""
    return low.emit("SelectIntegers", mask, _tile(low, chosen), _tile(low, other))


def _tile(low: Emitter, operand: Operand) -> Value:
    return operand if isinstance(operand, Value) else low.filled(operand)
