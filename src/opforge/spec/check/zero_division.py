"""Warns about divisions by a literal zero: valid, but infinite or NaN for every input, and probably a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from opforge.spec.model import OpSpec, Spec


def zero_divisions(spec: Spec) -> tuple[str, ...]:
    """A warning with its place for each division by a literal zero in the expressions of a spec."""
    return tuple(text for op in spec.ops for text in _of(op))


def _of(op: OpSpec) -> Iterator[str]:
    for zero in op.tree.zero_divisors if op.tree is not None else ():
        what = f"{op.type} divides by zero: the result is infinite or NaN for all inputs"
        hint = "correct the divisor, unless you want infinity"
        yield op.passage.problem(what, hint, zero.line, zero.column, zero.length).render()
