"""Arithmetic on attributes by IEEE 754: the result is infinite or NaN where Python's own operators would raise."""

from __future__ import annotations

import builtins
import math


def absolute(value: float) -> float:
    """The magnitude."""
    return abs(value)


def minimum(left: float, right: float) -> float:
    """The smaller number; NaN if one of them is NaN."""
    return math.nan if math.isnan(left) or math.isnan(right) else min(left, right)


def maximum(left: float, right: float) -> float:
    """The larger number; NaN if one of them is NaN."""
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


def divide(left: float, right: float) -> float:
    """left / right."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def fmod(left: float, right: float) -> float:
    """What is left of ``left`` after whole multiples of ``right``, with the sign of ``left``."""
    return math.nan if right == 0 or math.isinf(left) else math.fmod(left, right)


def exp(value: float) -> float:
    """e to the power of value."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def log(value: float) -> float:
    """The natural logarithm."""
    if value > 0:
        return math.log(value)
    return -math.inf if value == 0 else math.nan


def log1p(value: float) -> float:
    """The natural logarithm of 1 + value."""
    if value > -1:
        return math.log1p(value)
    return -math.inf if value == -1 else math.nan


def log2(value: float) -> float:
    """The logarithm to base 2."""
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


def expm1(value: float) -> float:
    """e to the power of value, minus 1."""
    try:
        return math.expm1(value)
    except OverflowError:
        return math.inf


def exp2(value: float) -> float:
    """2 to the power of value."""
    return power(2.0, value)


def sin(value: float) -> float:
    """The sine; NaN for an infinite angle."""
    return math.sin(value) if math.isfinite(value) else math.nan


def cos(value: float) -> float:
    """The cosine; NaN for an infinite angle."""
    return math.cos(value) if math.isfinite(value) else math.nan


def sinh(value: float) -> float:
    """The hyperbolic sine."""
    try:
        return math.sinh(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def cosh(value: float) -> float:
    """The hyperbolic cosine."""
    try:
        return math.cosh(value)
    except OverflowError:
        return math.inf


def asinh(value: float) -> float:
    """The inverse of sinh."""
    return math.asinh(value)


def acosh(value: float) -> float:
    """The inverse of cosh; NaN below 1."""
    return math.acosh(value) if value >= 1 else math.nan


def atanh(value: float) -> float:
    """The inverse of tanh; NaN beyond 1."""
    if abs(value) == 1:
        return math.copysign(math.inf, value)
    return math.atanh(value) if abs(value) < 1 else math.nan


def asin(value: float) -> float:
    """The inverse of sin; NaN beyond 1."""
    return math.asin(value) if abs(value) <= 1 else math.nan


def acos(value: float) -> float:
    """The inverse of cos; NaN beyond 1."""
    return math.acos(value) if abs(value) <= 1 else math.nan


def atan(value: float) -> float:
    """The inverse of tan."""
    return math.atan(value)


def atan2(height: float, width: float) -> float:
    """The angle of the point (width, height)."""
    return math.atan2(height, width)


def erfc(value: float) -> float:
    """1 - erf(value)."""
    return math.erfc(value)


def erfinv(value: float) -> float:
    """The inverse of erf, by Newton's method from 0, which never passes it; infinite at 1, NaN beyond."""
    size, found = abs(value), 0.0
    if not size < 1:
        return math.copysign(math.inf, value) if size == 1 else math.nan
    for _ in range(40):
        rest = size - math.erf(found) if size < 0.5 else math.erfc(found) - (1 - size)
        found += rest * math.sqrt(math.pi) / 2 * math.exp(found * found)
    return math.copysign(found, value)


def logit(value: float) -> float:
    """The logarithm of value / (1 - value)."""
    return log(divide(value, 1 - value))


def floor(value: float) -> float:
    """The largest integer that is not greater."""
    return float(math.floor(value)) if math.isfinite(value) else value


def ceil(value: float) -> float:
    """The smallest integer that is not less."""
    return float(math.ceil(value)) if math.isfinite(value) else value


def trunc(value: float) -> float:
    """The integer part."""
    return float(math.trunc(value)) if math.isfinite(value) else value


def round(value: float) -> float:
    """The nearest integer; a tie goes to the even one."""
    return float(builtins.round(value)) if math.isfinite(value) else value


def root(value: float) -> float:
    """The square root."""
    return math.nan if value < 0 else math.sqrt(value)


def power(base: float, exponent: float) -> float:
    """base to the power of exponent."""
    odd = math.isfinite(exponent) and exponent % 2 == 1
    if base == 0 and exponent < 0:
        return math.copysign(math.inf, base) if odd else math.inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        return math.nan


def tanh(value: float) -> float:
    """The hyperbolic tangent."""
    return math.tanh(value)


def erf(value: float) -> float:
    """The error function."""
    return math.erf(value)


def sigmoid(value: float) -> float:
    """1 / (1 + exp(-value))."""
    return 1.0 / (1.0 + exp(-value))


def silu(value: float) -> float:
    """value / (1 + exp(-value))."""
    return value / (1.0 + exp(-value))


def sign(value: float) -> float:
    """-1, 0 or 1; 0 for NaN, as in torch.sign."""
    return float(value > 0) - float(value < 0)


def gelu_tanh(value: float) -> float:
    """value / (1 + exp(-2 * u)), u = sqrt(2 / pi) * (value + 0.044715 * value^3): GELU in its tanh approximation."""
    return value / (1.0 + exp(-2.0 * math.sqrt(2.0 / math.pi) * (value + 0.044715 * value * value * value)))


def gelu(value: float) -> float:
    """value * (1 + erf(value / sqrt(2))) / 2; 0 below -100."""
    return maximum(value, -100.0) * 0.5 * (1.0 + math.erf(value * math.sqrt(0.5)))


def leaky_relu(value: float, slope: float) -> float:
    """value if it is positive, else value * slope."""
    return value if value > 0 else value * slope
