"""Lowers each operator of the kernel IR to vector instructions.

Reciprocals and roots use ``Div`` and ``Sqrt``: the Ascend C documentation's pages of ``Reciprocal`` and ``Rsqrt`` say
that these are too inaccurate for float32, and recommend the former. Division by a number whose reciprocal is exact
becomes a multiplication.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from opforge.errors import InternalError
from opforge.ir.builder import GELU_CUBE, GELU_SLOPE
from opforge.plan.curves import CURVES, EXPM1, atan2
from opforge.plan.steps import Emitter, Value, literal
from opforge.plan.vector_model import ScalarOperand

if TYPE_CHECKING:
    from collections.abc import Callable

Operand: TypeAlias = Value | ScalarOperand

_TENSOR_TENSOR = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "min": "Min", "max": "Max"}
_TENSOR_SCALAR = {"add": "Adds", "mul": "Muls", "min": "Mins", "max": "Maxs", "leaky_relu": "LeakyRelu"}
MODES = {"ge": "GE", "gt": "GT", "le": "LE", "lt": "LT", "eq": "EQ", "ne": "NE"}
_MIRRORED = {"GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT", "EQ": "EQ", "NE": "NE"}

# The float32 tiles and masks that the functions of vector_math.h need as work space.
_WORK = {
    **dict.fromkeys(("Tanh", "Erf", "Log1p", "Log2"), (3, 1)),
    "Expm1": EXPM1,
    **dict.fromkeys(("Gelu", "Sin", "Cos"), (3, 0)),
    "Exp2": (2, 0),
    "Power": (3, 2),
    "Fmod": (6, 1),
}


def _minus_one(x: Value) -> ScalarOperand:
    return ScalarOperand(value=-1.0, dtype=x.dtype)


def _function(name: str) -> Callable[[Emitter, Value], Value]:
    """A call of a function of vector_math.h."""
    return lambda low, x: low.emit(name, x, work=_WORK[name])


def _rounded(mode: str) -> Callable[[Emitter, Value], Value]:
    """A float rounded to an integer that stays a float; large values and infinities do not change."""
    return lambda low, x: low.emit("Cast", x, mode=mode)


def _sigmoid_divisor(low: Emitter, x: Value) -> Value:
    """1 + exp(-x): infinite for very negative x, so that the quotient becomes 0."""
    negated = low.emit("Muls", x, scalar=literal(-1.0))
    return low.emit("Adds", low.emit("Exp", negated), scalar=literal(1.0))


def _reciprocal(low: Emitter, x: Value) -> Value:
    return low.emit("Div", low.filled(literal(1.0)), x)


def _sign(low: Emitter, x: Value) -> Value:
    above = low.number(low.emit("CompareScalar", x, scalar=literal(0.0), mode="GT"))
    below = low.number(low.emit("CompareScalar", x, scalar=literal(0.0), mode="LT"))
    return low.emit("Sub", above, below)


def _logit(low: Emitter, x: Value) -> Value:
    rest = low.emit("Adds", low.emit("Muls", x, scalar=literal(-1.0)), scalar=literal(1.0))
    return low.emit("Ln", low.emit("Div", x, rest))


def _gelu_tanh(low: Emitter, x: Value) -> Value:
    """Computed as x / (1 + exp(-2u)), with 2u = x * (SLOPE + SLOPE * CUBE * x^2)."""
    square = low.emit("Mul", x, x)
    curved = low.emit("Muls", square, scalar=literal(-GELU_SLOPE * GELU_CUBE))
    exponent = low.emit("Mul", low.emit("Adds", curved, scalar=literal(-GELU_SLOPE)), x)
    return low.emit("Div", x, low.emit("Adds", low.emit("Exp", exponent), scalar=literal(1.0)))


# Every unary operator of the IR.
UNARY: dict[str, Callable[[Emitter, Value], Value]] = {
    "neg": lambda low, x: low.emit("Muls", x, scalar=_minus_one(x)),
    "abs": lambda low, x: low.emit("Abs", x),
    "exp": lambda low, x: low.emit("Exp", x),
    "log": lambda low, x: low.emit("Ln", x),
    "sqrt": lambda low, x: low.emit("Sqrt", x),
    "rsqrt": lambda low, x: _reciprocal(low, low.emit("Sqrt", x)),
    "reciprocal": _reciprocal,
    "silu": lambda low, x: low.emit("Div", x, _sigmoid_divisor(low, x)),
    "sigmoid": lambda low, x: _reciprocal(low, _sigmoid_divisor(low, x)),
    "sign": _sign,
    "relu": lambda low, x: low.emit("Relu", x),
    "tanh": _function("Tanh"),
    "erf": _function("Erf"),
    "gelu": _function("Gelu"),
    "gelu_tanh": _gelu_tanh,
    "detach": lambda _, x: x,
    "log1p": _function("Log1p"),
    "expm1": _function("Expm1"),
    "log2": _function("Log2"),
    "exp2": _function("Exp2"),
    "sin": _function("Sin"),
    "cos": _function("Cos"),
    "floor": _rounded("CAST_FLOOR"),
    "ceil": _rounded("CAST_CEIL"),
    "trunc": _rounded("CAST_TRUNC"),
    "round": _rounded("CAST_RINT"),
    "logit": _logit,
    **CURVES,
}


def comparison(low: Emitter, op: str, a: Operand, b: Operand) -> Value:
    """The mask of ``a op b``; at least one is a tensor."""
    match a, b:
        case Value(), Value():
            return low.emit("Compare", a, b, mode=MODES[op])
        case Value(), ScalarOperand():
            return low.emit("CompareScalar", a, scalar=b, mode=MODES[op])
        case ScalarOperand(), Value():
            return low.emit("CompareScalar", b, scalar=a, mode=_MIRRORED[MODES[op]])
    raise InternalError(f"{op} of two scalars is op_host's to compute")


def binary(low: Emitter, op: str, a: Operand, b: Operand) -> Value:
    """``a op b`` for arithmetic operators; at least one is a tensor."""
    match a, b:
        case Value(), Value():
            return _tensors(low, op, a, b)
        case Value(), ScalarOperand():
            return _tensor_scalar(low, op, a, b)
        case ScalarOperand(), Value():
            return _scalar_tensor(low, op, a, b)
    raise InternalError(f"{op} of two scalars is op_host's to compute")


def where(low: Emitter, mask: Value, chosen: Operand, other: Operand) -> Value:
    """``chosen`` where the mask is set, else ``other``. Select accepts a scalar only as the second operand."""
    return low.select(mask, chosen if isinstance(chosen, Value) else low.filled(chosen), other)


def _tensors(low: Emitter, op: str, a: Value, b: Value) -> Value:
    if op == "leaky_relu":
        return _leaky_relu(low, a, b)
    if op == "atan2":
        return atan2(low, a, b)
    if op == "pow":
        return low.emit("Power", a, b, work=_WORK["Power"])
    if op == "fmod":
        return low.emit("Fmod", a, b, work=_WORK["Fmod"])
    return low.emit(_TENSOR_TENSOR[op], a, b)


def _tensor_scalar(low: Emitter, op: str, x: Value, scalar: ScalarOperand) -> Value:
    if op == "sub":
        return low.emit("Adds", x, scalar=_negative(scalar))
    if op == "div":
        reciprocal = _exact_reciprocal(scalar)
        if reciprocal is not None:
            return low.emit("Muls", x, scalar=literal(reciprocal))
        return low.emit("Div", x, low.filled(scalar))
    if op in ("pow", "atan2", "fmod"):
        return _tensors(low, op, x, low.filled(scalar))
    return low.emit(_TENSOR_SCALAR[op], x, scalar=scalar)


def _scalar_tensor(low: Emitter, op: str, scalar: ScalarOperand, x: Value) -> Value:
    if op == "sub":  # s - x == (-x) + s, exactly
        return low.emit("Adds", low.emit("Muls", x, scalar=_minus_one(x)), scalar=scalar)
    if op in ("div", "pow", "atan2", "fmod", "leaky_relu"):
        return _tensors(low, op, low.filled(scalar), x)
    return low.emit(_TENSOR_SCALAR[op], x, scalar=scalar)


def _leaky_relu(low: Emitter, x: Value, slope: Value) -> Value:
    """max(x, 0) + slope * min(x, 0), for a finite slope: one of the terms is zero."""
    above = low.emit("Maxs", x, scalar=literal(0.0))
    return low.emit("Add", above, low.emit("Mul", low.emit("Mins", x, scalar=literal(0.0)), slope))


def _negative(scalar: ScalarOperand) -> ScalarOperand:
    if scalar.value is not None:
        return ScalarOperand(value=-scalar.value, dtype=scalar.dtype)
    return ScalarOperand(name=scalar.name, negated=not scalar.negated, dtype=scalar.dtype)


def _exact_reciprocal(scalar: ScalarOperand) -> float | None:
    """1/value if it is exact and a normal float32, that is, for powers of two; otherwise None."""
    if scalar.value is None or scalar.value == 0:
        return None
    mantissa, exponent = math.frexp(scalar.value)
    return 1.0 / scalar.value if abs(mantissa) == 0.5 and -124 < exponent < 126 else None
