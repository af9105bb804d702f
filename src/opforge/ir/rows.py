"""The values and results of a graph that have one element for each row: the last dimension is reduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.ir.graph import Node, RowDimension
from opforge.spec.language import REDUCTIONS
from opforge.spec.model import OpSpec
from opforge.spec.value_kinds import kinds_of


def row_values(nodes: Sequence[Node]) -> frozenset[int]:
    """The nodes with one value for each row: reductions, and what is computed from these and from numbers only."""
    found: set[int] = set()
    for node in nodes:
        tensors = [operand for operand in node.operands if not nodes[operand].scalar]
        computed = node.op not in ("input", "size") and tensors and all(operand in found for operand in tensors)
        if node.op in REDUCTIONS or computed:
            found.add(node.id)
    return frozenset(found)


def columns(op: OpSpec) -> tuple[str, ...]:
    """The inputs of floats or masks that are the same for all rows: they have the last dimension alone."""
    longest = max(len(tensor.dims) for tensor in op.inputs)
    return tuple(
        tensor.name
        for tensor in op.inputs
        if 1 == len(tensor.dims) < longest
        and tensor.dims[0] not in ("...", "1")
        and kinds_of(tensor.dtypes) in (("float",), ("mask",))
    )


def whole_dims(op: OpSpec) -> tuple[str, ...]:
    """The broadcast shape of the inputs of an op with rows."""
    return max((tensor.dims for tensor in op.inputs), key=lambda dims: (len(dims), dims[-1:] != ("1",)))


def row_dimensions(op: OpSpec) -> Mapping[str, RowDimension]:
    """The fate of the last dimension, for each result with one element for each row, by name."""
    whole = whole_dims(op)
    found: dict[str, RowDimension] = {}
    for tensor in op.outputs:
        if len(tensor.dims) < len(whole):
            found[tensor.name] = "dropped"
        elif tensor.dims[-1:] == ("1",) != whole[-1:]:
            found[tensor.name] = "kept"
    return found
