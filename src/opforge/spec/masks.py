"""Masks: ``and``, ``or`` and ``not`` of them, chains of comparisons, and conditions that are numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opforge.spec.calls import kept
from opforge.spec.language import MASKS
from opforge.spec.reading import Reading
from opforge.spec.tree import Apply, Expression, Number, Says
from opforge.spec.value_kinds import Typed, shaped

_NAMES = {"&": "and", "|": "or", "~": "not"}


def joined(reader: Reading, op: str, nodes: Sequence[ast.expr], whole: ast.expr) -> Typed | None:
    """``a and b``, or ``a or b``."""
    made = reader.values(nodes)
    return None if made is None else applied(reader, op, made, nodes, whole)


def applied(
    reader: Reading, op: str, made: Sequence[Typed], nodes: Sequence[ast.expr], whole: ast.expr
) -> Typed | None:
    """``and``, ``or`` and ``not``, also written ``&``, ``|`` and ``~``, of values."""
    if _refused(reader, op, made, nodes):
        return None
    if len(made) > 1:
        return _all(reader, _NAMES.get(op, op), made, whole)
    value = Typed(Apply("not", (made[0].tree,)), reader.text(whole), made[0].kind and "mask", number=made[0].number)
    return shaped(value, made)


def either(reader: Reading, made: Sequence[Typed], nodes: Sequence[ast.expr], whole: ast.expr) -> Typed | None:
    """``a ^ b``: one of the two, but not both."""
    if _refused(reader, "^", made, nodes):
        return None
    made = [
        kept(reader, each, reader.fresh("mask"), node, "a condition") for each, node in zip(made, nodes, strict=True)
    ]
    both = applied(reader, "and", made, nodes, whole)
    others = both and applied(reader, "not", [both], nodes[:1], whole)
    one = applied(reader, "or", made, nodes, whole)
    return one and others and applied(reader, "and", [one, others], nodes, whole)


def said(reader: Reading, node: ast.Compare) -> Typed | None:
    """``mode == "mean"`` or ``mode != "mean"`` of a str attribute, on either side; None for other comparisons."""
    sides = (node.left, *node.comparators)
    name = next((side.id for side in sides if isinstance(side, ast.Name) and reader.attrs.get(side.id) == "str"), None)
    text = next((s.value for s in sides if isinstance(s, ast.Constant) and isinstance(s.value, str)), None)
    if name is None or text is None or len(sides) > 2 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return None
    reader.read.add(name)
    same = Says(name, text)
    tree = same if isinstance(node.ops[0], ast.Eq) else Apply("not", (same,))
    return Typed(tree, reader.text(node), "mask", number=True)


def chained(
    reader: Reading, ops: Sequence[str], made: Sequence[Typed], nodes: Sequence[ast.expr], whole: ast.expr
) -> Typed | None:
    """``a < b``, or ``a < b < c``, which is ``a < b and b < c``."""
    text = reader.text(whole)
    if len(ops) == 1:
        return reader.combined(ops[0], made, nodes, text)
    made = [
        kept(reader, value, reader.fresh("value"), node, "a comparison")
        for value, node in zip(made, nodes, strict=True)
    ]
    links = []
    for place, op in enumerate(ops):
        link = reader.combined(op, made[place : place + 2], nodes[place : place + 2], text)
        if link is None:
            return None
        links.append(link)
    return _all(reader, "and", links, whole)


def alike(reader: Reading, given: Sequence[Typed], node: ast.Call) -> Sequence[Typed]:
    """The operands of ``where``. A condition that is a number becomes a tensor if one of the values is a tensor."""
    tensor = next((value for value in given[1:] if not value.number), None)
    if given[0].kind != "mask" or not given[0].number or tensor is None or tensor.kind not in ("float", "int", None):
        return given
    tensor = kept(reader, tensor, reader.fresh("value"), node, "where")
    others = [tensor if value.tree == tensor.tree else value for value in given[1:]]
    return [shaped(_spread(given[0], tensor.tree), [tensor]), *others]


def _all(reader: Reading, op: str, masks: Sequence[Typed], whole: ast.expr) -> Typed:
    """Masks joined in pairs, which makes a tree of the least depth."""
    while len(masks) > 1:
        pairs = [masks[place : place + 2] for place in range(0, len(masks), 2)]
        masks = [pair[0] if len(pair) == 1 else _both(reader, op, pair[0], pair[1], whole) for pair in pairs]
    return masks[0]


def _both(reader: Reading, op: str, one: Typed, other: Typed, whole: ast.expr) -> Typed:
    """Two masks joined; a number becomes a tensor if the other one is a tensor."""
    text = reader.text(whole)
    if one.number != other.number:
        number, tensor = (one, other) if one.number else (other, one)
        tensor = kept(reader, tensor, reader.fresh("mask"), whole, "a condition")
        one, other = tensor, shaped(_spread(number, tensor.tree), [tensor])
    value = Typed(Apply(op, (one.tree, other.tree)), text, "mask", number=one.number and other.number)
    return shaped(value, (one, other))


def _spread(number: Typed, tensor: Expression) -> Typed:
    """A condition that is a number, as a mask of the shape of a tensor: it is chosen for NaN and for others."""
    filled = Apply("where", (Apply("ne", (tensor, tensor)), number.tree, number.tree))
    return Typed(Apply("ne", (filled, Number(0.0))), number.text, "mask")


def _refused(reader: Reading, op: str, made: Sequence[Typed], nodes: Sequence[ast.expr]) -> bool:
    """Whether an operand is not a mask; reports the first one."""
    for value, node in zip(made, nodes, strict=True):
        if value.kind not in ("mask", None) or value.stored is not None:
            needs = "integers or masks" if op in ("&", "|", "^", "~") else "masks"
            what = f"`{op}` needs {needs}; `{value.text}` is {value.described}"
            tight = op in ("&", "|", "^", "~")
            hint = (
                f"`{op}` is computed before comparisons: {MASKS}"
                if tight
                else f"compare it, for example `{value.text} > 0`"
            )
            reader.report(node, what, "write a power with `**`" if op == "^" else hint)
            return True
    return False
