"""The dtype columns of the tensors of an op: lists of one length; one entry repeats, none means the first input's."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import COMPUTE_DTYPES
from opforge.errors import Problem
from opforge.spec.draft import TensorDraft
from opforge.spec.model import TensorSpec
from opforge.spec.values import read_dtype

Tensors = tuple[TensorSpec, ...]


def read_tensors(
    inputs: Sequence[TensorDraft], outputs: Sequence[TensorDraft], problems: list[Problem]
) -> tuple[Tensors, Tensors]:
    """Inputs and outputs with their full columns, without dims; both empty where something is wrong."""
    before = len(problems)
    everyone = (*inputs, *outputs)
    columns = [_column(t, problems) for t in everyone]
    if inputs and inputs[0].dtypes is None and not inputs[0].wrong:
        name = inputs[0].name
        hint = f"as `{name.text}: {{dtype: [{', '.join(COMPUTE_DTYPES)}]}}`; the other tensors take it over"
        problems.append(name.problem("the first input states the dtypes", hint))
    if len(problems) > before or not inputs or any(t.wrong for t in everyone):
        return (), ()
    count = max(len(column) for column in columns if column is not None)
    full = [_repeated(columns[0] if column is None else column, count) for column in columns]
    problems += _lengths(everyone, full, count) or _agreement(everyone, full) or _repeats(inputs[0], full[0])
    made = [
        TensorSpec(tensor.name.text, types, dtypes_given=column is not None)
        for tensor, types, column in zip(everyone, full, columns, strict=True)
    ]
    return tuple(made[: len(inputs)]), tuple(made[len(inputs) :])


def _column(tensor: TensorDraft, problems: list[Problem]) -> tuple[str, ...] | None:
    if tensor.dtypes is None:
        return None
    if not tensor.dtypes:
        problems.append(tensor.name.problem(f"the dtype list of `{tensor.name.text}` is empty"))
    read = [read_dtype(word, problems) for word in tensor.dtypes]
    return tuple(dtype for dtype in read if dtype is not None)


def _repeated(column: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    column = column or ()
    return column * count if len(column) == 1 else column


def _lengths(tensors: Sequence[TensorDraft], columns: list[tuple[str, ...]], count: int) -> list[Problem]:
    hint = "entry i of all lists is one combination; a list of one entry repeats it"
    return [
        words[0].problem(f"`{t.name.text}` has {len(column)} dtypes where another tensor has {count}", hint)
        for t, column in zip(tensors, columns, strict=True)
        if len(column) != count and (words := t.dtypes)
    ]


def _agreement(tensors: Sequence[TensorDraft], columns: list[tuple[str, ...]]) -> list[Problem]:
    """One kernel is one dtype so far."""
    first = tensors[0].name.text
    hint = f"leave the dtype of the others out: then it is that of `{first}`"
    problems = []
    for tensor, column in zip(tensors, columns, strict=True):
        for place, (mine, theirs) in enumerate(zip(column, columns[0], strict=True)):
            if mine != theirs:
                words = tensor.dtypes or (tensor.name,)
                what = f"`{tensor.name.text}` is {mine} where `{first}` is {theirs}: mixed dtypes are not supported yet"
                problems.append(words[min(place, len(words) - 1)].problem(what, hint))
                break
    return problems


def _repeats(first: TensorDraft, column: tuple[str, ...]) -> list[Problem]:
    words = first.dtypes or ()
    return [
        word.problem(f"the dtype `{word.text}` stands twice in the list")
        for place, word in enumerate(words)
        if word.text in column[:place]
    ]
