"""What an op's dtypes come to on each SoC of a project: a plain list is narrowed to what the SoC has."""

from __future__ import annotations

from opforge.soc import SOCS
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec, Spec


def without_dtypes(op: OpSpec, socs: tuple[str, ...]) -> tuple[str, ...]:
    """Those SoCs on which an op has no combination of dtypes at all."""
    return tuple(soc for soc in socs if not combinations(op, soc))


def narrowed(op: OpSpec, soc: str) -> tuple[str, ...]:
    """The dtypes for whose lack some combination of an op is left out on a SoC; none where it has its own columns."""
    if any(override.soc == soc for override in op.overrides):
        return ()
    has = SOCS[soc].dtypes
    general = combinations(OpSpec(op.type, op.inputs, op.attrs, op.outputs, op.compute, dtype_product=op.dtype_product))
    return tuple(dict.fromkeys(dtype for row in general for dtype in row if dtype not in has))


def describe_narrowing(spec: Spec) -> str:
    """What was left out, a line for each op and SoC; empty where nothing was."""
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
