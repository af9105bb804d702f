"""The values of the expression language: Python's own syntax and precedence, cut down to what ops can say.

Everything Python could say that this language cannot is refused by name, at its place. ``compute`` reads the lines.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from opforge.errors import Problem
from opforge.spec.language import (
    ACCEPTED,
    BINARY,
    FLOAT32_MAX,
    FORMS,
    FUNCTIONS,
    GIVEN_OR,
    INSTEAD,
    LATER,
    NO_NODE,
    NO_OPERATOR,
    NO_UNARY,
    OPERANDS,
    SPELLED,
)
from opforge.spec.source import Passage, closest
from opforge.spec.tree import Apply, Assignment, Expression, GivenOr, Name, Number, Operand, Place, Product


class Reader:
    """Reads values against the names known so far; what is wrong goes to ``problems``."""

    def __init__(
        self,
        passage: Passage,
        inputs: Mapping[str, object],
        attrs: Mapping[str, str],
        optional: frozenset[str] | None = frozenset(),
    ) -> None:
        self.passage = passage
        self.inputs = inputs
        self.attrs = attrs
        self.optional = optional  # None: an input is optional if compute asks for it with present
        self.lines = [line.text for line in passage.lines]
        self.problems: list[Problem] = []
        self.assigned: dict[str, Assignment] = {}
        self.numbers: set[str] = set()  # locals that depend on no tensor
        self.read: set[str] = set()
        self.asked: dict[str, float] = {}  # optional inputs, and the number that stands for them
        self.bare: dict[str, ast.Name] = {}  # inputs outside of `where`, and where first

    def report(self, node: ast.expr | ast.stmt, what: str, hint: str | None = None) -> None:
        """Add a problem with that piece of the text."""
        place = self.place(node)
        self.problems.append(self.passage.problem(what, hint, place.line, place.column, place.length))

    def place(self, node: ast.expr | ast.stmt) -> Place:
        """Where it stands; the rest of its first line where it has several."""
        start = self.column(node.lineno, node.col_offset)
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            return Place(node.lineno, start, self.column(node.lineno, node.end_col_offset) - start)
        return Place(node.lineno, start, len(self.lines[node.lineno - 1]) - start)

    def column(self, line: int, byte_offset: int) -> int:
        """Python counts columns in bytes of UTF-8; users count characters."""
        return len(self.lines[line - 1].encode()[:byte_offset].decode(errors="ignore"))

    def expression(self, node: ast.expr) -> Expression | None:
        """The value of a whole expression, or None where it was refused."""
        try:
            return self.value(node)
        except RecursionError:
            self.report(node, "this expression is nested too deeply", "split it into several lines")
            return None

    def value(self, node: ast.expr) -> Expression | None:
        """The value of a part."""
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Constant):
            return self.number(node)
        if isinstance(node, ast.BinOp):
            return self.product(node) if isinstance(node.op, ast.MatMult) else self.binary(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute):
            self.report(node, *_no_attribute(node))
            return None
        what, hint = NO_NODE.get(type(node), ("this is not supported", ACCEPTED))
        self.report(node, what, hint)
        return None

    def name(self, node: ast.Name) -> Expression | None:
        """An input, attribute or local."""
        name = node.id
        kind = self.attrs.get(name)
        self.read.add(name)
        self.bare.setdefault(name, node)
        if self.optional and name in self.optional:
            self.report(node, f"`{name}` is optional, and may not be given", GIVEN_OR)
            return None
        if name in self.inputs or name in self.assigned or kind in ("int", "float"):
            return Name(name)
        if kind is not None:
            self.report(node, f"`{name}` is a {kind} attribute, and expressions take int and float ones only")
        elif name in FUNCTIONS or name in LATER or name in FORMS:
            self.report(node, f"`{name}` is a function: it needs arguments in parentheses")
        else:
            known = [*self.inputs, *self.attrs, *self.assigned]
            meant = closest(name, known)
            hint = f"did you mean `{meant}`?" if meant else f"known here: {', '.join(known)}"
            self.report(node, f"`{name}` is neither an input nor an attribute, and no earlier line assigns it", hint)
        return None

    def number(self, node: ast.Constant) -> Number | None:
        """A literal."""
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
        """``+ - * /``."""
        op = BINARY.get(type(node.op))
        if op is None:
            what, hint = NO_OPERATOR[type(node.op)]
            self.report(node, what, hint)
            return None
        left, right = self.value(node.left), self.value(node.right)
        return Apply(op, (left, right)) if left is not None and right is not None else None

    def product(self, node: ast.BinOp) -> Expression | None:
        """``x @ w``, of inputs as they come in: the matrix unit reads them where they lie."""
        left, right = self.operand(node.left), self.operand(node.right)
        return Product(left, right, self.place(node)) if left is not None and right is not None else None

    def operand(self, node: ast.expr) -> Operand | None:
        """One side of ``@``."""
        transposed = isinstance(node, ast.Attribute) and node.attr == "T"
        base = node.value if isinstance(node, ast.Attribute) and transposed else node
        if isinstance(base, ast.Name) and base.id in self.inputs:
            self.read.add(base.id)
            self.bare.setdefault(base.id, base)
            if self.optional and base.id in self.optional:
                self.report(base, f"`{base.id}` is optional, and a product needs both of its operands", OPERANDS)
                return None
            return Operand(base.id, transposed, self.place(node))
        if isinstance(base, ast.Name) and base.id not in self.assigned and base.id not in self.attrs:
            self.name(base)  # unknown: said as everywhere
        else:
            self.report(node, *self.no_operand(base))
        return None

    def no_operand(self, node: ast.expr) -> tuple[str, str]:
        """Why something is no side of ``@``."""
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self.attrs):
            return "`@` is the product of matrices", "a product with a number is `*`"
        if isinstance(node, ast.Attribute) and node.attr != "T":
            return f"`.{node.attr}` is not supported", OPERANDS
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return "only plain functions can be called, no methods and no modules", OPERANDS
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return "a product of a product is not supported yet", f"{OPERANDS}: make each product an op of its own"
        if isinstance(node, ast.BinOp):
            hint = f"{OPERANDS}; `*` and `@` bind alike, from the left: write `2 * (x @ w)` for `2 * x @ w`"
            return "one side of `@` is computed in the kernel, which is not supported yet", hint
        what = "one side of `@` is computed in the kernel, which is not supported yet"
        return what, f"{OPERANDS}: compute this in an op of its own"

    def unary(self, node: ast.UnaryOp) -> Expression | None:
        """A sign."""
        if type(node.op) in NO_UNARY:
            self.report(node, *NO_UNARY[type(node.op)])
            return None
        operand = self.value(node.operand)
        if isinstance(node.op, ast.UAdd) or operand is None:
            return operand
        return Apply("neg", (operand,))

    def call(self, node: ast.Call) -> Expression | None:
        """A function, or the form of an optional input."""
        if not isinstance(node.func, ast.Name):
            self.report(node.func, "only plain functions can be called, no methods and no modules", ACCEPTED)
            return None
        name = node.func.id
        if name == "where":
            return self.given_or(node)
        if name == "present":
            self.report(node, "`present` stands in `where` only", GIVEN_OR)
            return None
        if name not in FUNCTIONS:
            self.unknown_function(node.func)
            return None
        arity = FUNCTIONS[name]
        given = len(node.args) + len(node.keywords)
        if node.keywords:
            self.report(node, f"`{name}` takes its arguments by position")
            return None
        if given != arity:
            plural = "s" if arity > 1 else ""
            self.report(node, f"`{name}` takes {arity} argument{plural}, not {given}", _nested(name, given))
            return None
        operands = [self.value(argument) for argument in node.args]
        done = tuple(operand for operand in operands if operand is not None)
        if name == "leaky_relu" and len(done) == arity and not self.is_number(done[1]):
            hint = "as `leaky_relu(x, 0.01)`, or an attribute; `max(x, 0) + w * min(x, 0)` takes a tensor"
            self.report(node.args[1], "the slope of `leaky_relu` is a number, and this is a tensor", hint)
            return None
        return Apply(name, done) if len(done) == arity else None

    def is_number(self, value: Expression) -> bool:
        """Whether it depends on no tensor."""
        if isinstance(value, Name):
            return value.name in self.attrs or value.name in self.numbers
        return isinstance(value, Number) or (isinstance(value, Apply) and all(map(self.is_number, value.operands)))

    def given_or(self, node: ast.Call) -> Expression | None:
        """``where(present(bias), bias, 0.0)``."""
        shaped = len(node.args) == 3 and not node.keywords
        asked = _presence(node.args[0]) if shaped else None
        if asked is None:
            self.report(node, "`where` is not supported yet, but for optional inputs", GIVEN_OR)
            return None
        if asked.id not in self.inputs:
            self.report(asked, f"`{asked.id}` is no input, and only inputs are optional", GIVEN_OR)
            return None
        self.read.add(asked.id)
        if self.optional is not None and asked.id not in self.optional:
            hint = f"write it bare, or say `{asked.id}: {{optional: true}}` where it is declared"
            self.report(asked, f"`{asked.id}` is not optional, and always given", hint)
            return None
        taken = node.args[1]
        if not isinstance(taken, ast.Name) or taken.id != asked.id:
            self.report(taken, f"what is taken where `{asked.id}` is present is not `{asked.id}` itself", GIVEN_OR)
            return None
        value = self.literal(node.args[2])
        if value is None:
            return None
        if self.asked.setdefault(asked.id, value) != value:
            what = f"`{asked.id}` was {self.asked[asked.id]!r} where it is not given, and is {value!r} here"
            self.report(node, what, "one number stands for it everywhere")
            return None
        return GivenOr(asked.id, value)

    def literal(self, node: ast.expr) -> float | None:
        """A number with or without a sign."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number = self.number(node.operand)
            return -number.value if number is not None else None
        if isinstance(node, ast.Constant):
            number = self.number(node)
            return number.value if number is not None else None
        self.report(node, "what stands for an optional input is a number", GIVEN_OR)
        return None

    def unknown_function(self, func: ast.Name) -> None:
        """Refuse a call by what it probably means."""
        name = func.id
        if name in LATER:
            self.report(func, f"`{name}` is not supported yet", INSTEAD.get(name, ACCEPTED))
            return
        if name in self.inputs or name in self.attrs or name in self.assigned:
            self.report(func, f"`{name}` is no function", "a product needs its `*`")
            return
        meant = SPELLED.get(name) or closest(name, list(FUNCTIONS))
        self.report(func, f"there is no function `{name}`", f"did you mean `{meant}`?" if meant else ACCEPTED)


def _no_attribute(node: ast.Attribute) -> tuple[str, str]:
    """Why something behind a dot is no value, and what would be one."""
    if node.attr != "T":
        return f"`.{node.attr}` is not supported", f"`.T` is, in products; {ACCEPTED}"
    product = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.MatMult)
    return "`.T` stands on an operand of `@` only", "`(a @ b).T` is `b.T @ a.T`" if product else OPERANDS


def _presence(node: ast.expr) -> ast.Name | None:
    """The name in ``present(name)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "present":
        argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
        return argument if isinstance(argument, ast.Name) else None
    return None


def _nested(name: str, given: int) -> str | None:
    if name in ("max", "min") and given > FUNCTIONS[name]:
        return f"nest the calls: `{name}(a, {name}(b, c))`"
    return "as `leaky_relu(x, 0.01)`" if name == "leaky_relu" else None
