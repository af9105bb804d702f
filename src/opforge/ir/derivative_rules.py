"""The derivative of each function of the kernel IR: from the gradient of its value, those of its operands.

Subgradients are torch's: ``sign`` for abs. In max and min, a tie between tensors gives each side half of the gradient
(torch.maximum); a tie with a number gives the tensor all of it (torch.clamp).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from opforge.ir.algebra import Algebra
from opforge.ir.builder import GELU_CUBE, GELU_SLOPE
from opforge.spec.row_meanings import first_place

# From the algebra, the gradient of a node's value, its operands and the value: a gradient per operand.
Rule: TypeAlias = Callable[[Algebra, int, Sequence[int], int], Sequence[int | None]]


def _silu(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    """Of x * s with s = sigmoid(x): s + x * s * (1 - s), which is s * (1 + (x - x * s))."""
    gate = a.apply("sigmoid", x[0])
    return [a.mul(grad, a.mul(gate, a.add(a.number(1.0), a.sub(x[0], value))))]


def _sigmoid(a: Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    return [a.mul(a.mul(grad, a.sub(a.number(1.0), value)), value)]


def _tanh(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """Of tanh(x), 4e / (1 + e)^2 with e = exp(-2 |x|): 1 - tanh(x)^2 cancels if tanh(x) is near 1."""
    shrunk = a.apply("exp", a.mul(a.apply("abs", x[0]), a.number(-2.0)))
    divisor = a.add(shrunk, a.number(1.0))
    return [a.mul(grad, a.div(a.mul(shrunk, a.number(4.0)), a.mul(divisor, divisor)))]


def _where(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
    zero = a.number(0.0)
    return [None, a.apply("where", x[0], grad, zero), a.apply("where", x[0], zero, grad)]


def _relu(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    # Not `x > 0`: if x is NaN, torch passes the gradient on.
    return [a.apply("where", a.apply("le", x[0], a.number(0.0)), a.number(0.0), grad)]


def _rsqrt(a: Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    cube = a.mul(a.mul(value, value), value)
    return [a.mul(a.mul(grad, a.number(-0.5)), cube)]


def _erf(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    slope = a.apply("exp", a.neg(a.mul(x[0], x[0])))
    return [a.mul(a.mul(grad, a.number(2 / math.sqrt(math.pi))), slope)]


def _erfc(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int | None]:
    (of_erf,) = _erf(a, grad, x, value)
    return [a.neg(of_erf)]


def _erfinv(a: Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    slope = a.apply("exp", a.mul(value, value))
    return [a.mul(a.mul(grad, a.number(math.sqrt(math.pi) / 2)), slope)]


def _logit(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """1 / (x * (1 - x)), and NaN where logit is: the root is."""
    product = a.mul(x[0], a.sub(a.number(1.0), x[0]))
    return [a.div(grad, a.add(product, a.mul(a.apply("sqrt", product), a.number(0.0))))]


def _square_plus(a: Algebra, x: int, number: float) -> int:
    return a.add(a.mul(x, x), a.number(number))


def _one_minus_square(a: Algebra, x: int) -> int:
    """1 - x^2 as a product, which keeps the digits near 1."""
    one = a.number(1.0)
    return a.mul(a.sub(one, x), a.add(x, one))


def _atan2(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    square = a.add(a.mul(x[0], x[0]), a.mul(x[1], x[1]))
    zero = a.number(0.0)
    part = a.apply("where", a.apply("eq", square, zero), zero, a.div(grad, square))  # torch's is 0 at the origin
    return [a.mul(part, x[1]), a.neg(a.mul(part, x[0]))]


_NEAR = 2.0**-60  # a smaller x^2 vanishes in float32 beside 1


def _gelu(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    """Of x * c, where c is the normal distribution function: c + x * density(x).

    c is gelu(x) / x, and one half near 0, since 1 + erf(x / sqrt(2)) cancels for negative x.
    """
    square = a.mul(x[0], x[0])
    near = a.apply("le", square, a.number(_NEAR))
    below = a.apply("where", near, a.number(0.5), a.div(value, x[0]))
    bell = a.apply("exp", a.mul(square, a.number(-0.5)))
    density = a.mul(bell, a.number(1 / math.sqrt(2 * math.pi)))
    return [a.mul(grad, a.add(below, a.mul(x[0], density)))]


def _pow(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int | None]:
    """For the base, exponent * base^(exponent - 1); for the exponent, base^exponent * log(base); 0 where torch's is."""
    base, exponent = x
    zero, scalar = a.number(0.0), [a.builder.nodes[node].scalar for node in x]
    of_base = of_exponent = None
    if not scalar[0]:
        steep = a.mul(exponent, a.apply("pow", base, a.sub(exponent, a.number(1.0))))
        of_base = a.mul(grad, steep)
        if not scalar[1]:
            of_base = a.apply("where", a.apply("eq", exponent, zero), zero, of_base)
    if not scalar[1]:
        of_exponent = a.mul(grad, a.mul(value, a.apply("log", base)))
        flat = a.apply("ge", exponent, zero)  # 0 to a nonnegative power
        if not scalar[0]:
            still = a.apply("where", a.apply("eq", base, zero), zero, of_exponent)
            of_exponent = a.apply("where", flat, still, of_exponent)
        elif a.builder.nodes[base].op != "const":  # a condition must depend on a tensor
            of_exponent = a.apply("where", a.mul(flat, a.apply("eq", base, zero)), zero, of_exponent)
    return [of_base, of_exponent]


_LARGE = 3.402823e38  # nearly the largest float32


def _gelu_tanh(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """Of x * s with s = sigmoid(v), v = SLOPE * (x + CUBE * x^3): s * (1 + x * (1 - s) * v').

    1 - s is exp(-v) * s. Where exp(-v) is infinite, s is 0, and so is the slope: any finite number does for exp(-v).
    """
    square = a.mul(x[0], x[0])
    inner = a.mul(x[0], a.add(a.mul(square, a.number(-GELU_SLOPE * GELU_CUBE)), a.number(-GELU_SLOPE)))
    steep = a.add(a.mul(square, a.number(3 * GELU_SLOPE * GELU_CUBE)), a.number(GELU_SLOPE))
    shrunk = a.apply("exp", inner)
    gate = a.div(a.number(1.0), a.add(shrunk, a.number(1.0)))
    rest = a.mul(a.apply("min", shrunk, a.number(_LARGE)), gate)
    return [a.mul(grad, a.mul(gate, a.add(a.number(1.0), a.mul(a.mul(x[0], rest), steep))))]


def _leaky_relu(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    above, zero = a.apply("gt", x[0], a.number(0.0)), a.number(0.0)  # 1 where the slope does not matter
    return [a.apply("where", above, grad, a.mul(grad, x[1])), a.apply("where", above, zero, a.mul(grad, x[0]))]


def _mul(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
    if x[0] == x[1]:
        return [a.mul(a.mul(grad, a.number(2.0)), x[0]), None]
    return [a.mul(grad, x[1]), a.mul(grad, x[0])]


def _div(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    return [a.div(grad, x[1]), a.neg(a.div(a.mul(grad, value), x[1]))]


def _pick(lost: str, kept: str) -> Rule:
    """For max and min: the losing side gets nothing; a tie is shared with a tensor, not with a number."""

    def rule(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
        zero, half = a.number(0.0), a.number(0.5)

        def share(mine: int, other: int) -> int | None:
            if a.builder.nodes[mine].scalar:
                return None
            if a.builder.nodes[other].scalar:
                return a.apply("where", a.apply(kept, mine, other), grad, zero)
            shared = a.apply("where", a.apply("eq", x[0], x[1]), a.mul(grad, half), grad)
            return a.apply("where", a.apply(lost, mine, other), zero, shared)

        return [share(x[0], x[1]), share(x[1], x[0])]

    return rule


def _flat(_a: Algebra, _grad: int, x: Sequence[int], _value: int) -> Sequence[None]:
    return [None] * len(x)


def _shared(total: str) -> Rule:
    """Elements that are equal to the largest or smallest one share the gradient, as in torch.amax."""

    def rule(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
        equal = a.apply("eq", x[0], value)
        return [a.mul(grad, a.div(equal, a.apply(total, equal)))]

    return rule


def _prod(a: Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """The product of the others: of a row with one 0, only that of the 0 is not 0; with more, none is."""
    zero, one = a.number(0.0), a.number(1.0)
    is_zero = a.apply("eq", x[0], zero)
    zeros = a.apply("sum", is_zero)
    rest = a.apply("prod", a.apply("where", is_zero, one, x[0]))
    of_zero = a.apply("where", a.apply("eq", zeros, one), rest, zero)
    of_others = a.apply("where", a.apply("eq", zeros, zero), a.div(rest, x[0]), zero)
    return [a.mul(grad, a.apply("where", is_zero, of_zero, of_others))]


def _first_extreme(a: Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int | None]:
    """The first element of a row that is equal to the result has the gradient, as in torch.max with a dimension."""
    place = first_place(a.apply, a.number, x[0], value, x[1])
    return [a.apply("where", a.apply("eq", x[1], place), grad, a.number(0.0)), None]


DERIVATIVE: dict[str, Rule] = {
    "sum": lambda _a, grad, _x, _value: [grad],
    "prod": _prod,
    "amax": _shared("sum"),
    "amin": _shared("sum"),
    "sum_all": lambda _a, grad, _x, _value: [grad],
    "amax_all": _shared("sum_all"),
    "amin_all": _shared("sum_all"),
    "max_first": _first_extreme,
    "min_first": _first_extreme,
    "neg": lambda a, grad, _x, _value: [a.neg(grad)],
    "abs": lambda a, grad, x, _value: [a.mul(grad, a.apply("sign", x[0]))],
    "exp": lambda a, grad, _x, value: [a.mul(grad, value)],
    "silu": _silu,
    "sigmoid": _sigmoid,
    "sign": _flat,
    "relu": _relu,
    "log": lambda a, grad, x, _value: [a.div(grad, x[0])],
    "sqrt": lambda a, grad, _x, value: [a.div(grad, a.mul(value, a.number(2.0)))],
    "rsqrt": _rsqrt,
    "reciprocal": lambda a, grad, _x, value: [a.neg(a.mul(grad, a.mul(value, value)))],
    "tanh": _tanh,
    "erf": _erf,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "detach": _flat,
    "log1p": lambda a, grad, x, _value: [a.div(grad, a.add(x[0], a.number(1.0)))],
    "expm1": lambda a, grad, x, _value: [a.mul(grad, a.apply("exp", x[0]))],  # value + 1 cancels near -1
    "log2": lambda a, grad, x, _value: [a.div(grad, a.mul(x[0], a.number(math.log(2))))],
    "exp2": lambda a, grad, _x, value: [a.mul(grad, a.mul(value, a.number(math.log(2))))],
    "sin": lambda a, grad, x, _value: [a.mul(grad, a.apply("cos", x[0]))],
    "cos": lambda a, grad, x, _value: [a.neg(a.mul(grad, a.apply("sin", x[0])))],
    "sinh": lambda a, grad, x, _value: [a.mul(grad, a.apply("cosh", x[0]))],
    "cosh": lambda a, grad, x, _value: [a.mul(grad, a.apply("sinh", x[0]))],
    "asinh": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _square_plus(a, x[0], 1.0)))],
    "acosh": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _square_plus(a, x[0], -1.0)))],
    "atanh": lambda a, grad, x, _value: [a.div(grad, _one_minus_square(a, x[0]))],
    "asin": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _one_minus_square(a, x[0])))],
    "acos": lambda a, grad, x, _value: [a.neg(a.mul(grad, a.apply("rsqrt", _one_minus_square(a, x[0]))))],
    "atan": lambda a, grad, x, _value: [a.div(grad, _square_plus(a, x[0], 1.0))],
    "erfc": _erfc,
    "erfinv": _erfinv,
    "logit": _logit,
    "floor": _flat,
    "ceil": _flat,
    "trunc": _flat,
    "round": _flat,
    "add": lambda _a, grad, _x, _value: [grad, grad],
    "sub": lambda a, grad, _x, _value: [grad, a.neg(grad)],
    "mul": _mul,
    "div": _div,
    "min": _pick(lost="gt", kept="le"),
    "max": _pick(lost="lt", kept="ge"),
    "pow": _pow,
    "atan2": _atan2,
    "fmod": lambda a, grad, x, _value: [grad, a.neg(a.mul(grad, a.apply("trunc", a.div(x[0], x[1]))))],
    "leaky_relu": _leaky_relu,
    "ge": _flat,
    "gt": _flat,
    "le": _flat,
    "lt": _flat,
    "eq": _flat,
    "ne": _flat,
    "where": _where,
}
