"""Narrows an op's dtypes to those that each SoC of the project supports."""

from __future__ import annotations

from opforge.soc import SOCS
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec, Spec


def without_dtypes(op: OpSpec, socs: tuple[str, ...]) -> tuple[str, ...]:
    """The SoCs on which an op has no dtype combination."""
    return tuple(soc for soc in socs if not combinations(op, soc))


def narrowed(op: OpSpec, soc: str) -> tuple[str, ...]:
    """The dtypes that a SoC lacks and whose combinations are left out; empty if the SoC has its own columns."""
    if any(override.soc == soc for override in op.overrides):
        return ()
    has = SOCS[soc].dtypes
    general = combinations(OpSpec(op.type, op.inputs, op.attrs, op.outputs, op.compute, dtype_product=op.dtype_product))
    return tuple(dict.fromkeys(dtype for row in general for dtype in row if dtype not in has))


def describe_narrowing(spec: Spec) -> str:
    """A line for each op and SoC with left-out dtypes; empty if there are none."""
    lines = []
    for op in spec.ops:
        for soc in spec.project.soc:
            lacking = narrowed(op, soc)
            if lacking:
                left = len(combinations(op, soc))
                count = f"{left} {'combination' if left == 1 else 'combinations'} of dtypes"
                lines.append(
                    f"{op.type} on {soc}: without {', '.join(lacking)}, which the SoC does not support; {count} left"
                )
    return "\n".join(lines)
