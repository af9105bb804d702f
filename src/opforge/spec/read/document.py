"""Parses YAML into a tree whose scalars are text with a place. The field that holds a text decides its type.

PyYAML's compose step gives the nodes with their marks. Without YAML 1.1's type guessing, ``no`` stays ``no``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeAlias

import yaml

from opforge.errors import Location, Problem, SpecError
from opforge.frozen import dataclass
from opforge.spec.source import Passage, Token, split_lines

_LOADER = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_DEEPEST = 16  # project, ops, op, inputs, tensor, list: a spec has six levels
LONGEST = 1_000_000  # characters of a spec; a hundred ops need about 50,000
_MOST_LINES = 10_000
_MOST_NODES = 40_000  # scalars, lists and mappings
_COMMENT = re.compile(r"\s*(#.*)")
_WHOLE = "`opforge new` writes a complete spec to start from"
_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map")}


@dataclass(frozen=True)
class Scalar:
    """A scalar. ``style`` is None for an unquoted one, else one of ``'``, ``"``, ``|``, ``>``."""

    at: Token
    passage: Passage
    style: str | None
    in_flow: bool = False
    comment: str = ""  # the comment behind an unquoted scalar

    @property
    def text(self) -> str:
        """The scalar's text, uninterpreted."""
        return self.at.text

    @property
    def empty(self) -> bool:
        """Whether there is no value: ``key:`` alone."""
        return self.style is None and not self.at.text


@dataclass(frozen=True)
class Sequence:
    """A list."""

    at: Token
    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Mapping:
    """A mapping, in the order of the text."""

    at: Token
    entries: tuple[tuple[Token, Tree], ...]

    def get(self, key: str) -> Tree | None:
        """The value of a key, or None."""
        return next((value for k, value in self.entries if k.text == key), None)


Tree: TypeAlias = Scalar | Sequence | Mapping


def read_document(text: str, file: Path | None) -> tuple[Tree, list[Problem]]:
    """The tree of one YAML document, and the problems of form that do not stop the parser.

    Raises:
        SpecError: the text is not valid YAML, or is empty.
    """
    return _Reader(text, file).read()


def read_option_value(shown: str, value: str) -> tuple[Tree, list[Problem]]:
    """The tree of YAML in a command line; ``shown`` is what messages print before it, such as ``--shape x=``.

    Raises:
        SpecError: the value is not valid YAML, or is empty.
    """
    reader = _Reader(" " * len(shown) + value, None)
    reader.lines = split_lines(shown + value)
    return reader.read()


_TOO_DEEP = f"the spec is nested too deeply; the limit is {_DEEPEST} levels"


class _Reader:
    def __init__(self, text: str, file: Path | None) -> None:
        self.text = text.removeprefix("\ufeff")
        self.file = file
        self.lines = split_lines(self.text)
        self.problems: list[Problem] = []
        self.trees: dict[int, Tree] = {}

    def read(self) -> tuple[Tree, list[Problem]]:
        try:
            self.check_size()
            self.check_depth()
            loader = _LOADER(self.text)
            try:
                root = loader.get_single_node()
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            raise SpecError([self.syntax_problem(error)]) from None
        except yaml.YAMLError as error:
            raise SpecError([self.unreadable(error)]) from None
        except UnicodeEncodeError as error:  # half of a surrogate pair, which UTF-8 cannot encode
            what, hint = f"the text is not valid Unicode: {error.reason}", "save it as UTF-8"
            raise SpecError([Problem(what, Location(self.file, 1, 1), None, hint)]) from None
        if root is None or (isinstance(root, yaml.ScalarNode) and not root.value and not root.style):
            hint = "`opforge new` writes a complete one"
            raise SpecError([Problem("the spec is empty", Location(self.file, 1, 1), None, hint)])
        return self.tree(root, in_flow=False), self.problems

    def check_size(self) -> None:
        """Refuse texts that are too long, before parsing."""
        if len(self.text) > LONGEST:
            what = f"the spec is {len(self.text)} characters long; the limit is {LONGEST}"
        elif len(self.lines) > _MOST_LINES:
            what = f"the spec has {len(self.lines)} lines; the limit is {_MOST_LINES}"
        else:
            return
        raise SpecError([Problem(what, Location(self.file, 1, 1), None, "split the ops over several projects")])

    def check_depth(self) -> None:
        """Refuse deep nesting, from the events. Composing recurses, also in C, where a stack overflow is a crash."""
        depth = nodes = 0
        for event in yaml.parse(self.text, _LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            nodes += isinstance(event, yaml.NodeEvent)
            if depth > _DEEPEST or nodes > _MOST_NODES:
                mark = event.start_mark
                at = self.token("", mark.line, mark.column) if mark else self.token("", 0, 0)
                what = _TOO_DEEP
                if depth <= _DEEPEST:
                    what = f"the spec has too many values; the limit is {_MOST_NODES}"
                raise SpecError([at.problem(what, _WHOLE)])

    def token(self, text: str, line: int, column: int, length: int | None = None) -> Token:
        shown = self.lines[line] if line < len(self.lines) else ""
        return Token(text, self.file, line + 1, column + 1, shown, length)

    def syntax_problem(self, error: yaml.MarkedYAMLError) -> Problem:
        for number, text in enumerate(self.lines):
            if text.startswith("<<<<<<< "):  # git's marker of a merge conflict
                hint = "keep the right lines of both sides, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`"
                return self.token("", number, 0, 7).problem("a merge conflict is not resolved", hint)
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        if line >= len(self.lines) or (line == len(self.lines) - 1 and not self.lines[line]):
            line = max((i for i, text in enumerate(self.lines) if text.strip()), default=0)
            column = len(self.lines[line])
        shown = self.lines[line]
        at = self.token("", line, column)
        if "nesting depth" in str(error.problem):  # the parser's own limit, which it may meet before check_depth's
            return at.problem(_TOO_DEEP, _WHOLE)
        key, colon, value = shown.partition(":")
        if colon and key.strip() == "compute" and ": " in value.strip():
            return at.problem("YAML ends an unquoted compute at `: `", f"quote it: compute: {quoted(value.strip())}")
        if "\t" in shown[: column + 1]:
            return at.problem("YAML does not allow a tab here", "indent with spaces")
        what = (error.problem or error.context or "not readable").strip()
        if "another document" in what:
            return at.problem("a second YAML document begins here", "a spec must be one document")
        return at.problem(f"this is not valid YAML: {what}", "check the brackets, quotes and indentation up to here")

    def unreadable(self, error: yaml.YAMLError) -> Problem:
        position = getattr(error, "position", None)
        if isinstance(position, int) and position < len(self.text):
            before = split_lines(self.text[:position])
            at = self.token("", len(before) - 1, len(before[-1]))
            return at.problem(f"character U+{ord(self.text[position]):04X} is not allowed in YAML", "remove it")
        what = "the text has a control character, which YAML does not allow"
        return Problem(what, Location(self.file, 1, 1), None, "remove it")

    def tree(self, node: yaml.Node, *, in_flow: bool) -> Tree:
        line, column = node.start_mark.line, node.start_mark.column
        if id(node) in self.trees:
            at = self.token("", line, column)
            self.problems.append(at.problem("anchors and aliases are not supported", "write out the value"))
            return self.trees[id(node)]
        # While a node is read, this placeholder stands for aliases of it inside it.
        self.trees[id(node)] = Scalar(self.token("", line, column), Passage((self.token("", line, column),)), "'")
        self.trees[id(node)] = made = self.made(node, line, column, in_flow=in_flow)
        return made

    def made(self, node: yaml.Node, line: int, column: int, *, in_flow: bool) -> Tree:
        if (
            isinstance(node, yaml.ScalarNode) and "\0" in node.value
        ):  # escaped; it would end C strings and is refused by Python
            at = self.token("", line, column)
            self.problems.append(
                at.problem("the text has a NUL character, which source files cannot contain", "remove it")
            )
        if node.tag not in _TAGS:
            at = self.token("", line, column)
            self.problems.append(
                at.problem(f"tags such as {node.tag} are not supported", "the field determines the type of its value")
            )
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, in_flow=in_flow)
        flow = in_flow or bool(getattr(node, "flow_style", False))
        reach = node.end_mark.column - column if node.end_mark.line == line else None
        at = self.token("", line, column, reach if flow else None)
        if isinstance(node, yaml.SequenceNode):
            return Sequence(at, tuple(self.tree(item, in_flow=flow) for item in node.value))
        return Mapping(at, self.entries(node, flow=flow))

    def entries(self, node: yaml.Node, *, flow: bool) -> tuple[tuple[Token, Tree], ...]:
        entries: dict[str, tuple[Token, Tree]] = {}
        for key_node, value_node in node.value:
            key, value = self.tree(key_node, in_flow=flow), self.tree(value_node, in_flow=flow)
            if not isinstance(key, Scalar) or not key.text:
                self.problems.append(
                    key.at.problem("a key must be a name", "write `name: value`; quote text that looks like YAML")
                )
            elif key.text in entries:
                first = entries[key.text][0]
                self.problems.append(
                    key.at.problem(f"`{key.text}` is given twice", f"the first one is in line {first.line}")
                )
            else:
                entries[key.text] = (key.at, value)
        return tuple(entries.values())

    def scalar(self, node: yaml.ScalarNode, *, in_flow: bool) -> Scalar:
        line, column, style = node.start_mark.line, node.start_mark.column, node.style or None
        if style in ("|", ">"):
            return Scalar(self.token(node.value, line, column, 1), self.block(node), style, in_flow)
        end = node.end_mark.line, node.end_mark.column
        raw = self.lines[line][column : end[1]] if end[0] == line and line < len(self.lines) else None
        if raw == node.value:
            at = self.token(node.value, line, column)
        elif raw is not None and raw[1:-1] == node.value:
            at = self.token(node.value, line, column + 1)
        else:
            at = self.token(node.value, line, column, len(raw) if raw else 1)
        rest = _COMMENT.match(self.lines[end[0]], end[1]) if style is None and end[0] < len(self.lines) else None
        comment = rest[1] if rest is not None else ""
        lines = node.value.splitlines() if "\n" in node.value or "\r" in node.value else []
        passage = tuple(self.token(part, line, column, at.length or 1) for part in lines) or (at,)
        return Scalar(at, Passage(passage), style, in_flow, comment)

    def block(self, node: yaml.ScalarNode) -> Passage:
        """The lines of a block scalar with their places; they begin on the line after the header."""
        content = split_lines(node.value)
        first = node.start_mark.line + 1
        indent = next(
            (
                len(self.lines[first + i]) - len(text)
                for i, text in enumerate(content)
                if text.strip() and first + i < len(self.lines) and self.lines[first + i].endswith(text)
            ),
            0,
        )
        return Passage(tuple(self.token(text, first + i, indent) for i, text in enumerate(content)))


def quoted(text: str) -> str:
    """The text as a YAML scalar in single quotes."""
    return "'" + text.replace("'", "''") + "'"
