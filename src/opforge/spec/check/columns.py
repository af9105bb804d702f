"""Reads the dtype and format columns of an op's tensors.

Entry i of all lists is one combination; a list with one entry repeats it. With ``dtype_product``, every entry is
combined with every other. A tensor without dtypes has those of the first input; an output of compute has the dtypes
that compute gives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from opforge.dtypes import COMPUTE_DTYPES
from opforge.errors import Problem
from opforge.spec.check.values import read_dtype, read_format
from opforge.spec.draft import TensorDraft
from opforge.spec.model import TensorSpec
from opforge.spec.source import Token

Tensors = tuple[TensorSpec, ...]
Column = tuple[str, ...]
_LONGEST = 4096  # combinations of one op
_MOST_CHOICES = 20_000  # with dtype_product
_EACH = "entry i of all lists is one combination; a list with one entry repeats it"


def read_tensors(
    inputs: Sequence[TensorDraft],
    outputs: Sequence[TensorDraft],
    problems: list[Problem],
    *,
    product: bool = False,
    sources: Mapping[str, str] | None = None,
) -> tuple[Tensors, Tensors]:
    """Inputs and outputs with their full columns and formats only; both empty if something is wrong.

    Args:
        inputs: at least one; the first states its dtypes.
        outputs: the outputs.
        problems: the list that mistakes are added to.
        product: combine every dtype with every other, instead of columns.
        sources: for outputs without dtypes: a dtype, or the name of an input with the same dtypes.
    """
    before = len(problems)
    everyone = (*inputs, *outputs)
    columns = [_dtypes(t, problems) for t in everyone]
    formats = [_formats(t, problems) for t in everyone]
    if inputs and inputs[0].dtypes is None and not inputs[0].wrong:
        name = inputs[0].name
        hint = f"for example `{name.text}: {{dtype: [{', '.join(COMPUTE_DTYPES)}]}}`; the other tensors use the same"
        problems.append(name.problem("the first input has no dtypes", hint))
    if len(problems) > before or not inputs or any(t.wrong for t in everyone):
        return (), ()
    if product:
        problems += _choices(everyone, formats)
        full = _followed(everyone, columns, sources or {}, 1)
        problems += _beside_the_first(everyone, sources or {})
        spread = [tuple(f) if f else () for f in formats]
    else:
        count = max(len(column) for column in (*columns, *formats) if column is not None)
        full = _followed(everyone, [_repeated(column, count) for column in columns], sources or {}, count)
        spread = [_repeated(f, count) or () for f in formats]
        problems += _lengths(everyone, full, spread, count) or _repeats(everyone, full, spread)
    if len(problems) > before:
        return (), ()
    made = [
        TensorSpec(
            tensor.name.text,
            types,
            dtypes_given=tensor.dtypes is not None,
            formats=() if all(name == "ND" for name in layout) else layout,
            inplace=tensor.inplace.text if tensor.inplace is not None else None,
        )
        for tensor, types, layout in zip(everyone, full, spread, strict=True)
    ]
    return tuple(made[: len(inputs)]), tuple(made[len(inputs) :])


def _dtypes(tensor: TensorDraft, problems: list[Problem]) -> Column | None:
    if tensor.dtypes is None:
        return None
    if not tensor.dtypes:
        problems.append(
            tensor.name.problem(f"the dtype list of `{tensor.name.text}` is empty", "for example `dtype: [float16]`")
        )
    if len(tensor.dtypes) > _LONGEST:
        problems.append(tensor.dtypes[0].problem(f"{len(tensor.dtypes)} dtypes; the limit is {_LONGEST} combinations"))
        return None
    read = [read_dtype(word, problems) for word in tensor.dtypes]
    return tuple(dtype for dtype in read if dtype is not None)


def _formats(tensor: TensorDraft, problems: list[Problem]) -> Column | None:
    if tensor.formats is None:
        return None
    if not tensor.formats:
        what = f"the format list of `{tensor.name.text}` is empty"
        problems.append(tensor.name.problem(what, "remove it for ND, or write a format: `format: [NCHW]`"))
    if len(tensor.formats) > _LONGEST:
        problems.append(tensor.formats[0].problem(f"{len(tensor.formats)} formats; the limit is {_LONGEST}"))
        return None
    read = [read_format(word, problems) for word in tensor.formats]
    return tuple(name for name in read if name is not None)


def _repeated(column: Column | None, count: int) -> Column | None:
    return column * count if column is not None and len(column) == 1 else column


def _followed(
    tensors: Sequence[TensorDraft], columns: Sequence[Column | None], sources: Mapping[str, str], count: int
) -> list[Column]:
    """The columns, with those that are not stated taken from their sources."""
    by_name = {t.name.text: column for t, column in zip(tensors, columns, strict=True) if column is not None}
    first = columns[0] or ()
    full = []
    for tensor, column in zip(tensors, columns, strict=True):
        source = sources.get(tensor.name.text)
        if column is not None:
            full.append(column)
        elif source is None:
            full.append(first)
        else:
            full.append(by_name.get(source, first) if source in {t.name.text for t in tensors} else (source,) * count)
    return full


def _beside_the_first(tensors: Sequence[TensorDraft], sources: Mapping[str, str]) -> list[Problem]:
    """Check that with ``dtype_product`` derived outputs use the first input's dtypes, from which rows are made."""
    names = [tensor.name.text for tensor in tensors]
    problems = []
    for tensor in tensors[1:]:
        source = sources.get(tensor.name.text, names[0])
        if tensor.dtypes is None and tensor.inplace is None and source in names[1:]:
            what = (
                f"`{tensor.name.text}` has the dtypes of `{source}`, but `dtype_product` combines it with every other"
            )
            problems.append(tensor.name.problem(what, f"put `{source}` first, or write out the columns"))
    return problems


def _choices(tensors: Sequence[TensorDraft], formats: Sequence[Column | None]) -> list[Problem]:
    """Check the lists of ``dtype_product``: distinct dtypes, one format, a limited number of combinations."""
    problems: list[Problem] = []
    count = math.prod(max(1, len(tensor.dtypes or ())) for tensor in tensors)
    if count > _MOST_CHOICES:
        what = f"every dtype with every other gives {count} combinations; the limit is {_MOST_CHOICES}"
        problems.append(tensors[0].name.problem(what, "write out the columns that you need"))
    for tensor, layout in zip(tensors, formats, strict=True):
        problems += _twice(tensor.dtypes or ())
        if layout is not None and len(layout) > 1 and tensor.formats is not None:
            what = f"`{tensor.name.text}` has {len(layout)} formats in an op with `dtype_product`"
            problems.append(tensor.formats[1].problem(what, "use one format, or columns without `dtype_product`"))
    return problems


def _twice(words: Sequence[Token]) -> list[Problem]:
    texts = [word.text for word in words]
    return [
        word.problem(f"the dtype `{word.text}` appears twice in the list", "remove one of them")
        for place, word in enumerate(words)
        if word.text in texts[:place]
    ]


def _lengths(
    tensors: Sequence[TensorDraft], columns: Sequence[Column], formats: Sequence[Column], count: int
) -> list[Problem]:
    problems = []
    for tensor, column, layout in zip(tensors, columns, formats, strict=True):
        name = tensor.name.text
        if len(column) != count and tensor.dtypes:
            what = f"`{name}` has {len(column)} dtypes, but another list has {count}"
            problems.append(tensor.dtypes[0].problem(what, _EACH))
        elif layout and len(layout) != count and tensor.formats:
            what = f"`{name}` has {len(layout)} formats, but another list has {count}"
            problems.append(tensor.formats[0].problem(what, _EACH))
    return problems


def _repeats(tensors: Sequence[TensorDraft], columns: Sequence[Column], formats: Sequence[Column]) -> list[Problem]:
    """Check that no combination appears twice."""
    words = tensors[0].dtypes or ()
    if len(words) > 1 and all(column == columns[0] for column in columns) and not any(formats):
        return _twice(words)
    rows = list(zip(*columns, *(layout for layout in formats if layout), strict=True))
    first = {row: place for place, row in reversed(list(enumerate(rows)))}
    for place, row in enumerate(rows):
        if first[row] != place:
            dtypes = ", ".join(row[: len(columns)])
            at = words[place] if len(words) > place else tensors[0].name
            what = f"combination {place + 1} is the same as combination {first[row] + 1}: {dtypes}"
            return [at.problem(what, _EACH)]
    return []
