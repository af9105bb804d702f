"""The kinds of values that expressions have: floats, masks, int32, and integers that wait for a cast.

Each dtype is of one kind. Floats compute in float32, ``int`` in int32; a mask is what a comparison gives, and bool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from opforge.dtypes import COMPUTE_DTYPES, KERNEL_DTYPES
from opforge.spec.language import COMPARISONS, INTEGER
from opforge.spec.tree import Expression

Kind = Literal["float", "mask", "int", "stored"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(KERNEL_DTYPES, "stored"),
    **dict.fromkeys(COMPUTE_DTYPES, "float"),
    "int32": "int",
    "bool": "mask",
}
# Dtypes that a value of a kind can be cast to, beside those that something computes in.
_STORED_FROM: dict[Kind, tuple[str, ...]] = {
    "float": ("float16", "bfloat16", "int8", "uint8", "int16", "int64"),
    "mask": ("float16", "bfloat16", "int8", "uint8", "int16", "int64"),
    "int": ("float16", "bfloat16", "int64"),
    "stored": (),
}

Refusal = tuple[str, str]  # what is wrong, and what to do


def kind_of(dtype: str) -> Kind | None:
    """The kind of a dtype; None for what no expression can have."""
    return _KINDS.get(dtype)


def kinds_of(dtypes: Iterable[str]) -> tuple[Kind, ...]:
    """The kinds that a tensor's columns have, none twice."""
    kinds = (kind_of(dtype) for dtype in dtypes)
    return tuple(dict.fromkeys(kind for kind in kinds if kind is not None))


@dataclass(frozen=True)
class Typed:
    """A value and what is known of it."""

    tree: Expression
    text: str  # as written
    kind: Kind | None  # None: not known, as where dtypes are not
    number: bool = False  # it depends on no tensor
    whole: bool = False  # a number that is an integer
    dtype: str | None = None  # of a cast, where it is nothing else

    @property
    def stored(self) -> str | None:
        """The dtype of a cast that only an output can have."""
        return None if self.dtype in ("float32", "int32", "bool") else self.dtype

    @property
    def described(self) -> str:
        """What it is, in a sentence."""
        names = {"float": "a float", "mask": "a mask", "int": "int32", "stored": "an integer that nothing computes in"}
        return names[self.kind] if self.kind is not None else "not known"

    @property
    def as_float(self) -> str:
        """What to write for it among floats."""
        return f"`cast({self.text}, float32)`"


def arithmetic(op: str, operands: Sequence[Typed]) -> tuple[int, Refusal] | None:
    """Why an operator of the IR does not take these operands, and which of them is in the way; None: it does."""
    early = next(((i, no) for i, v in enumerate(operands) if (no := _never(v)) is not None), None)
    if early is not None:
        return early
    ints = [i for i, value in enumerate(operands) if value.kind == "int"]
    if not ints:
        return None
    whole = operands[ints[0]]
    if op in COMPARISONS:
        return ints[0], (f"comparisons are of floats, and `{whole.text}` is int32", f"write {whole.as_float}")
    if op not in INTEGER:
        what = f"this is computed in float32, and `{whole.text}` is int32"
        return ints[0], (what, f"write {whole.as_float}; in int32 there are + - * min max and unary -")
    for place, value in enumerate(operands):
        if value.number and not value.whole:
            what = f"`{whole.text}` is int32, and `{value.text}` may have a fraction"
            return place, (what, f"write {whole.as_float}, or an integer literal or attribute")
        if value.kind == "float" and not value.number:
            what = f"`{whole.text}` is int32 and `{value.text}` is a float: one cannot stand for the other"
            return ints[0], (what, f"write {whole.as_float}")
    return None


def _never(value: Typed) -> Refusal | None:
    """Why a value can stand in no arithmetic and in no comparison."""
    if value.stored is not None:
        what = f"`cast(..., {value.stored})` is how an output is stored, and this is computed with"
        return what, "floats compute in float32: leave the cast out, or let it be the last of its output"
    if value.kind == "mask":
        what = f"`{value.text}` is a mask, and this wants numbers"
        return what, f"{value.as_float} is 1.0 where it is true, else 0.0"
    if value.kind == "stored":
        return f"nothing is computed in the dtype of `{value.text}`", f"write {value.as_float}"
    return None


def condition(value: Typed) -> Refusal | None:
    """Why a value cannot be ``where``'s first argument."""
    if value.number:
        what = f"`{value.text}` depends on no tensor, and `where` chooses element by element"
        hint = f"{value.as_float} is a number" if value.kind == "mask" else "let s be 0 or 1"
        return what, f"{hint}: `s * a + (1 - s) * b`"
    if value.stored is not None or value.kind in ("float", "int", "stored"):
        what = f"`{value.text}` is {value.described}, and `where` asks a mask"
        wide = value.as_float.strip("`") if value.kind in ("int", "stored") else value.text
        return what, f"compare it, as `where({wide} > 0, ...)`"
    return None


def chosen(value: Typed) -> Refusal | None:
    """Why a value cannot be one that ``where`` chooses."""
    if value.kind == "int":
        return f"`where` chooses floats, and `{value.text}` is int32", f"write {value.as_float}"
    return _never(value)


def castable(value: Typed, dtype: str) -> Refusal | None:
    """Why a value cannot be cast to a dtype that kernels have."""
    if value.stored is not None:
        return _never(value)
    if value.number and value.kind != "mask":
        return f"`{value.text}` is a number, and numbers need no cast", "they are what the other operand wants"
    if value.number and dtype != "float32":
        return f"`{value.text}` depends on no tensor", f"write {value.as_float}"
    if value.kind is None or dtype in ("float32", *_STORED_FROM[value.kind]):
        return None
    if value.kind != "stored" and dtype in ("int32", "bool"):
        return None
    what = f"`{value.text}` is {value.described}, and is cast to {dtype} by way of float32 only"
    return what, f"write `cast(cast({value.text}, float32), {dtype})`"
