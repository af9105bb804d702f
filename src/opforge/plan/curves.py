"""Lowers hyperbolic functions, inverse functions and the complement of erf to vector instructions.

Each has the digits of float32 from the smallest numbers to the largest, and the sign of a zero. vector_math.h has the
coefficients of the polynomials.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.plan.steps import POLYNOMIAL, Emitter, Value, literal

if TYPE_CHECKING:
    from collections.abc import Callable

_TINY = 1e-4  # the next term of the series of an odd function vanishes in float32
_LARGE = 1e9  # 1 vanishes beside its square


def _polynomial(low: Emitter, x: Value, name: str) -> Value:
    """The polynomial with the coefficients ``k<name>`` of vector_math.h."""
    return low.emit(POLYNOMIAL, x, mode=name)


def _plus(low: Emitter, x: Value, number: float) -> Value:
    return low.emit("Adds", x, scalar=literal(number))


def _times(low: Emitter, x: Value, number: float) -> Value:
    return low.emit("Muls", x, scalar=literal(number))


def _is(low: Emitter, x: Value, mode: str, number: float) -> Value:
    """The mask of where x compares to the number."""
    return low.emit("CompareScalar", x, scalar=literal(number), mode=mode)


def _signed(low: Emitter, size: Value, x: Value) -> Value:
    """The size with the sign of x, which is not zero."""
    return low.select(_is(low, x, "LT", 0.0), _times(low, size, -1.0), size)


def _odd(low: Emitter, size: Value, x: Value, absolute: Value) -> Value:
    """An odd function that is x near 0, from its size."""
    return low.select(_is(low, absolute, "LT", _TINY), x, _signed(low, size, x))


def _half_exp(low: Emitter, absolute: Value) -> Value:
    """exp(x / 2): its square is finite where half of exp(x) is."""
    return low.emit("Exp", _times(low, absolute, 0.5))


def sinh(low: Emitter, x: Value) -> Value:
    """(e + e / (e + 1)) / 2 with e = exp(x) - 1; half of exp(x) for large x."""
    size = low.emit("Abs", x)
    near = low.emit("Expm1", low.emit("Mins", size, scalar=literal(20.0)), work=EXPM1)
    near = _times(low, low.emit("Add", near, low.emit("Div", near, _plus(low, near, 1.0))), 0.5)
    root = _half_exp(low, size)
    far = low.emit("Mul", _times(low, root, 0.5), root)
    return _odd(low, low.select(_is(low, size, "LT", 10.0), near, far), x, size)


def cosh(low: Emitter, x: Value) -> Value:
    """Half of exp(x), plus the reciprocal of twice exp(x)."""
    root = _half_exp(low, low.emit("Abs", x))
    large = low.emit("Mul", _times(low, root, 0.5), root)
    small = low.emit("Div", low.filled(literal(0.25)), large)
    return low.emit("Add", large, small)


def asinh(low: Emitter, x: Value) -> Value:
    """ln(1 + (x + x^2 / (1 + sqrt(1 + x^2)))); ln(2x) for large x."""
    size = low.emit("Abs", x)
    square = low.emit("Mul", size, size)
    root = low.emit("Sqrt", _plus(low, square, 1.0))
    rest = low.emit("Div", square, _plus(low, root, 1.0))
    near = low.emit("Log1p", low.emit("Add", size, rest), work=LOG1P)
    far = _plus(low, low.emit("Ln", size), math.log(2))
    return _odd(low, low.select(_is(low, size, "LT", _LARGE), near, far), x, size)


def acosh(low: Emitter, x: Value) -> Value:
    """ln(1 + (t + sqrt(t) * sqrt(t + 2))) with t = x - 1; ln(2x) for large x. NaN below 1, where the root is."""
    above = _plus(low, x, -1.0)
    root = low.emit("Mul", low.emit("Sqrt", above), low.emit("Sqrt", _plus(low, above, 2.0)))
    near = low.emit("Log1p", low.emit("Add", above, root), work=LOG1P)
    far = _plus(low, low.emit("Ln", x), math.log(2))
    return low.select(_is(low, x, "GT", _LARGE), far, near)


def atanh(low: Emitter, x: Value) -> Value:
    """ln(1 + 2x / (1 - x)) / 2."""
    size = low.emit("Abs", x)
    rest = _plus(low, _times(low, size, -1.0), 1.0)
    quotient = low.emit("Div", _times(low, size, 2.0), rest)
    return _odd(low, _times(low, low.emit("Log1p", quotient, work=LOG1P), 0.5), x, size)


def _small_angle(low: Emitter, x: Value) -> Value:
    """The inverse of tan up to 1."""
    square = low.emit("Mul", x, x)
    curve = low.emit("Mul", _polynomial(low, square, "Atan"), square)
    return low.emit("Add", low.emit("Mul", curve, x), x)


def atan(low: Emitter, x: Value) -> Value:
    """A polynomial up to 1, pi / 2 minus that of 1 / x from there on."""
    size = low.emit("Abs", x)
    inverse = low.emit("Div", low.filled(literal(1.0)), size)
    large = _is(low, size, "GT", 1.0)
    angle = _small_angle(low, low.select(large, inverse, size))
    turned = _plus(low, _times(low, angle, -1.0), math.pi / 2)
    return _odd(low, low.select(large, turned, angle), x, size)


def _negative(low: Emitter, x: Value, ones: Value) -> Value:
    """The mask of negative numbers and of -0, whose reciprocal is negative."""
    return _is(low, low.emit("Min", x, low.emit("Div", ones, x)), "LT", 0.0)


def atan2(low: Emitter, y: Value, x: Value) -> Value:
    """The angle of the point (x, y): that of the shorter side, reflected for the octant."""
    height, width = low.emit("Abs", y), low.emit("Abs", x)
    longer = low.emit("Max", height, width)
    slope = low.emit("Div", low.emit("Min", height, width), longer)
    ones = low.filled(literal(1.0))
    slope = low.select(low.emit("Compare", height, width, mode="EQ"), ones, slope)  # also of infinities
    slope = low.select(_is(low, longer, "NE", 0.0), slope, literal(0.0))
    angle = _small_angle(low, slope)
    turned = _plus(low, _times(low, angle, -1.0), math.pi / 2)
    angle = low.select(low.emit("Compare", height, width, mode="GT"), turned, angle)
    turned = _plus(low, _times(low, angle, -1.0), math.pi)
    angle = low.select(_negative(low, x, ones), turned, angle)
    return low.select(_negative(low, y, ones), _times(low, angle, -1.0), angle)


def _arc(low: Emitter, size: Value, large: Value) -> Value:
    """Asin of the size up to 1/2; from there on, where ``large`` is set, of sqrt((1 - size) / 2)."""
    half = _times(low, _plus(low, _times(low, size, -1.0), 1.0), 0.5)
    square = low.select(large, half, low.emit("Mul", size, size))
    root = low.select(large, low.emit("Sqrt", half), size)
    curve = _polynomial(low, square, "Asin")
    return low.emit("Add", low.emit("Mul", low.emit("Mul", curve, square), root), root)


def asin(low: Emitter, x: Value) -> Value:
    """A polynomial up to 1/2; from there on pi / 2 minus two angles of a root, which is NaN above 1."""
    size = low.emit("Abs", x)
    large = _is(low, size, "GT", 0.5)
    arc = _arc(low, size, large)
    turned = _plus(low, _times(low, arc, -2.0), math.pi / 2)
    return _odd(low, low.select(large, turned, arc), x, size)


def acos(low: Emitter, x: Value) -> Value:
    """The rest of pi / 2; from 1/2 on 2 * asin(sqrt((1 - x) / 2)), and pi minus that of -x."""
    size = low.emit("Abs", x)
    large = _is(low, size, "GT", 0.5)
    arc = _arc(low, size, large)
    turned = _times(low, arc, 2.0)
    turned = low.select(_is(low, x, "LT", 0.0), _plus(low, _times(low, turned, -1.0), math.pi), turned)
    middle = _plus(low, _times(low, _signed(low, arc, x), -1.0), math.pi / 2)
    return low.select(large, turned, middle)


def erfc(low: Emitter, x: Value) -> Value:
    """1 - erf(x) up to 1/2; from there on exp(-x^2) times a quotient. Two factors keep the digits of x^2."""
    size = low.emit("Mins", low.emit("Abs", x), scalar=literal(12.0))
    short = _plus(low, _plus(low, size, 49152.0), -49152.0)  # a multiple of 2^-8: its square is exact
    bell = low.emit("Exp", _times(low, low.emit("Mul", short, short), -1.0))
    rest = low.emit("Mul", low.emit("Sub", short, size), low.emit("Add", size, short))
    bell = low.emit("Mul", bell, low.emit("Exp", rest))
    curve = low.emit("Div", _polynomial(low, size, "ErfcUpper"), _polynomial(low, size, "ErfcLower"))
    tail = low.emit("Mul", bell, curve)
    far = low.select(_is(low, x, "LT", 0.0), _plus(low, _times(low, tail, -1.0), 2.0), tail)
    near = _plus(low, _times(low, low.emit("Erf", x, work=ERF), -1.0), 1.0)
    return low.select(_is(low, size, "LT", 0.5), near, far)


def erfinv(low: Emitter, x: Value) -> Value:
    """A polynomial in w times x, w = -ln(1 - x^2); infinite at 1, and NaN above, where the logarithm is.

    The polynomial is one of w - 2.5 up to w = 5, and of sqrt(w) - 3 from there on.
    """
    size = low.emit("Abs", x)
    rest = _plus(low, _times(low, size, -1.0), 1.0)
    log = _times(low, low.emit("Ln", low.emit("Mul", rest, _plus(low, size, 1.0))), -1.0)
    near = _polynomial(low, _plus(low, log, -2.5), "ErfinvNear")
    far = _polynomial(low, _plus(low, low.emit("Sqrt", log), -3.0), "ErfinvFar")
    result = low.emit("Mul", x, low.select(_is(low, log, "GT", 5.0), far, near))
    return low.select(_is(low, size, "NE", 1.0), result, low.emit("Div", x, rest))


LOG1P = ERF = (3, 1)
EXPM1 = (2, 1)
CURVES: dict[str, Callable[[Emitter, Value], Value]] = {
    "sinh": sinh,
    "cosh": cosh,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "erfc": erfc,
    "erfinv": erfinv,
}
