"""Reads what tests may draw: the values of inputs, and the sizes of named dimensions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.errors import Problem
from opforge.spec.check.values import read_truth
from opforge.spec.dimensions import DimError, Dots, names_of, parse_dim, print_dim
from opforge.spec.draft import OpDraft, SizeDraft, TensorDraft
from opforge.spec.model import ANY_VALUES, SizeRange, TensorSpec, Values
from opforge.spec.source import Token, closest

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[0-9]{1,10}")
_LARGEST = 2**31 - 1  # fits the integers of every layer
_SIZES = "for example `{min: 1, max: 8192, multiple_of: 16}`"


def read_drawn(
    draft: OpDraft, inputs: Sequence[TensorSpec], dims: Sequence[Sequence[str]] | None, problems: list[Problem]
) -> tuple[tuple[Values, ...], tuple[SizeRange, ...]]:
    """The values of each input, and the supported sizes. ``dims`` None: the inputs' dimensions could not be read."""
    if dims is None or len(inputs) != len(draft.inputs or ()):
        return (), ()
    symbols = list(dict.fromkeys(name for each in dims for dim in each for name in names_of(parse_dim(dim))))
    attrs = [attr.name.text for attr in draft.attrs if attr.type is not None and attr.type.text == "int"]
    values = (
        _values(tensor, spec, [*symbols, *attrs], problems)
        for tensor, spec in zip(draft.inputs or (), inputs, strict=True)
    )
    if draft.compute is not None and draft.sizes:
        what = "an op with `compute` takes every size, so that it needs no `sizes`"
        problems.append(draft.sizes[0].symbol.problem(what, "remove `sizes`"))
    return tuple(values), tuple(_size(size, symbols, problems) for size in draft.sizes)


def _values(draft: TensorDraft, tensor: TensorSpec, names: Sequence[str], problems: list[Problem]) -> Values:
    given = draft.values
    if given is None:
        return ANY_VALUES
    before = len(problems)
    values = Values(
        min=_bound(given.min, names, problems),
        below=_bound(given.below, names, problems),
        unique=read_truth(given.unique, problems),
        sorted=read_truth(given.sorted, problems),
    )
    if len(problems) == before:
        bounds = ((given.min, values.min), (given.below, values.below))
        problems += [problem for word, text in bounds if word and text for problem in _fits(word, text, tensor)]
        problems += _some(given.below, values)
    return values


def _bound(word: Token | None, names: Sequence[str], problems: list[Problem]) -> str | None:
    if word is None:
        return None
    if _NUMBER.fullmatch(word.text):
        number = float(word.text)
        if not math.isfinite(number):
            problems.append(word.problem(f"`{word.text}` is larger than any float64", "write a smaller number"))
            return None
        return str(int(number)) if re.fullmatch(r"[+-]?\d+", word.text) else repr(number)
    try:
        dim = parse_dim(word.text)
    except DimError:
        problems.append(word.problem(f"`{word.text}` is not a valid bound", "write a number, or a named dimension"))
        return None
    wrong = [name for name in names_of(dim) if name not in names]
    if isinstance(dim, Dots) or wrong:
        problems.append(_unknown(word, wrong, names))
        return None
    return print_dim(dim)


def _unknown(word: Token, wrong: Sequence[str], names: Sequence[str]) -> Problem:
    name = wrong[0] if wrong else word.text
    meant = closest(name, list(names))
    known = f"named dimensions and int attributes: {', '.join(names)}" if names else "write a number"
    hint = f"did you mean `{meant}`?" if meant else known
    return word.problem(f"`{name}` is not a named dimension of an input or an int attribute", hint)


def _fits(word: Token, text: str, tensor: TensorSpec) -> list[Problem]:
    """Problems of a bound with the input's dtypes."""
    kinds = [DTYPES[dtype] for dtype in tensor.dtypes]
    if any(kind.name == "bool" for kind in kinds):
        return [word.problem(f"`{tensor.name}` is bool, which has no bounds", "remove the bound")]
    if not _NUMBER.fullmatch(text):
        return []
    whole = not any(kind.floating for kind in kinds)
    if whole and not float(text).is_integer():
        what = f"`{word.text}` is not a whole number, but `{tensor.name}` holds integers"
        return [word.problem(what, f"for example {round(float(text))}")]
    unsigned = any(kind.name.startswith("u") for kind in kinds)
    if unsigned and float(text) < 0:
        return [word.problem(f"`{tensor.name}` is unsigned and holds no negative numbers", "for example 0")]
    return []


def _some(word: Token | None, values: Values) -> list[Problem]:
    """A problem if no number is between the bounds."""
    numbers = [text for text in (values.min, values.below) if text is not None and _NUMBER.fullmatch(text)]
    if word is None or len(numbers) < 2 or float(numbers[0]) < float(numbers[1]):
        return []
    return [word.problem(f"no value is at least {numbers[0]} and below {numbers[1]}", "`below` must be above `min`")]


def _size(draft: SizeDraft, symbols: Sequence[str], problems: list[Problem]) -> SizeRange:
    name = draft.symbol.text
    if name not in symbols:
        meant = closest(name, list(symbols))
        known = f"the named dimensions: {', '.join(symbols)}" if symbols else "name dimensions with `shape`"
        what = f"`{name}` is not a named dimension of an input"
        problems.append(draft.symbol.problem(what, f"did you mean `{meant}`?" if meant else known))
    words = (draft.min, draft.max, draft.multiple_of)
    if all(word is None for word in words):
        problems.append(draft.symbol.problem(f"the size `{name}` has no limits", _SIZES))
    low, high, step = (_whole(word, problems) for word in words)
    if step == 0 and draft.multiple_of is not None:
        problems.append(draft.multiple_of.problem("`multiple_of` must be at least 1", _SIZES))
    read = SizeRange(name, low or 0, high, step or 1)
    if high is not None and draft.max is not None and high // read.multiple_of * read.multiple_of < max(read.min, 1):
        what = f"no size of `{name}` is within these limits"
        problems.append(draft.max.problem(what, _SIZES))
    return read


def _whole(word: Token | None, problems: list[Problem]) -> int | None:
    if word is None:
        return None
    if not _WHOLE.fullmatch(word.text) or int(word.text) > _LARGEST:
        problems.append(word.problem(f"`{word.text}` is not a valid size", f"write a number from 0 to {_LARGEST}"))
        return None
    return int(word.text)
