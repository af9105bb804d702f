"""Reads ``batch_invariant`` of an op, and checks that the op has a product, which it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.spec.check.values import read_truth

if TYPE_CHECKING:
    from opforge.errors import Problem
    from opforge.spec.draft import OpDraft
    from opforge.spec.tree import Compute

_EFFECT = "it lets cores share the sums of a matrix product with few rows and columns"


def read_batch_invariant(draft: OpDraft, computed: Compute | None, problems: list[Problem]) -> bool:
    """Whether every sum of the op keeps its order, whatever the shapes are."""
    word = draft.batch_invariant
    invariant = read_truth(word, problems, default=True)
    if invariant or word is None or draft.wrong:
        return True
    if draft.compute is None:
        problems.append(
            word.problem(
                f"`batch_invariant: false` has no effect on `{draft.type.text}`, which has no `compute`",
                f"remove it: {_EFFECT}; your own kernel decides this itself",
            )
        )
    elif computed is not None and not computed.products:
        problems.append(
            word.problem(
                f"`batch_invariant: false` has no effect on `{draft.type.text}`: compute has no matrix product",
                f"remove it: {_EFFECT}",
            )
        )
    return False
