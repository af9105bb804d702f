"""Checks that the declared dtypes of outputs are of the same kind as the values that compute gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.spec.draft import OpDraft, TensorDraft
from opforge.spec.model import TensorSpec
from opforge.spec.source import Token
from opforge.spec.tree import Result
from opforge.spec.value_kinds import kind_of

_NAMES = {"float": "a float", "mask": "a mask"}


def check_results(
    draft: OpDraft, outputs: Sequence[TensorDraft], tensors: Sequence[TensorSpec], results: Mapping[str, Result]
) -> list[Problem]:
    """A problem for each output whose declared dtype is of another kind than its value in compute.

    Args:
        draft: the op, for its overrides.
        outputs: its outputs, as declared.
        tensors: all its tensors with their columns; empty if they could not be read.
        results: the dtypes of the values in compute.
    """
    columns = {tensor.name: tensor.dtypes for tensor in tensors}
    problems = []
    for output in outputs:
        name = output.name.text
        result = results.get(name)
        if result is None:
            continue
        sources = (result.dtype,) if result.dtype else columns.get(result.follows or "", ())
        if not sources:
            continue
        problems += _clashes_in(output.dtypes or (), sources, name)
        for override in draft.overrides:
            theirs = {tensor.name.text: tensor.dtypes for tensor in override.tensors}
            followed = theirs.get(result.follows or "")
            own = tuple(word.text for word in followed) if followed else sources
            problems += _clashes_in(theirs.get(name) or (), own, name)
        if output.inplace is not None:
            written = columns.get(output.inplace.text, ())
            problems += [
                _clash(output.inplace, dtype, name, source)
                for dtype, source in zip(written[:1], sources, strict=False)
                if _clashes(dtype, source)
            ]
    return problems


def _clashes_in(words: Sequence[Token], sources: Sequence[str], name: str) -> list[Problem]:
    """A problem for each word that differs from its column's source; from the first, if there are not as many."""
    matched = sources if len(sources) == len(words) else [sources[0]] * len(words)
    return [
        _clash(word, word.text, name, source)
        for word, source in zip(words, matched, strict=True)
        if _clashes(word.text, source)
    ]


def _clashes(dtype: str, source: str) -> bool:
    kind, given = kind_of(dtype), kind_of(source)
    return kind is not None and (kind != given or (kind in ("int", "stored") and dtype != source))


def _clash(at: Token, dtype: str, name: str, source: str) -> Problem:
    kind = kind_of(source)
    given = _NAMES.get(kind or "", source)
    hint = f"cast it in compute: `{name} = cast(..., {dtype})`"
    return at.problem(f"`{name}` is {dtype}, but compute gives {given}", hint)
