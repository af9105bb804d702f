"""The dtypes of integers in expressions, and what torch makes of two of them: int8 and uint8 give int16.

A tensor may have several integer dtypes, one in each column. Then an expression on it is computed in the dtype of the
column, and *like* that tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass

# The integers that expressions compute with: each fits in int32, which kernels compute in.
ARITHMETIC = ("int8", "uint8", "int16", "int32")


@dataclass(frozen=True)
class Width:
    """The dtype of integers: one, or one in each column, those of the tensor ``like``."""

    dtypes: tuple[str, ...]
    like: str | None = None

    @property
    def narrow(self) -> str | None:
        """The dtype that values wrap around in, ``int8`` or ``x.dtype``; None if it is int32, as the arithmetic is."""
        return f"{self.like}.dtype" if self.like else None if self.dtypes == ("int32",) else self.dtypes[0]

    @property
    def described(self) -> str:
        """The dtypes, for a message."""
        return " or ".join(dict.fromkeys(self.dtypes))

    def holds(self, value: float) -> bool:
        """Whether a number fits in every dtype."""
        return all(low <= value <= high for low, high in map(limits, self.dtypes))


INT32 = Width(("int32",))


def width_of(tensor: str, tensors: Mapping[str, tuple[str, ...]]) -> Width:
    """The width of one of the tensors, by their dtypes. Those with the same columns are like the first of them."""
    dtypes = tensors[tensor]
    like = next(name for name, others in tensors.items() if others == dtypes)
    return Width(dtypes[:1]) if len(set(dtypes)) == 1 else Width(dtypes, like)


def limits(dtype: str) -> tuple[int, int]:
    """The least and the largest integer of a dtype."""
    bits = DTYPES[dtype].bits
    return (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def fits(width: Width, dtype: str) -> bool:
    """Whether every integer of this width is one of a dtype."""
    low, high = limits(dtype)
    return all(low <= limits(own)[0] and limits(own)[1] <= high for own in width.dtypes)


def promoted(widths: Iterable[Width]) -> Width | None:
    """The width of an operator's result; None if columns differ and no operand has these dtypes."""
    given = tuple(dict.fromkeys(widths))
    count = max(len(width.dtypes) for width in given)
    columns = [width.dtypes * count if len(width.dtypes) == 1 else width.dtypes for width in given]
    if any(len(column) != count for column in columns):
        return None
    made = tuple(_promoted(row) for row in zip(*columns, strict=True))
    if len(set(made)) == 1:
        return Width(made[:1])
    return next((width for width, column in zip(given, columns, strict=True) if column == made), None)


def _promoted(dtypes: tuple[str, ...]) -> str:
    """The common dtype of torch: the smallest that holds all."""
    lows, highs = zip(*map(limits, dtypes), strict=True)
    held = (d for d in ("int8", "uint8", "int16") if limits(d)[0] <= min(lows) and max(highs) <= limits(d)[1])
    return next(held, "int32")
