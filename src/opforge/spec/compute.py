"""Parses ``compute``: assignments, line by line.

    >>> parse_compute(parse_statements(plain_passage("y = silu(x) * 2")), {"x": ("float32",)}, {}).outputs
    ('y',)

``expression`` reads the values, ``ir`` lowers the trees.
"""

from __future__ import annotations

import ast
import dataclasses
import warnings
from collections.abc import Iterator, Mapping

from opforge.errors import Problem
from opforge.frozen import dataclass
from opforge.spec.axes import LAST
from opforge.spec.expression import Reader
from opforge.spec.language import (
    ACCEPTED,
    DEEPEST,
    DEFINED,
    FORMS,
    FUNCTIONS,
    GIVEN_OR,
    MOST_CHARACTERS,
    MOST_OPERATORS,
    RECENT,
)
from opforge.spec.leaves import Leaves
from opforge.spec.methods import as_functions
from opforge.spec.row_meanings import EXTREMES
from opforge.spec.source import Passage
from opforge.spec.tree import Assignment, Compute, Name, Number, Result, Unsqueezed, walk
from opforge.spec.value_dims import ONE, Dims, shown
from opforge.spec.value_kinds import Typed, kinds_of

SHORTER = "assign parts of it to names, on separate lines"


@dataclass(frozen=True)
class Statements:
    """A text as Python's parser reads it; ``problems`` are those of a text that it refuses."""

    passage: Passage
    body: tuple[ast.stmt, ...]
    problems: tuple[Problem, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the last assignment."""
        return tuple(target.id for target in _targets(self.body[-1])) if self.body else ()


def parse_statements(passage: Passage) -> Statements:
    """The statements of a compute text, tidied."""
    syntax = _Syntax(passage, {}, {})
    return Statements(passage, tuple(syntax.statements()), tuple(syntax.problems))


def parse_compute(
    statements: Statements,
    inputs: Mapping[str, tuple[str, ...]],
    attrs: Mapping[str, str],
    outputs: tuple[str, ...] | None = None,
    *,
    optional: frozenset[str] | None = frozenset(),
    dims: Mapping[str, Dims] | None = None,
) -> Compute:
    """Read a compute text against the names it may use.

    Args:
        statements: those of the text.
        inputs: names of the tensors and their dtypes; a tensor with unknown dtypes may be of any kind.
        attrs: names of the attributes and their types.
        outputs: declared outputs; None: the outputs are the names of the last line.
        dims: the dimensions of the inputs, where known.
        optional: optional inputs; None: the inputs that the text tests with ``present``.

    Returns:
        The assignments; ``problems`` is empty if and only if they are right.
    """
    over, of_rows = None, frozenset[str]()
    while True:
        lines = _Lines(statements.passage, inputs, attrs, optional, dims)
        lines.over, lines.of_rows = over, of_rows
        made = lines.parse(statements, outputs)
        later = over or next(iter(lines.clashes), None), of_rows | lines.beside_rows
        if later == (over, of_rows):
            return made
        over, of_rows = later


class _Syntax(Leaves):
    def statements(self) -> list[ast.stmt]:
        if not any(line.strip() for line in self.lines):
            self.problems.append(self.passage.lines[0].problem("compute is empty", "for example `y = silu(x) * 2`"))
            return []
        characters = len(self.passage.text)
        if characters > MOST_CHARACTERS:
            what = f"compute is {characters} characters long; the limit is {MOST_CHARACTERS}"
            self.problems.append(self.passage.lines[0].problem(what, "split it into several ops"))
            return []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(self.passage.text).body
        except SyntaxError as error:
            line, column = error.lineno or 1, (error.offset or 1) - 1
            single = error.end_lineno == error.lineno and (error.end_offset or 0) > column + 1
            reach = (error.end_offset or 0) - 1 - column if single else 1
            what, hint = (
                f"compute is not a valid expression: {error.msg}",
                "for example `y = silu(x) * 2`, in Python's syntax",
            )
            if isinstance(error, IndentationError):
                what, column, reach = "this line is indented and the one before is not", 0, column
                hint = "all lines of compute must begin in the same column"
            self.problems.append(self.passage.problem(what, hint, line, column, reach))
            return []
        except (ValueError, RecursionError, MemoryError):
            self.problems.append(self.passage.lines[0].problem("compute is nested too deeply, or is not text", SHORTER))
            return []
        if not body:
            self.problems.append(
                self.passage.lines[0].problem("compute has no assignment", "for example `y = silu(x) * 2`")
            )
        return body if self.fits(body) else []

    def fits(self, body: list[ast.stmt]) -> bool:
        """Whether the expression is within the limits on depth and operators; reports it if not."""
        count = 0
        for statement in body:
            todo: list[tuple[ast.AST, int]] = [(statement, 0)]
            while todo:
                node, depth = todo.pop()
                count += _operators(node)
                if depth > DEEPEST:
                    what = f"this is nested too deeply; the limit is {DEEPEST} levels"
                    self.report(statement, what, SHORTER)
                    return False
                todo += [(child, depth + 1) for child in ast.iter_child_nodes(node) if not _context(child)]
        if count > MOST_OPERATORS:
            what = f"compute has {count} operators; the limit is {MOST_OPERATORS}"
            self.problems.append(self.passage.lines[0].problem(what, "split it into several ops"))
        return count <= MOST_OPERATORS


class _Lines(Reader):
    def parse(self, statements: Statements, outputs: tuple[str, ...] | None) -> Compute:
        self.problems += statements.problems
        last: tuple[str, ...] = ()
        body = as_functions(statements.body, {*self.inputs, *self.attrs})
        for statement in body:
            last = self.statement(statement)
        for name, node in self.bare.items():
            if self.optional is None and name in self.asked:
                self.report(
                    node,
                    f"`{name}` is used as an optional input elsewhere in compute, and may be missing here",
                    GIVEN_OR,
                )
        wanted = last if outputs is None else outputs
        if body and not self.problems:
            self.unused(wanted)
            self.used_otherwise()
        reads = frozenset(name for name in self.read if name in self.inputs)
        asked = frozenset(self.asked)
        results = {name: self.result(self.locals[name]) for name in wanted if name in self.locals}
        zeros = tuple(self.place(node) for node in _zero_divisors(body))
        axes = self.reduced[0] if self.reduced else LAST
        return Compute(tuple(self.assigned.values()), wanted, reads, asked, tuple(self.problems), results, zeros, axes)

    def result(self, value: Typed | None) -> Result:
        """The dtype of an output whose dtype the spec does not state, and its dimensions."""
        dims = value.dims if value is not None and value.reduced else None
        return dataclasses.replace(self.typed(value), dims=dims)

    def typed(self, value: Typed | None) -> Result:
        """The dtype of an output whose dtype the spec does not state."""
        if value is not None and value.dtype is not None:
            return Result(value.dtype, None)
        if value is not None and value.kind == "mask":
            return Result("bool", None)
        if value is not None and value.width is not None:
            return Result(None if value.width.like else value.width.dtypes[0], value.width.like)
        floats = [name for name, dtypes in self.inputs.items() if kinds_of(dtypes) in (("float",), ())]
        given = [name for name in floats if name not in (self.asked if self.optional is None else self.optional)]
        follows = next(iter([*given, *floats]), None)
        return Result("float32" if follows is None else None, follows)

    def statement(self, statement: ast.stmt) -> tuple[str, ...]:
        if not isinstance(statement, ast.Assign):
            if isinstance(statement, ast.Expr):
                name = next((n for n in ("y", "z", "result") if n not in self.inputs and n not in self.attrs), "y")
                self.report(statement, "this value has no name", f"write an assignment: `{name} = ...`")
            elif isinstance(statement, ast.AugAssign):
                self.report(statement, "assignments such as `+=` are not supported", "give the new value another name")
            else:
                self.report(statement, "expected an assignment", f"for example `y = silu(x) * 2`; {ACCEPTED}")
            return ()
        if len(statement.targets) > 1:
            self.report(statement, "`a = b = ...` is not supported", "write one assignment per line")
            return ()
        earlier = max((a.line for a in self.assigned.values()), default=0)
        if statement.lineno == earlier:
            self.report(statement, "this line has two assignments", "write one assignment per line")
        target, value = statement.targets[0], statement.value
        picked = self.picked(target, value)
        if picked is not None:
            return self.assign_each(picked)
        if isinstance(target, ast.Tuple):
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            if len(values) != len(target.elts):
                self.report(
                    statement,
                    f"{len(target.elts)} names, but {len(values)} values",
                    "for example `y, z = x + 1, x * 2`",
                )
                return ()
            pairs = list(zip(target.elts, values, strict=True))
        else:
            pairs = [(target, value)]
        return self.assign_each([(t, self.value(v)) for t, v in pairs])  # values use the names of earlier lines

    def picked(self, target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, Typed | None]] | None:
        """The two results of ``v, i = max(x, -1)``; None for other statements."""
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return None
        name = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
        if not isinstance(value, ast.Call) or name not in EXTREMES or name in self.assigned:
            return None
        return list(zip(target.elts, self.extremes(value, name), strict=True))

    def assign_each(self, made: list[tuple[ast.expr, Typed | None]]) -> tuple[str, ...]:
        assigned = [self.assign(target, value) for target, value in made]
        return tuple(name for name in assigned if name is not None)

    def assign(self, target: ast.expr, value: Typed | None) -> str | None:
        if not isinstance(target, ast.Name):
            self.report(target, "the left side of an assignment must be a name", "for example `y = silu(x) * 2`")
            return None
        name = target.id
        if name in self.inputs or name in self.attrs:
            kind = "input" if name in self.inputs else "attribute"
            self.report(target, f"`{name}` is an {kind} and cannot be assigned to", "give the result another name")
        elif name in self.assigned:
            first = self.assigned[name].line
            self.report(target, f"`{name}` is assigned twice", f"first in line {first} of compute; use another name")
        elif (name in FUNCTIONS or name in DEFINED or name in FORMS) and name not in RECENT:
            self.report(target, f"`{name}` is a function", "give the result another name")
        else:
            column = self.column(target.lineno, target.col_offset)
            self.assigned[name] = Assignment(name, value.tree if value else Number(0.0), target.lineno, column)
            self.locals[name] = value
        return name

    def used_otherwise(self) -> None:
        """Report inputs that have one element for each row in one place and whole rows in another."""
        parts = [part for made in self.assigned.values() for part in walk(made.value)]
        plain = {part.name for part in parts if isinstance(part, Name)}
        for name in dict.fromkeys(part.name for part in parts if isinstance(part, Unsqueezed)):
            if name in plain:
                what = f"`{name}` is a class index for each row, and is used beside values that have all dimensions"
                kept = shown((*self.dims.get(name, ()), ONE))
                self.report(self.bare[name], what, f"give it the shape {kept}, which meets both")

    def unused(self, outputs: tuple[str, ...]) -> None:
        for name, made in self.assigned.items():
            if name not in self.read and name not in outputs:
                what = f"`{name}` is never used"
                hint = "the outputs are the names of the last line, or those under `outputs:`"
                self.problems.append(self.passage.problem(what, hint, made.line, made.column, len(name)))


def _operators(node: ast.AST) -> int:
    """The number of operators of a node of Python's tree."""
    if isinstance(node, ast.Compare):
        return len(node.ops)
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call)


def _context(node: ast.AST) -> bool:
    """Whether a node of Python's tree has no text: operators, and the context of a name."""
    return isinstance(node, ast.expr_context | ast.operator | ast.unaryop | ast.cmpop | ast.boolop)


def _targets(statement: ast.stmt) -> list[ast.Name]:
    if not isinstance(statement, ast.Assign):
        return []
    target = statement.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    return [name for name in names if isinstance(name, ast.Name)]


def _zero_divisors(body: tuple[ast.stmt, ...]) -> Iterator[ast.expr]:
    """The literal zeros that a value is divided by."""
    for node in (each for statement in body for each in ast.walk(statement)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_zero(node.right):
            yield node.right
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reciprocal":
            yield from filter(_is_zero, node.args[:1])


def _is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_zero(node.operand)
    return isinstance(node, ast.Constant) and node.value == 0
