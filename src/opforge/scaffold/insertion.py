"""Inserts an op into the text of an opforge.yaml and keeps all other bytes, comments and layout included."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from opforge.errors import InternalError, Location, ProjectError
from opforge.frozen import dataclass
from opforge.spec.model import OpSpec, ProjectSpec, Spec
from opforge.spec.read.document import read_document
from opforge.spec.source import split_lines
from opforge.spec.yaml_printer import print_spec

_LOADER = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_LEVEL = 2  # columns per level of the printer
_CONTENT = 3  # the printer's level for the lines of a block scalar
_QUOTED = ("compute", "doc")  # in braces YAML would end them at a comma
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # characters that YAML refuses between double quotes
_PROJECT = ProjectSpec("name", "name", "name", "0.1.0", ("ascend910b",))  # only to print an op


@dataclass(frozen=True)
class Inserted:
    """The new text and the lines of the op in it (from 1, inclusive)."""

    text: str
    first: int
    last: int


def declared_ops(text: str, file: Path) -> dict[str, int]:
    """The op types below ``ops:`` with their lines. Raises SpecError for text that is not valid YAML."""
    read_document(text, file)  # refuses text that is nested too deeply
    ops = _ops(text)
    if ops is None or not isinstance(ops[0], yaml.MappingNode):
        return {}
    return {key.value: key.start_mark.line + 1 for key, _ in ops[0].value if isinstance(key, yaml.ScalarNode)}


def insert_op(text: str, op: OpSpec, file: Path) -> Inserted:
    """The text with ``op`` after its last op, in the style of the text.

    Raises SpecError for text that is not valid YAML, and ProjectError for text without ``ops:``.
    """
    read_document(text, file)
    found = _ops(text)
    if found is None:
        raise ProjectError(f"{file} has no `ops:`", hint="a spec has `edition:`, `project:` and `ops:`")
    ops, end, in_braces = found
    if isinstance(ops, yaml.MappingNode):
        alone = text.removeprefix("\ufeff")[ops.start_mark.index : ops.end_mark.index] == "{}"
        if ops.flow_style and (in_braces or not alone):
            return _into_braces(text, ops, op)
        return _below(text, ops, end, op) if ops.value else _first(text, ops, op)
    if isinstance(ops, yaml.ScalarNode) and not ops.value and not in_braces:
        return _first(text, ops, op)
    place = Location(file, ops.start_mark.line + 1, ops.start_mark.column + 1)
    raise ProjectError(f"{place}: `ops:` is not a mapping of ops", hint="write `ops:` without a value, and add again")


def _ops(text: str) -> tuple[yaml.Node, int, bool] | None:
    """The value of ``ops``, the first line (from 0) after it, and whether the whole spec is in braces."""
    root = yaml.compose(text.removeprefix("\ufeff"), _LOADER)
    if not isinstance(root, yaml.MappingNode):
        return None
    for place, (key, value) in enumerate(root.value):
        if key.value == "ops":
            following = root.value[place + 1][0].start_mark if place + 1 < len(root.value) else root.end_mark
            return value, following.line, bool(root.flow_style)
    return None


def _block(op: OpSpec, indent: int, step: int) -> list[str]:
    """The lines of an op, its type at column ``indent`` and each level ``step`` columns further in."""
    printed = print_spec(Spec(_PROJECT, (op,)))
    _, _, body = printed.partition("\nops:\n")
    lines = []
    for line in body.splitlines():
        columns = len(line) - len(line.lstrip(" "))
        level = min(columns // _LEVEL, _CONTENT) - 1
        extra = columns - (level + 1) * _LEVEL
        lines.append(" " * (indent + level * step + extra) + line.lstrip(" ") if line.strip() else "")
    return lines


def _below(text: str, ops: yaml.MappingNode, end: int, op: OpSpec) -> Inserted:
    """Insert after the last op of a block mapping, before comments that belong to the next key."""
    lines, eol = _lines(text)
    keys = [key for key, _ in ops.value]
    indent = keys[0].start_mark.column
    last = keys[-1].start_mark.line
    stop = min(end, len(lines))
    while stop > last + 1 and _outside(lines[stop - 1], indent):
        stop -= 1
    fields = [value.value[0][0].start_mark.column for _, value in ops.value if _is_block(value)]
    made = _block(op, indent, max(fields[0] - indent, 1) if fields else _LEVEL)
    apart = len(keys) > 1 and not lines[keys[-1].start_mark.line - 1].strip()
    return _spliced(text, lines, stop, ([""] if apart else []) + made, eol)


def _is_block(value: yaml.Node) -> bool:
    return isinstance(value, yaml.MappingNode) and bool(value.value) and not value.flow_style


def _outside(line: str, indent: int) -> bool:
    """Whether a line after the ops does not belong to them: blank, the document's end, or a less indented comment."""
    content = line.strip("\r\n\x85\u2028\u2029 \t")
    if not content or content in ("...", "---"):
        return True
    return content.startswith("#") and len(line) - len(line.lstrip(" ")) < indent


def _spliced(text: str, lines: list[str], at: int, made: list[str], eol: str) -> Inserted:
    """The text with whole lines inserted before line ``at`` (from 0); a missing final line end stays missing."""
    before, after = "".join(lines[:at]), "".join(lines[at:])
    opened = bool(before) and not before.endswith(("\n", "\r"))
    inserted = (eol if opened else "") + eol.join(made) + ("" if opened else eol)
    first = at + 1 + (not made[0])
    return Inserted(_with_mark(text, before + inserted + after), first, at + len(made))


def _first(text: str, ops: yaml.Node, op: OpSpec) -> Inserted:
    """Insert below an empty ``ops:``; removes ``{}`` and keeps a comment behind it."""
    plain = text.removeprefix("\ufeff")
    before, after = plain[: ops.start_mark.index], plain[ops.end_mark.index :]
    lines, eol = _lines(before.rstrip(" ") + after if isinstance(ops, yaml.MappingNode) else plain)
    return _spliced(text, lines, len(split_lines(before)), _block(op, _LEVEL, _LEVEL), eol)


def _into_braces(text: str, ops: yaml.MappingNode, op: OpSpec) -> Inserted:
    """Insert into a flow mapping, after its last entry, or after the opening brace of an empty one."""
    plain = text.removeprefix("\ufeff")
    tree = yaml.compose("\n".join(_block(op, 0, _LEVEL)), _LOADER)
    if tree is None:
        raise InternalError(f"the text of op {op.type} is empty")
    made = _flow(tree)[1:-1]
    if ops.value:
        at = ops.value[-1][1].end_mark.index
        comma = re.match(r"\s*,", plain[at : ops.end_mark.index])
        at += comma.end() if comma else 0
        made = f" {made}," if comma else f", {made}"
    else:
        at = ops.start_mark.index + 1
        made = made if plain[at : ops.end_mark.index] == "}" else f" {made} "
    number = len(split_lines(plain[:at]))
    return Inserted(_with_mark(text, plain[:at] + made + plain[at:]), number, number)


def _flow(node: yaml.Node, key: str = "") -> str:
    """A node as YAML on one line, in braces and brackets."""
    if isinstance(node, yaml.MappingNode):
        return "{" + ", ".join(f"{name.value}: {_flow(value, name.value)}" for name, value in node.value) + "}"
    if isinstance(node, yaml.SequenceNode):
        return "[" + ", ".join(_flow(item) for item in node.value) + "]"
    if isinstance(node, yaml.ScalarNode) and not node.style and key not in _QUOTED:
        return str(node.value)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(node.value, ensure_ascii=False))


def _lines(text: str) -> tuple[list[str], str]:
    """The lines with their ends, split by YAML's rule, and the most frequent line end."""
    plain = text.removeprefix("\ufeff")
    lines = re.findall("[^\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029])|[^\n\r\x85\u2028\u2029]+", plain)
    crlf = plain.count("\r\n") * 2 > plain.count("\n")
    return lines, "\r\n" if crlf else "\n"


def _with_mark(text: str, made: str) -> str:
    return "\ufeff" + made if text.startswith("\ufeff") else made
