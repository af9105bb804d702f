"""Parses the leaves of expressions, names and numbers, and finds the place of each node."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import math
import re
from collections.abc import Mapping

from opforge.errors import Problem
from opforge.spec import value_kinds
from opforge.spec.axes import Axes
from opforge.spec.integers import width_of
from opforge.spec.language import (
    ACCEPTED,
    DEFINED,
    ELEMENT,
    FLOAT32_MAX,
    FORMS,
    FUNCTIONS,
    GIVEN_OR,
    LATER,
    OPERANDS,
    OTHER_NAMES,
    ROW_FUNCTIONS,
    SAYS,
    sample,
)
from opforge.spec.prelude import definitions
from opforge.spec.source import Passage, closest
from opforge.spec.tree import Apply, Assignment, Name, Number, Place, Unsqueezed
from opforge.spec.value_dims import ONE, Dims
from opforge.spec.value_kinds import Kind, Refusal, Typed

_LONGEST_QUOTED = 30  # characters of an operand quoted in a message


class Leaves:
    """Parses names and numbers with the names defined so far; adds mistakes to ``problems``."""

    def __init__(
        self,
        passage: Passage,
        inputs: Mapping[str, tuple[str, ...]],
        attrs: Mapping[str, str],
        optional: frozenset[str] | None = frozenset(),
        dims: Mapping[str, Dims] | None = None,
    ) -> None:
        self.passage = passage
        self.inputs = inputs
        self.attrs = attrs
        self.optional = optional  # None: an input is optional if compute tests it with present
        self.dims = dims or {}  # of the inputs, where known
        self.unsqueezed: set[str] = set()  # inputs without the dimension of a row
        self.of_rows: frozenset[str] = frozenset()  # those that meet values of rows, known from a first reading
        self.beside_rows: set[str] = set()  # those that this reading has found to do so
        self.lines = [line.text for line in passage.lines]
        self.problems: list[Problem] = []
        self.assigned: dict[str, Assignment] = {}
        self.locals: dict[str, Typed | None] = {}  # None: the value was refused
        self.read: set[str] = set()
        self.asked: dict[str, float] = {}  # optional inputs, and the number that replaces them
        self.bare: dict[str, ast.Name] = {}  # inputs outside of `where`, and their first place
        self.mixed: set[str] = set()  # inputs of several kinds, already reported
        self.reduced: list[Axes] = []  # the dimensions of each reduction so far
        self.over: Axes | None = None  # those of rows, where a function of all elements comes first
        self.clashes: list[Axes] = []  # those of rows that came after one
        # In a function of the prelude: its arguments, the place of the call, the function that the text calls.
        self.bound: dict[str, Typed] = {}
        self.called: tuple[int, int] | None = None
        self.title = ""
        self.blamed: ast.expr | None = None  # the call in the text, for mistakes in a function of the prelude
        self.inner = False  # whether torch has a function for all of it
        self.words = {*inputs, *attrs, *re.findall(r"\w+", passage.text)}

    @property
    def met_dims(self) -> Mapping[str, Dims]:
        """The dimensions of the inputs as they meet each other."""
        return {name: (*dims, ONE) if name in self.unsqueezed else dims for name, dims in self.dims.items()}

    def report(self, node: ast.expr | ast.stmt, what: str, hint: str | None = None) -> None:
        """Add a problem at the place of the node."""
        place = self.place(self.blamed or node)
        self.problems.append(self.passage.problem(what, hint, place.line, place.column, place.length))

    def place(self, node: ast.expr | ast.stmt) -> Place:
        """The place of a node; only its first line if it has several."""
        start = self.column(node.lineno, node.col_offset)
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            return Place(node.lineno, start, self.column(node.lineno, node.end_col_offset) - start)
        return Place(node.lineno, start, len(self.lines[node.lineno - 1]) - start)

    def column(self, line: int, byte_offset: int) -> int:
        """A column in characters, from Python's offset in bytes of UTF-8."""
        return len(self.lines[line - 1].encode()[:byte_offset].decode(errors="ignore"))

    def text(self, node: ast.expr) -> str:
        """The source text of a node, for a message."""
        if self.title:
            return "..."
        place = self.place(node)
        text = self.lines[place.line - 1][place.column : place.column + place.length]
        return text if node.end_lineno == node.lineno and len(text) <= _LONGEST_QUOTED else "..."

    def start(self, node: ast.expr) -> tuple[int, int]:
        """The line and the column of a node; in a function of the prelude, those of the call."""
        return self.called or (node.lineno, self.column(node.lineno, node.col_offset))

    def fresh(self, name: str) -> str:
        """A name like this one that the text does not have. It is taken from here on."""
        numbered = (f"{name}{i or ''}" for i in itertools.count())
        found = next(each for each in numbered if each not in self.words)
        self.words.add(found)
        return found

    def refused(self, node: ast.expr, refusal: Refusal | None) -> bool:
        """Whether there is a refusal; reports it."""
        if refusal is not None:
            self.report(node, *refusal)
        return refusal is not None

    def name(self, node: ast.Name) -> Typed | None:
        """An input, attribute or local."""
        name = node.id
        if name in self.bound:
            return self.bound[name]
        attr = self.attrs.get(name)
        self.read.add(name)
        self.bare.setdefault(name, node)
        if self.optional and name in self.optional:
            self.report(node, f"`{name}` is optional and may be missing", GIVEN_OR)
            return None
        if name in self.inputs:
            kind = self.kind(node)
            width = width_of(name, self.inputs) if kind == "int" else None
            if name in self.of_rows:
                self.unsqueezed.add(name)
                return Typed(Unsqueezed(name), name, kind, dims=self.dims.get(name), width=width, dropped=True)
            return Typed(Name(name), name, kind, dims=self.dims.get(name), width=width)
        if name in self.assigned:
            known = self.locals[name]
            return known and dataclasses.replace(known, tree=Name(name), text=name)
        if attr is not None:
            return self.attribute(node, attr)
        if (
            name in OTHER_NAMES
            or name in FUNCTIONS
            or name in ROW_FUNCTIONS
            or name in LATER
            or name in FORMS
            or name in DEFINED
        ):
            hint = ACCEPTED if name in LATER else sample(OTHER_NAMES.get(name, name))
            if name in DEFINED:
                hint = f"its arguments: `{definitions()[name].signature}`"
            self.report(node, f"`{name}` is a function: it needs arguments in parentheses", hint)
        else:
            names = [*self.inputs, *self.attrs, *(n for n, made in self.assigned.items() if not made.title)]
            meant = closest(name, names)
            listed = f"known names: {', '.join(names)}" if names else "declare it as an input or an attribute"
            hint = f"did you mean `{meant}`?" if meant else listed
            self.report(node, f"unknown name `{name}`: not an input, not an attribute, not assigned before", hint)
        return None

    def attribute(self, node: ast.Name, type_: str) -> Typed | None:
        """An attribute as a number; a bool one is a mask. Texts have their own comparison (``masks.said``)."""
        name = node.id
        if type_ in ("int", "float"):
            return Typed(Name(name), name, "float", number=True, whole=type_ == "int")
        if type_ == "bool":
            return Typed(Apply("ne", (Name(name), Number(0.0))), name, "mask", number=True)
        if type_ == "str":
            what = f"`{name}` is a str attribute, which can only be compared with a text"
            self.report(node, what, SAYS.format(name=name))
        else:
            self.report(node, f"`{name}` is a {type_} attribute, whose elements are numbers", ELEMENT.format(name=name))
        return None

    def kind(self, node: ast.Name) -> Kind | None:
        """The kind of an input; reports an input of several kinds, once."""
        dtypes = self.inputs[node.id]
        found = value_kinds.kinds_of(dtypes)
        if len(found) > 1 and node.id not in self.mixed:
            self.mixed.add(node.id)
            other = next(dtype for dtype in dtypes if value_kinds.kind_of(dtype) == found[1])
            what = f"`{node.id}` is {dtypes[0]} in one column and {other} in another, which have different arithmetic"
            self.report(node, what, "write two ops, one for each")
        return found[0] if len(found) == 1 else None

    def number(self, node: ast.Constant) -> Typed | None:
        """A literal."""
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            kind = "text" if isinstance(value, str | bytes) else f"`{value}`"
            self.report(node, f"{kind} is not supported in an expression", ACCEPTED)
            return None
        if not abs(value) <= FLOAT32_MAX:
            self.report(node, "this number does not fit in float32", f"the largest is {FLOAT32_MAX!r}")
            return None
        return Typed(Number(float(value)), self.text(node), "float", number=True, whole=isinstance(value, int))

    def infinity(self, node: ast.expr) -> Typed | None:
        """``float("inf")``, ``float("-inf")``, ``math.inf``, ``torch.inf`` or ``inf``; None for anything else."""
        if isinstance(node, ast.Call):
            called = isinstance(node.func, ast.Name) and node.func.id == "float" and not node.keywords
            given = node.args[0] if called and len(node.args) == 1 else None
            text = str(given.value).strip().lower() if isinstance(given, ast.Constant) else ""
        elif isinstance(node, ast.Attribute):
            module = isinstance(node.value, ast.Name) and node.value.id in ("math", "torch", "np", "numpy")
            text = node.attr if module else ""
        else:
            known = (*self.inputs, *self.attrs, *self.assigned, *self.bound)
            text = node.id if isinstance(node, ast.Name) and node.id not in known else ""
        if text not in ("inf", "+inf", "-inf"):
            return None
        number = Number(math.inf)
        tree = Apply("neg", (number,)) if text[0] == "-" else number
        return Typed(tree, self.text(node), "float", number=True)

    def integer(self, node: ast.expr) -> int | None:
        """A literal integer with or without a sign; None for anything else."""
        sign, digits = _signed(node)
        value = digits.value if isinstance(digits, ast.Constant) else None
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return sign * value

    def literal(self, node: ast.expr) -> float | None:
        """A number with or without a sign."""
        sign, digits = _signed(node)
        if not isinstance(digits, ast.Constant):
            self.report(node, "the default of an optional input must be a number", GIVEN_OR)
            return None
        made = self.number(digits)
        value = made.tree.value if made is not None and isinstance(made.tree, Number) else None
        return None if value is None else sign * value


def _signed(node: ast.expr) -> tuple[int, ast.expr]:
    """The sign of a number, and the number without it."""
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return (-1, node.operand) if isinstance(node, ast.UnaryOp) and negative else (1, node)


def no_attribute(node: ast.Attribute) -> tuple[str, str]:
    """Why an attribute access is not a valid value, with a hint."""
    if node.attr != "T":
        return f"`.{node.attr}` is not supported", f"only `.T` in products is; {ACCEPTED}"
    product = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.MatMult)
    return "`.T` is only allowed on an operand of `@`", "write `b.T @ a.T` for `(a @ b).T`" if product else OPERANDS
