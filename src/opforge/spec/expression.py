"""The expression language of ``compute``: Python's own syntax and precedence, cut down to what ops can say.

    >>> parse_compute(plain_passage("y = silu(x) * 2"), {"x": None}, {}).outputs
    ('y',)

Everything Python could say that this language cannot is refused by name, at its place. ``ir`` lowers the trees.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from opforge.errors import Problem
from opforge.spec.language import (
    ACCEPTED,
    BINARY,
    FLOAT32_MAX,
    FUNCTIONS,
    LATER,
    NO_NODE,
    NO_OPERATOR,
    NO_UNARY,
    SPELLED,
)
from opforge.spec.source import Passage, closest, plain_passage


@dataclass(frozen=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True)
class Name:
    """An input, a numeric attribute, or a name assigned on an earlier line."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operator or function of the kernel IR, by the IR's name, on its operands."""

    op: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = Number | Name | Apply


@dataclass(frozen=True)
class Assignment:
    """One name and its value. ``line`` and ``column`` are the name's place in the compute text (from 1, from 0)."""

    name: str
    value: Expression
    line: int
    column: int


@dataclass(frozen=True)
class Compute:
    """A whole compute text. ``last`` holds the names of its last line; ``names`` are the inputs it reads."""

    assignments: tuple[Assignment, ...]
    outputs: tuple[str, ...]
    reads: frozenset[str]
    problems: tuple[Problem, ...]


def parse_compute(
    passage: Passage,
    inputs: Mapping[str, object],
    attrs: Mapping[str, str],
    outputs: tuple[str, ...] | None = None,
) -> Compute:
    """Read a compute text against the names it may use.

    Args:
        passage: the text, tidied.
        inputs: names of the tensors (the values are not looked at).
        attrs: names of the attributes and their types.
        outputs: declared outputs, or None: then the names of the last line are the outputs.

    Returns:
        The assignments; ``problems`` is empty if, and only if, they are right.
    """
    return _Parser(passage, inputs, attrs).parse(outputs)


def output_names(text: str) -> tuple[str, ...]:
    """The names of the last assignment of a text, or none where it has none: a look before the real parse."""
    parser = _Parser(plain_passage(text), {}, {})
    statements = parser.statements()
    return tuple(t.id for t in _targets(statements[-1])) if statements else ()


class _Parser:
    def __init__(self, passage: Passage, inputs: Mapping[str, object], attrs: Mapping[str, str]) -> None:
        self.passage = passage
        self.inputs = inputs
        self.attrs = attrs
        self.lines = [line.text for line in passage.lines]
        self.problems: list[Problem] = []
        self.assigned: dict[str, Assignment] = {}
        self.read: set[str] = set()

    def parse(self, outputs: tuple[str, ...] | None) -> Compute:
        statements = self.statements()
        last: tuple[str, ...] = ()
        for statement in statements:
            last = self.statement(statement)
        wanted = last if outputs is None else outputs
        if statements and not self.problems:
            self.unused(wanted)
        reads = frozenset(name for name in self.read if name in self.inputs)
        return Compute(tuple(self.assigned.values()), wanted, reads, tuple(self.problems))

    def statements(self) -> list[ast.stmt]:
        if not any(line.strip() for line in self.lines):
            self.problems.append(self.passage.lines[0].problem("compute is empty", "as `y = silu(x) * 2`"))
            return []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(self.passage.text).body
        except SyntaxError as error:
            line, column = error.lineno or 1, (error.offset or 1) - 1
            single = error.end_lineno == error.lineno and (error.end_offset or 0) > column + 1
            reach = (error.end_offset or 0) - 1 - column if single else 1
            what = f"compute is no expression: {error.msg}"
            if isinstance(error, IndentationError):
                what, column, reach = "this line is indented where the one before is not", 0, column
            self.problems.append(self.passage.problem(what, None, line, column, reach))
            return []
        except (ValueError, RecursionError, MemoryError):
            self.problems.append(self.passage.lines[0].problem("compute is nested too deeply, or no text"))
            return []
        if not body:
            self.problems.append(self.passage.lines[0].problem("compute has no assignment", "as `y = silu(x) * 2`"))
        return body

    def report(self, node: ast.expr | ast.stmt, what: str, hint: str | None = None) -> None:
        start = self.column(node.lineno, node.col_offset)
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            reach = self.column(node.lineno, node.end_col_offset) - start
        else:
            reach = len(self.lines[node.lineno - 1]) - start
        self.problems.append(self.passage.problem(what, hint, node.lineno, start, reach))

    def column(self, line: int, byte_offset: int) -> int:
        """Python counts columns in bytes of UTF-8; users count characters."""
        return len(self.lines[line - 1].encode()[:byte_offset].decode(errors="ignore"))

    def statement(self, statement: ast.stmt) -> tuple[str, ...]:
        if not isinstance(statement, ast.Assign):
            if isinstance(statement, ast.Expr):
                name = next((n for n in ("y", "z", "result") if n not in self.inputs and n not in self.attrs), "y")
                self.report(statement, "this value has no name", f"write an assignment: `{name} = ...`")
            elif isinstance(statement, ast.AugAssign):
                self.report(
                    statement, "assignments such as `+=` are not supported", "give the new value a name of its own"
                )
            else:
                self.report(statement, "only assignments can stand here", f"as `y = silu(x) * 2`; {ACCEPTED}")
            return ()
        if len(statement.targets) > 1:
            self.report(statement, "`a = b = ...` is not supported", "one assignment a line")
            return ()
        earlier = max((a.line for a in self.assigned.values()), default=0)
        if statement.lineno == earlier:
            self.report(statement, "two assignments stand in one line", "one assignment a line")
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple):
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            if len(values) != len(target.elts):
                self.report(
                    statement, f"{len(target.elts)} names, but {len(values)} values", "as `y, z = x + 1, x * 2`"
                )
                return ()
            pairs = list(zip(target.elts, values, strict=True))
        else:
            pairs = [(target, value)]
        made = [(t, self.expression(v)) for t, v in pairs]  # values first: they see the names of earlier lines
        assigned = [self.assign(t, v) for t, v in made]
        return tuple(name for name in assigned if name is not None)

    def assign(self, target: ast.expr, value: Expression | None) -> str | None:
        if not isinstance(target, ast.Name):
            self.report(target, "only a name can be assigned to", "as `y = silu(x) * 2`")
            return None
        name = target.id
        if name in self.inputs or name in self.attrs:
            kind = "input" if name in self.inputs else "attribute"
            self.report(target, f"`{name}` is an {kind} and cannot be assigned to", "give the result another name")
        elif name in self.assigned:
            first = self.assigned[name].line
            self.report(target, f"`{name}` is assigned twice", f"first in line {first} of compute; take another name")
        elif name in FUNCTIONS:
            self.report(target, f"`{name}` is a function", "give the result another name")
        else:
            column = self.column(target.lineno, target.col_offset)
            self.assigned[name] = Assignment(name, value or Number(0.0), target.lineno, column)
        return name

    def expression(self, node: ast.expr) -> Expression | None:
        try:
            return self.value(node)
        except RecursionError:
            self.report(node, "this expression is nested too deeply", "split it into several lines")
            return None

    def value(self, node: ast.expr) -> Expression | None:
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Constant):
            return self.number(node)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        what, hint = NO_NODE.get(type(node), ("this is not supported", ACCEPTED))
        self.report(node, what, hint)
        return None

    def name(self, node: ast.Name) -> Expression | None:
        name = node.id
        kind = self.attrs.get(name)
        self.read.add(name)
        if name in self.inputs or name in self.assigned or kind in ("int", "float"):
            return Name(name)
        if kind is not None:
            self.report(node, f"`{name}` is a {kind} attribute, and expressions take int and float ones only")
        elif name in FUNCTIONS or name in LATER:
            self.report(node, f"`{name}` is a function: it needs arguments in parentheses")
        else:
            known = [*self.inputs, *self.attrs, *self.assigned]
            meant = closest(name, known)
            hint = f"did you mean `{meant}`?" if meant else f"known here: {', '.join(known)}"
            self.report(node, f"`{name}` is neither an input nor an attribute, and no earlier line assigns it", hint)
        return None

    def number(self, node: ast.Constant) -> Expression | None:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            kind = "text" if isinstance(value, str | bytes) else f"`{value}`"
            self.report(node, f"{kind} is not supported in an expression", ACCEPTED)
            return None
        if not abs(value) <= FLOAT32_MAX:
            self.report(node, "this number does not fit in float32", f"the largest is {FLOAT32_MAX!r}")
            return None
        return Number(float(value))

    def binary(self, node: ast.BinOp) -> Expression | None:
        op = BINARY.get(type(node.op))
        if op is None:
            what, hint = NO_OPERATOR[type(node.op)]
            self.report(node, what, hint)
            return None
        left, right = self.value(node.left), self.value(node.right)
        return Apply(op, (left, right)) if left is not None and right is not None else None

    def unary(self, node: ast.UnaryOp) -> Expression | None:
        if type(node.op) in NO_UNARY:
            self.report(node, *NO_UNARY[type(node.op)])
            return None
        operand = self.value(node.operand)
        if isinstance(node.op, ast.UAdd) or operand is None:
            return operand
        return Apply("neg", (operand,))

    def call(self, node: ast.Call) -> Expression | None:
        if not isinstance(node.func, ast.Name):
            self.report(node.func, "only plain functions can be called, no methods and no modules", ACCEPTED)
            return None
        name = node.func.id
        if name not in FUNCTIONS:
            self.unknown_function(node.func)
            return None
        arity = FUNCTIONS[name]
        given = len(node.args) + len(node.keywords)
        if node.keywords:
            self.report(node, f"`{name}` takes its arguments by position")
            return None
        if given != arity:
            hint = f"nest the calls: `{name}(a, {name}(b, c))`" if arity == 2 and given > 2 else None
            plural = "s" if arity > 1 else ""
            self.report(node, f"`{name}` takes {arity} argument{plural}, not {given}", hint)
            return None
        operands = [self.value(argument) for argument in node.args]
        done = tuple(operand for operand in operands if operand is not None)
        return Apply(name, done) if len(done) == arity else None

    def unknown_function(self, func: ast.Name) -> None:
        name = func.id
        if name in LATER:
            self.report(func, f"`{name}` is not supported yet", ACCEPTED)
            return
        if name in self.inputs or name in self.attrs or name in self.assigned:
            self.report(func, f"`{name}` is no function", "a product needs its `*`")
            return
        meant = SPELLED.get(name) or closest(name, list(FUNCTIONS))
        self.report(func, f"there is no function `{name}`", f"did you mean `{meant}`?" if meant else ACCEPTED)

    def unused(self, outputs: tuple[str, ...]) -> None:
        for name, made in self.assigned.items():
            if name not in self.read and name not in outputs:
                what = f"`{name}` is never used"
                hint = "outputs are the names of the last line, or those under `outputs:`"
                self.problems.append(self.passage.problem(what, hint, made.line, made.column, len(name)))


def _targets(statement: ast.stmt) -> list[ast.Name]:
    if not isinstance(statement, ast.Assign):
        return []
    target = statement.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    return [name for name in names if isinstance(name, ast.Name)]
