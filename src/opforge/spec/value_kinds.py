"""The kinds of values in expressions: floats, masks, integers, and int64, which needs a cast.

Each dtype is of one kind. Floats compute in float32. Integers compute in int32 and wrap around in their own dtype
(``spec.integers``). Masks are results of comparisons, and bool.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Literal

from opforge.dtypes import COMPUTE_DTYPES, KERNEL_DTYPES
from opforge.frozen import dataclass
from opforge.spec.dimensions import DOTS
from opforge.spec.integers import ARITHMETIC, Width, promoted
from opforge.spec.language import BITWISE, COMPARISONS, DIVISIONS, INTEGER, INTEGER_FUNCTIONS, ORDERING
from opforge.spec.tree import Expression, literal_of
from opforge.spec.value_dims import Dims, met, shown

Kind = Literal["float", "mask", "int", "stored"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(KERNEL_DTYPES, "stored"),
    **dict.fromkeys(COMPUTE_DTYPES, "float"),
    **dict.fromkeys(ARITHMETIC, "int"),
    "bool": "mask",
}
# Dtypes that a value of a kind can be cast to for storage only.
_STORED_FROM: dict[Kind, tuple[str, ...]] = {
    "float": ("float16", "bfloat16", "int8", "uint8", "int16", "int64"),
    "mask": ("float16", "bfloat16", "int8", "uint8", "int16", "int64"),
    "int": ("float16", "bfloat16", "int64", *ARITHMETIC),
    "stored": (),
}

Refusal = tuple[str, str]  # the mistake, and a hint


def kind_of(dtype: str) -> Kind | None:
    """The kind of a dtype; None for a dtype that expressions do not support."""
    return _KINDS.get(dtype)


def kinds_of(dtypes: Iterable[str]) -> tuple[Kind, ...]:
    """The kinds of a tensor's columns, without duplicates. One of int64 leaves all integers without arithmetic."""
    kinds = tuple(dict.fromkeys(kind for dtype in dtypes if (kind := kind_of(dtype)) is not None))
    return ("stored",) if set(kinds) == {"int", "stored"} else kinds


@dataclass(frozen=True)
class Typed:
    """A value and its properties."""

    tree: Expression
    text: str  # its source text
    kind: Kind | None  # None: unknown, because the dtypes are
    number: bool = False  # it depends on no tensor
    whole: bool = False  # a number that is an integer
    dtype: str | None = None  # the target dtype if the value is a cast
    dims: Dims | None = None  # None: unknown, or a number
    reduced: bool = False  # it depends on a reduction
    index: bool = False  # the number of an element in its row, or of elements: int64, but exact in float32
    width: Width | None = None  # of integers that depend on a tensor
    dropped: bool = False  # a reduction dropped dimensions before others, so it meets only such values

    @property
    def stored(self) -> str | None:
        """The dtype if the value is a cast that is valid only for an output; otherwise None."""
        computed = self.dtype in ("float32", "int32", "bool") or self.kind in ("int", None)
        return None if computed or self.index else self.dtype

    @property
    def described(self) -> str:
        """The value's kind, for a message."""
        names = {
            "float": "a float",
            "mask": "a mask",
            "stored": "an integer of a dtype without arithmetic",
        }
        return self.integer if self.kind == "int" else names[self.kind] if self.kind is not None else "not known"

    @property
    def integer(self) -> str:
        """The dtype of integers, for a message."""
        return self.width.described if self.width is not None else "int32"

    @property
    def as_float(self) -> str:
        """The value cast to float32, in backquotes, for a hint."""
        return f"`cast({self.text}, float32)`"


def shaped(made: Typed, operands: Iterable[Typed]) -> Typed:
    """A value with the dimensions of its operands; unknown if they do not broadcast."""
    tensors = [value for value in (made, *operands) if not value.number and value.dims is not None]
    dims = tensors[0].dims if tensors else None
    for value in tensors[1:]:
        dims = met(dims, value.dims) if dims is not None and value.dims is not None else None
    reduced = made.reduced or any(value.reduced for value in operands)
    dropped = made.dropped or any(value.dropped for value in operands)
    return dataclasses.replace(made, dims=dims, reduced=reduced, dropped=dropped)


def arithmetic(op: str, operands: Sequence[Typed]) -> tuple[int, Refusal] | None:
    """The index of the first operand that an operator of the IR refuses, with the reason; None if all are valid."""
    early = next(((i, no) for i, v in enumerate(operands) if (no := unusable(v)) is not None), None)
    if early is not None:
        return early
    ints = [i for i, value in enumerate(operands) if value.kind == "int"]
    if not ints:
        return None
    whole = operands[ints[0]]
    if op not in INTEGER and op not in COMPARISONS and op not in INTEGER_FUNCTIONS:
        what = f"this is computed in float32, but `{whole.text}` is {whole.integer}"
        return ints[0], (what, f"write {whole.as_float}; {_INTEGERS}")
    if op in DIVISIONS and literal_of(operands[1].tree) == 0:
        what = f"`{whole.text}` is {whole.integer}, and torch refuses to divide integers by 0"
        return 1, (what, "correct the divisor")
    for place, value in enumerate(operands):
        if value.number and not value.whole:
            what = f"`{whole.text}` is {whole.integer}, but `{value.text}` may have a fraction"
            float_ = "" if op in BITWISE else f"write {whole.as_float}, or "
            return place, (what, f"{float_}use an integer literal or attribute")
        if value.kind == "float" and not value.number:
            what = f"`{whole.text}` is {whole.integer}, but `{value.text}` is a float"
            return ints[0], (what, f"write `cast({value.text}, int32)`" if op in BITWISE else f"write {whole.as_float}")
    return _of_widths(op, operands)


_INTEGERS = (
    "integers have + - * // % & | ^ ~ << >>, fmod, comparisons, where, minimum, maximum, clamp, abs, sign, relu, "
    "square and casts"
)


def _of_widths(op: str, operands: Sequence[Typed]) -> tuple[int, Refusal] | None:
    """Why integers of these dtypes, and these numbers, cannot meet; None if they can."""
    tensors = [(place, value.width) for place, value in enumerate(operands) if value.width is not None]
    made = promoted(width for _, width in tensors) if tensors else None
    if tensors and made is None:
        place, width = tensors[-1]
        first = operands[tensors[0][0]]
        what = f"`{first.text}` is {first.integer}, but `{operands[place].text}` is {width.described}"
        hint = f"their common dtype is that of neither in some column: write `cast({first.text}, int32)`"
        return place, (what, hint)
    for place, value in enumerate(operands):
        number = literal_of(value.tree)
        if made is not None and number is not None and op in ORDERING and not made.holds(number):
            wide = operands[tensors[0][0]]
            what = f"{number:.0f} does not fit in {made.described}, the dtype of `{wide.text}`"
            float_ = "use a number of 32 bits" if op in BITWISE else f"write {wide.as_float}"
            return place, (what, f"write `cast({wide.text}, int32)`" if made.narrow else float_)
    return None


def width_of_all(operands: Iterable[Typed]) -> Width | None:
    """The width of what is computed from these values; None if none is an integer that depends on a tensor."""
    widths = [value.width for value in operands if value.width is not None]
    return promoted(widths) if widths else None


def unusable(value: Typed) -> Refusal | None:
    """Why a value cannot be used in any arithmetic or comparison; None if it can."""
    if value.stored is not None:
        what = f"`cast(..., {value.stored})` is only allowed for an output; this value is used in a computation"
        return what, "floats compute in float32: remove the cast, or make it the last step of an output"
    if value.kind == "mask":
        what = f"expected numbers; `{value.text}` is a mask"
        return what, f"{value.as_float} is 1.0 if it is true, otherwise 0.0"
    if value.kind == "stored":
        limit = "" if value.index else ", which is exact up to 2^24; for more, leave compute out and write the kernel"
        return f"the dtype of `{value.text}` has no arithmetic", f"write {value.as_float}{limit}"
    return None


def reducible(value: Typed) -> Refusal | None:
    """Why a value cannot be reduced; None if it can."""
    if value.number:
        return f"`{value.text}` is a number and has no dimensions", "only tensors can be reduced"
    if value.kind == "int":
        what = f"rows are computed in float32, but `{value.text}` is {value.integer}"
        return what, f"write {value.as_float}: values and sums are exact up to 2^24"
    refused = arithmetic("exp", [value])
    return refused[1] if refused is not None else None


def condition(value: Typed) -> Refusal | None:
    """Why a value cannot be the condition of ``where``; None if it can."""
    if value.stored is not None or value.kind in ("float", "int", "stored"):
        what = f"expected a mask; `{value.text}` is {value.described}"
        wide = value.as_float.strip("`") if value.kind == "stored" else value.text
        return what, f"compare it, for example `where({wide} > 0, ...)`"
    return None


def castable(value: Typed, dtype: str) -> Refusal | None:
    """Why a value cannot be cast to a dtype; None if it can."""
    if value.stored is not None:
        return unusable(value)
    if value.number and value.kind != "mask":
        return f"`{value.text}` is a number: numbers need no cast", "a number takes the dtype of the other operand"
    if value.number and dtype != "float32":
        return f"`{value.text}` does not depend on a tensor", f"write {value.as_float}"
    if value.kind is None or dtype in ("float32", *_STORED_FROM[value.kind]) or (value.index and dtype == "int32"):
        return None
    if value.kind != "stored" and dtype in ("int32", "bool"):
        return None
    what = f"`{value.text}` is {value.described}, which can be cast to {dtype} only through float32"
    return what, f"write `cast(cast({value.text}, float32), {dtype})`"


def apart(tensors: Sequence[Typed]) -> Refusal:
    """Values whose dimensions do not broadcast, at least one of them reduced, with a hint."""
    listed = " and ".join(f"`{value.text}` {shown(value.dims)}" for value in tensors if value.dims is not None)
    reduced = (value for value in tensors if value.reduced)
    short = next((value for value in reduced if value.dropped or (value.dims and value.dims[-1] == DOTS)), None)
    call = short.text if short is not None else "sum(x, -1)"
    keep = f"`{call[:-1]}, keepdim=True)`" if call.endswith(")") else "`keepdim=True` in the reduction"
    return f"{listed} do not broadcast", f"keep the reduced dimension: {keep}"
