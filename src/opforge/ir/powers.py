"""Lowers powers: small integer and half exponents to products and roots, others to the operator ``pow``."""

from __future__ import annotations

from opforge.ir.builder import ConstantError, GraphBuilder

MOST_PRODUCTS = 8  # the largest exponent lowered to products; the error is at most 4 ulp of float32


def power(builder: GraphBuilder, base: int, exponent: int) -> int:
    """The node of ``base ** exponent``.

    A negative integer exponent becomes a power of the reciprocal, whose gradient at 0 is infinite, as in torch;
    ``** 0.5`` becomes a root, ``** -0.5`` its reciprocal. ``pow`` follows IEEE 754, like torch.pow.

    Raises:
        ConstantError: the exponent is a tensor and the base a number that is not positive, so there is no gradient.
    """
    number = builder.nodes[exponent].value
    if number is None:
        constant = builder.nodes[base].value
        if constant is not None and constant <= 0 and not builder.nodes[exponent].scalar:
            what = "the base of a power with a tensor exponent must be positive"
            raise ConstantError(what, "for example `2 ** x`")
        return builder.apply("pow", base, exponent)
    if builder.nodes[base].op == "const":
        return builder.apply("pow", base, exponent)
    if abs(number) == 0.5:
        return builder.apply("sqrt" if number > 0 else "rsqrt", base)
    if not number.is_integer() or abs(number) > MOST_PRODUCTS:
        return builder.apply("pow", base, exponent)
    if number == 0:
        return builder.const(1.0)
    factor = base if number > 0 else builder.apply("reciprocal", base)
    return _product(builder, factor, round(abs(number)))


def _product(builder: GraphBuilder, factor: int, count: int) -> int:
    """``factor`` to the power of ``count``, by squares."""
    if count == 1:
        return factor
    half = _product(builder, factor, count // 2)
    square = builder.apply("mul", half, half)
    return builder.apply("mul", square, factor) if count % 2 else square
