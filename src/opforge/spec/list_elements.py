"""Elements of attributes that are lists: ``w[0]`` is a number that op_host reads from ``w: {type: list_float}``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from opforge.errors import Problem
from opforge.spec.draft import AttrDraft
from opforge.spec.language import ELEMENT, NO_NODE
from opforge.spec.model import AttrSpec
from opforge.spec.reading import Reading
from opforge.spec.tree import Apply, Compute, Element, Number
from opforge.spec.value_kinds import Typed

_LIST = "list_"


def element(reader: Reading, node: ast.Subscript) -> Typed | None:
    """``w[0]``: an element of a list attribute; those of list_bool are masks."""
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    type_ = reader.attrs.get(name, "")
    if not type_.startswith(_LIST):
        reader.report(node, *NO_NODE[ast.Subscript])
        return None
    reader.read.add(name)
    place = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if not isinstance(place, int) or isinstance(place, bool):
        reader.report(node.slice, f"an element of `{name}` is read by its number, 0 or more", ELEMENT.format(name=name))
        return None
    tree, text = Element(name, place), reader.text(node)
    if type_ == "list_bool":
        return Typed(Apply("ne", (tree, Number(0.0))), text, "mask", number=True)
    return Typed(tree, text, "float", number=True, whole=type_ == "list_int")


def check_lengths(compute: Compute, attrs: Iterable[AttrSpec], drafts: Sequence[AttrDraft]) -> list[Problem]:
    """Problems of lists whose default has fewer elements than compute reads, or that have no default."""
    read = compute.list_lengths
    words = {draft.name.text: draft.default or draft.name for draft in drafts}
    found = []
    for attr in attrs:
        length = len(attr.default) if isinstance(attr.default, tuple) else 0
        if attr.name in read and length < read[attr.name]:
            has = f"its default has {length} elements" if attr.default is not None else "it has no default"
            what = f"compute reads `{attr.name}[{read[attr.name] - 1}]`, but {has}"
            hint = f"give it a default with {read[attr.name]} or more elements; calls with fewer are refused"
            found.append(words[attr.name].problem(what, hint))
    return found
