"""Ops on integers of every width: arithmetic that wraps around, comparisons, choices and casts."""

from __future__ import annotations

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec

WIDTHS = ("int8", "uint8", "int16", "int32")
COUNT = AttrSpec("count", "int", 3)


def tensor(name: str, *dtypes: str) -> TensorSpec:
    """An input or output of any shape."""
    return TensorSpec(name, dtypes, ("...",))


def of_widths(name: str, compute: str, inputs: str, outputs: str, *attrs: AttrSpec) -> OpSpec:
    """An op whose tensors all have the same dtype, any of WIDTHS."""
    ins, outs = (tuple(tensor(each, *WIDTHS) for each in names.split()) for names in (inputs, outputs))
    return OpSpec(name, ins, attrs, outs, compute)


INTEGERS = (
    # What wraps around, where it is stored and where it is read again.
    of_widths(
        "WrappedSums",
        "z = (x - y) * x + count * y - 7\nw = maximum(x + y, minimum(x * y, 5))\nv = abs(x) - square(y)",
        "x y",
        "z w v",
        COUNT,
    ),
    # Every comparison of two tensors and with numbers, as masks and as conditions.
    OpSpec(
        "OrderedIntegers",
        (tensor("x", *WIDTHS), tensor("y", *WIDTHS)),
        (),
        (tensor("g", "bool"), tensor("l", "bool"), tensor("e", "bool"), tensor("z", *WIDTHS), tensor("w", *WIDTHS)),
        "g = x > y or x + 1 >= 100\n"
        "l = x < y and not x * 2 <= 1\n"
        "e = x == y or (x != 3 and y - x == 1)\n"
        "z = where(x >= y, x, where(7 < y, 1, -y))\n"
        "w = clamp(x, 3, y) + relu(x) * sign(y)",
    ),
    # Quotients rounded down and what is left, of two tensors and with numbers.
    of_widths(
        "DividedIntegers",
        "z = x // y\nw = x % y\nv = fmod(x, y)\nu = (x // 7 - 100 % y) // count + fmod(y, 5)",
        "x y",
        "z w v u",
        COUNT,
    ),
    # Bits of two tensors and with numbers; shifts by a number.
    of_widths(
        "Bits",
        "z = (x & y) - (x | 5)\nw = x ^ ~y ^ 100\nv = (x << 3) + (~x >> 1) + bitwise_not(x + y)\n"
        "u = (x << 9) | (y >> 31)",
        "x y",
        "z w v u",
    ),
    # Of two dtypes, the common one; and casts to narrower ones, which keep the lowest bits.
    OpSpec(
        "PromotedIntegers",
        (tensor("a", "int8"), tensor("b", "uint8"), tensor("c", "int16"), tensor("d", "int32")),
        (),
        (
            *(tensor("ab", "int16"), tensor("ad", "int32"), tensor("as_int8", "int8"), tensor("as_uint8", "uint8")),
            *(tensor("as_int16", "int16"), tensor("as_int64", "int64"), tensor("half", "float32")),
        ),
        "ab = a * 2 + b * c\n"
        "ad = a * a + d\n"
        "as_int8, as_uint8, as_int16 = cast(d + 1, int8), cast(d, uint8), cast(d, int16)\n"
        "as_int64 = cast(a * 3, int64)\n"
        "half = cast(b + 1, float32) * 0.5",
    ),
)
