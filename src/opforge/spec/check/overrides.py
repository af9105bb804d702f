"""Completes and checks overrides, the columns of one SoC: lists of one length, dtypes that the SoC supports."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.soc import SOCS
from opforge.spec.check.columns import read_tensors
from opforge.spec.check.values import read_soc
from opforge.spec.draft import OverrideDraft, TensorDraft
from opforge.spec.model import Override, TensorSpec
from opforge.spec.source import Token, closest

Tensors = tuple[TensorSpec, ...]


def read_overrides(
    overrides: Sequence[OverrideDraft],
    drafts: tuple[Sequence[TensorDraft], Sequence[TensorDraft]],
    tensors: tuple[Tensors, Tensors],
    problems: list[Problem],
    *,
    product: bool,
    sources: Mapping[str, str],
) -> tuple[Override, ...]:
    """The overrides, each with all tensors that differ there; those not stated have ``dtypes_given`` False.

    Args:
        overrides: as declared.
        drafts: inputs and outputs of the op, as declared.
        tensors: the same tensors with their columns.
        problems: the list that mistakes are added to.
        product: whether the op has ``dtype_product``.
        sources: as in ``read_tensors``.
    """
    made = []
    for draft in overrides:
        soc = read_soc(draft.soc, problems, any_known=True)
        own = _replaced(draft, drafts, problems)
        if soc is None or own is None:
            continue
        before = len(problems)
        _check_supported(soc, draft, problems)
        if len(problems) > before:
            continue
        wrong: list[Problem] = []
        ins, outs = read_tensors(*own, wrong, product=product, sources=sources)
        problems += [draft.soc.problem(f"on {soc}: {problem.what}", problem.hint) for problem in wrong[:1]]
        stated = {tensor.name.text for tensor in draft.tensors}
        if not ins or not tensors[0]:
            continue
        differing = tuple(
            dataclasses.replace(now, dtypes_given=now.name in stated)
            for now, general in zip((*ins, *outs), (*tensors[0], *tensors[1]), strict=True)
            if now.name in stated or now.dtypes != general.dtypes or now.formats != general.formats
        )
        made.append(Override(soc, differing))
    return tuple(made)


def _replaced(
    draft: OverrideDraft, drafts: tuple[Sequence[TensorDraft], Sequence[TensorDraft]], problems: list[Problem]
) -> tuple[list[TensorDraft], list[TensorDraft]] | None:
    """Inputs and outputs as a spec for this SoC alone would declare them."""
    before = len(problems)
    own = {tensor.name.text: tensor for tensor in draft.tensors}
    names = [tensor.name.text for side in drafts for tensor in side]
    for name, tensor in own.items():
        if name not in names:
            meant = closest(name, tuple(names))
            hint = f"did you mean `{meant}`?" if meant else f"its tensors: {', '.join(names)}"
            problems.append(tensor.name.problem(f"the op has no tensor `{name}`", hint))
        elif any(t.name.text == name and t.inplace is not None for side in drafts for t in side):
            problems.append(
                tensor.name.problem(
                    f"`{name}` is an in-place output and has its input's dtypes", "override the input instead"
                )
            )
    if len(problems) > before or any(tensor.wrong for tensor in draft.tensors):
        return None
    counts = [len(words) for tensor in draft.tensors for words in (tensor.dtypes, tensor.formats) if words is not None]
    count = max(counts, default=1)
    ins, outs = ([_own(tensor, own.get(tensor.name.text), count) for tensor in side] for side in drafts)
    return ins, outs


def _own(general: TensorDraft, own: TensorDraft | None, count: int) -> TensorDraft:
    """A tensor's declaration with the lists stated for the SoC; a list with one entry repeats it."""
    dtypes = own.dtypes if own is not None and own.dtypes is not None else _shrunk(general.dtypes, count)
    formats = own.formats if own is not None and own.formats is not None else _shrunk(general.formats, count)
    return dataclasses.replace(general, dtypes=dtypes, formats=formats)


def _shrunk(words: tuple[Token, ...] | None, count: int) -> tuple[Token, ...] | None:
    if words is None or len(words) == count or len({word.text for word in words}) != 1:
        return words
    return words[:1]


def _check_supported(soc: str, draft: OverrideDraft, problems: list[Problem]) -> None:
    has = SOCS[soc].dtypes
    for tensor in draft.tensors:
        for word in tensor.dtypes or ():
            if word.text not in has:
                wide = [dtype for dtype in ("float16", "float32", "bfloat16", "int32", "int8") if dtype in has]
                what = f"{soc} does not support {word.text}"
                problems.append(
                    word.problem(what, f"it supports {', '.join(wide)} and others; remove {word.text} here")
                )
