"""Operators of bits: ``& | ^ ~ << >>`` of integers. Of masks, the first four are the logical ones."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opforge.spec import calls, masks
from opforge.spec.prelude import Definition
from opforge.spec.reading import Reading
from opforge.spec.tree import literal_of
from opforge.spec.value_kinds import Typed

_SIGNS = {
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "bitwise_not": "~",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
}
_MOST = 31  # the largest count of ShiftLeft and ShiftRight that leaves a bit of 32


def called(reader: Reading, function: Definition, call: ast.Call) -> Typed | None:
    """``bitwise_and(x, y)``, or another of these functions."""
    nodes = calls.bound(reader, function, call)
    return None if nodes is None else combined(reader, function.name, nodes, call)


def combined(reader: Reading, op: str, nodes: Sequence[ast.expr], whole: ast.expr) -> Typed | None:
    """An operator of bits applied to operands, or None if it was refused."""
    made = reader.values(nodes)
    if made is None:
        return None
    whole_numbers = any(value.kind == "int" for value in made)
    if op.endswith("shift"):
        if _refused(reader, op, made, nodes):
            return None
    elif not whole_numbers:
        if op == "bitwise_xor":
            return masks.either(reader, made, nodes, whole)
        return masks.applied(reader, _SIGNS[op], made, nodes, whole)
    value = reader.combined(op, made, nodes, reader.text(whole))
    return value and reader.broadcast(value, made, whole)


def _refused(reader: Reading, op: str, made: Sequence[Typed], nodes: Sequence[ast.expr]) -> bool:
    """Whether a shift is not one of integers by a literal; reports it."""
    (value, count), sign = made, _SIGNS[op]
    if value.kind not in ("int", None) and not value.number:
        what = f"`{sign}` shifts integers; `{value.text}` is {value.described}"
        reader.report(nodes[0], what, f"for example `cast({value.text}, int32) {sign} 2`")
        return True
    bits = literal_of(count.tree)
    if value.number or bits is None or not (bits.is_integer() and 0 <= bits <= _MOST):
        what = f"`{sign}` shifts a tensor by a literal from 0 to {_MOST}; this is `{value.text} {sign} {count.text}`"
        reader.report(nodes[1], what, "multiply by a power of two, or divide by it with `//`")
        return True
    return False
