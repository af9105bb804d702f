"""Converts opforge.yaml from an earlier edition to the current one, as text, so that comments and layout stay."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from opforge.errors import Problem
from opforge.spec.compute import parse_statements
from opforge.spec.leaves import Leaves
from opforge.spec.read.document import Mapping as Mapped
from opforge.spec.read.document import Scalar, Tree, read_document
from opforge.spec.source import Passage, line_starts

_ELEMENTWISE = {"max": "maximum", "min": "minimum"}
_Edit = tuple[int, int, str, str]  # line and column (from 1), the old words there, the new ones


def _to_second(text: str, tree: Tree) -> str:
    """In edition 1 ``max`` and ``min`` of two values are elementwise, also where one is a number; in 2 as in torch."""
    starts = line_starts(text)
    for line, column, old, new in sorted(_edits(tree), reverse=True):
        begin = starts[line - 1] + column - 1
        if old == "1":  # the edition, behind an anchor or a tag
            begin = text.find(old, begin)
        if text.startswith(old, begin):
            text = text[:begin] + new + text[begin + len(old) :]
    return text


def _edits(tree: Tree) -> Iterator[_Edit]:
    edition, ops = (tree.get("edition"), tree.get("ops")) if isinstance(tree, Mapped) else (None, None)
    if isinstance(edition, Scalar):
        yield edition.at.line, edition.at.column, "1", "2"
    for _, op in ops.entries if isinstance(ops, Mapped) else ():
        compute = op.get("compute") if isinstance(op, Mapped) else None
        if isinstance(compute, Scalar):
            yield from _renamed(compute.passage.tidied())


def _renamed(passage: Passage) -> Iterator[_Edit]:
    """The calls of ``max`` and ``min`` that are elementwise, in a text without escapes."""
    body, places = parse_statements(passage).body, Leaves(passage, {}, {})
    names = (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name))
    assigned = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    for statement in body:
        with_index = statement.value if isinstance(statement, ast.Assign) and _is_pair(statement) else None
        for node in ast.walk(statement):
            if not isinstance(node, ast.Call) or node is with_index or not isinstance(node.func, ast.Name):
                continue
            old, new = node.func.id, _ELEMENTWISE.get(node.func.id)
            line = passage.lines[node.lineno - 1]
            if new and new not in assigned and len(node.args) == 2 and not node.keywords and line.length is None:
                yield line.line, line.column + places.column(node.lineno, node.col_offset), old, new


def _is_pair(statement: ast.Assign) -> bool:
    """``v, i = ...``: the values and the indices."""
    return isinstance(statement.targets[0], ast.Tuple)


# By n: converts a text and its tree of edition n to the text of edition n + 1, including `edition:`.
Migration = Callable[[str, Tree], str]
MIGRATIONS: Mapping[int, Migration] = {1: _to_second}


def read_current(
    text: str, file: Path | None, migrations: Mapping[int, Migration] = MIGRATIONS
) -> tuple[str, Tree, list[Problem]]:
    """The text in the newest edition that ``migrations`` lead to, its tree, and the problems of its form.

    A text is as it was if its edition cannot be read or written. Raises SpecError for a text that is not valid YAML.
    """
    tree, problems = read_document(text, file)
    while (migration := migrations.get(edition := _edition_of(tree))) is not None:
        made = migration(text, tree)
        later, found = read_document(made, file)
        if _edition_of(later) <= edition:
            break
        text, tree, problems = made, later, found
    return text, tree, problems


def _edition_of(tree: Tree) -> int:
    """The edition that a spec names; 0 if it cannot be read."""
    found = tree.get("edition") if isinstance(tree, Mapped) else None
    word = found.text if isinstance(found, Scalar) else ""
    return int(word) if word.isdecimal() and len(word) < 6 else 0
