"""The values and results of a graph that have one element for each row: the last dimension is reduced."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.ir.graph import Node
from opforge.spec.language import REDUCTIONS
from opforge.spec.model import OpSpec


def row_values(nodes: Sequence[Node]) -> frozenset[int]:
    """The nodes with one value for each row: reductions, and what is computed from these and from numbers only."""
    found: set[int] = set()
    for node in nodes:
        tensors = [operand for operand in node.operands if not nodes[operand].scalar]
        computed = node.op not in ("input", "size") and tensors and all(operand in found for operand in tensors)
        if node.op in REDUCTIONS or computed:
            found.add(node.id)
    return frozenset(found)


def row_outputs(op: OpSpec) -> tuple[str, ...]:
    """The outputs with one element for each row."""
    whole = max((len(tensor.dims), tensor.dims[-1:] != ("1",)) for tensor in op.inputs)
    return tuple(t.name for t in op.outputs if (len(t.dims), t.dims[-1:] != ("1",)) < whole)
