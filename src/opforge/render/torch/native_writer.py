"""Writes an op's expression line by line in torch's own operators, as in the spec."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

from opforge.render.torch.integer_spelling import OF_INTEGERS, of_integers
from opforge.render.torch.row_spelling import extent, numbers, reduction, row_count
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import (
    ATOM,
    IS_NAN,
    LONGEST_LINE,
    NUMBER_FIRST,
    SCALAR,
    TENSOR,
    WITH_NUMBER,
    Expression,
    Names,
    Spelling,
    number,
)
from opforge.render.torch.statements import Statements
from opforge.spec.integers import ARITHMETIC
from opforge.spec.language import COMPARISONS, LOGICAL, REDUCTIONS, TOTALS
from opforge.spec.tree import (
    Apply,
    Arange,
    Assignment,
    Cast,
    Element,
    Extent,
    GivenOr,
    Name,
    Number,
    Product,
    RowCount,
    Says,
    Unsqueezed,
    walk,
)
from opforge.spec.tree import Expression as Tree
from opforge.spec.value_kinds import Kind, kinds_of

# Operators that models spell differently. The golden reference is more careful with infinities.
NATIVE: Mapping[str, Spelling] = {
    "gelu": Spelling("torch.nn.functional.gelu({0})"),
    "and": Spelling("torch.logical_and({0}, {1})"),
    "or": Spelling("torch.logical_or({0}, {1})"),
    "not": Spelling("torch.logical_not({0})"),
}
# Masks that are numbers.
_NUMBERS: Mapping[str, Spelling] = {
    **SCALAR,
    "and": SCALAR["mul"],
    "or": SCALAR["max"],
    "not": Spelling("float({0} == 0)", ATOM, (1,)),
}
# The number that makes an operator do nothing, as the value of a missing optional input.
_NEUTRAL = {"add": 0.0, "sub": 0.0, "mul": 1.0, "div": 1.0}
_SIMPLE = re.compile(r"-?[\w.]+")  # ruff format writes `**` without blanks between such operands


class NativeWriter:
    """Writes the assignments of one op, in order. ``float_dtype`` is the source of the dtype of floats."""

    def __init__(self, signature: Signature, local: Names) -> None:
        self._local = local
        self._kinds: dict[str, Kind] = {}
        self._texts = {name: Expression(name) for name in (*signature.inputs, *signature.attrs)}
        self._numbers = set(signature.attrs)
        self._trees: dict[str, Tree] = {}  # assignments without a tensor that are not written yet
        for tensor in signature.op.inputs:
            self._kinds[tensor.name] = next(iter(kinds_of(tensor.dtypes)), "float")
        floats = [t.name for t in signature.op.inputs if self._kinds[t.name] == "float" and not t.optional]
        floats = [name for name in floats if name in signature.required]
        self.float_dtype = f"{floats[0]}.dtype" if floats else "torch.float32"
        self._like = signature.first
        self._axes = signature.op.expression.axes
        self._given: dict[str, str] = {}

    def line(self, assignment: Assignment, body: Statements) -> None:
        """The statements of an assignment; those of a function that torch has are a call of it."""
        name, tree, call = assignment.name, assignment.value, assignment.call
        if not (assignment.inner or call) or self._number(tree):
            self.assign(name, tree, body)
            return
        self._kinds[name] = self.kind(tree)
        if call is not None and not assignment.inner:
            given = [self._spell(argument, body) for argument in call.arguments]
            form = call.torch if "{" in call.torch else f"{call.torch}({', '.join(['{}'] * len(given))})"
            if form.count("{0}") > 1 and given[0].binding < ATOM:
                given[0] = self._named(given[0], body)
            texts = [each.text for each in given]
            for title, step in call.steps:
                made = self._local.new(title)
                body.assign(made, step.format(*texts))
                texts.append(made)
            body.assign(name, form.format(*texts))
            self._texts[name] = Expression(name)

    def assign(self, name: str, tree: Tree, body: Statements) -> None:
        """The statements of ``name = tree``."""
        if self._number(tree):
            self._numbers.add(name)
            self._trees[name] = tree
            return
        self._kinds[name] = self.kind(tree)
        text = self._spell(tree, body)
        if text.text.isidentifier() and not isinstance(tree, GivenOr):
            self._texts[name] = text  # another name for the same value
            return
        made = name if name not in ("torch", "_scalars") else self._local.new(name)
        body.assign(made, text.text)
        self._texts[name] = Expression(made)

    def output(self, name: str) -> str:
        """The local name of an output."""
        return self._texts[name].text

    def kind(self, tree: Tree) -> Kind:
        """The kind of a value that depends on a tensor."""
        if isinstance(tree, Name):
            return self._kinds[tree.name]
        if isinstance(tree, Cast):
            if tree.dtype == "int32" or (tree.dtype in ARITHMETIC and self._of_integers(tree.operand)):
                return "int"
            return "float" if tree.dtype == "float32" else "stored"
        if isinstance(tree, Apply):
            if tree.op in COMPARISONS or tree.op in LOGICAL:
                return "mask"
            return "int" if self._is_int(tree) else "float"
        return "float"

    def _of_integers(self, tree: Tree) -> bool:
        return not self._number(tree) and self.kind(tree) == "int"

    def _is_int(self, tree: Apply) -> bool:
        return any(map(self._of_integers, tree.operands[1:] if tree.op == "where" else tree.operands))

    def _number(self, tree: Tree) -> bool:
        """Whether a value depends on no tensor."""
        return all(
            not isinstance(part, Product | GivenOr | Arange | Unsqueezed)
            and not (isinstance(part, Name) and part.name not in self._numbers)
            for part in walk(tree)
        )

    def _spell(self, tree: Tree, body: Statements, *, whole: bool = False) -> Expression:
        """A value; ``whole`` says that a number meets int32."""
        if isinstance(tree, Number):
            text = f"{tree.value:.0f}" if whole else number(tree.value)
            return Expression(text, 3 if text.startswith("-") else ATOM)
        if isinstance(tree, Name):
            return self._name(tree.name, body, whole=whole)
        if isinstance(tree, Product):
            return Expression(str(tree), 2)
        if isinstance(tree, Extent | RowCount | Arange | Unsqueezed):
            return Expression(self._of_shape(tree))
        if isinstance(tree, GivenOr):
            return self._given_or(tree, body)
        if isinstance(tree, Element):
            return Expression(f"{self._texts[tree.name].text}[{tree.place}]")
        if isinstance(tree, Says):
            return Expression(f"float({tree.name} == {json.dumps(tree.text)})")
        if isinstance(tree, Cast):
            return self._cast(tree, body)
        return self._apply(tree, body, whole=whole)

    def _of_shape(self, tree: Extent | RowCount | Arange | Unsqueezed) -> str:
        """The source of a value that an input's shape decides, or of the input in another shape."""
        if isinstance(tree, Extent):
            return f"{tree.name}.numel()" if tree.axis is None else extent(tree.name, tree.axis)
        if isinstance(tree, RowCount):
            return row_count(tree.name, self._axes)
        if isinstance(tree, Unsqueezed):
            return self._axes.unsqueezed(tree.name)
        return numbers(tree.name, self._axes, "torch.float32")

    def _name(self, name: str, body: Statements, *, whole: bool) -> Expression:
        if name not in self._trees:
            return self._texts[name]
        if whole:
            return self._spell(self._trees[name], body, whole=True)
        text = self._spell(self._trees.pop(name), body)
        made = self._local.new(name) if name in ("torch", "_scalars") else name
        body.assign(made, text.text)
        self._texts[name] = Expression(made)
        return self._texts[name]

    def _given_or(self, tree: GivenOr, body: Statements) -> Expression:
        """An optional input whose default is not a neutral element: a number replaces it."""
        if tree.name not in self._given:
            self._given[tree.name] = self._local.new(f"{tree.name}_or")
            empty = f"{self._like}.new_full((), {number(tree.value)}, dtype={self.float_dtype})"
            body.assign(self._given[tree.name], f"{empty} if {tree.name} is None else {tree.name}")
        return Expression(self._given[tree.name])

    def _cast(self, tree: Cast, body: Statements) -> Expression:
        operand = self._spell(tree.operand, body)
        if self._number(tree.operand):
            return operand
        kind = self.kind(tree.operand)
        if kind == "float" and tree.dtype == "float32":
            return operand
        whole = tree.dtype == "int32" or (tree.dtype in ARITHMETIC and kind == "int")
        if tree.dtype != "float32" and not whole:
            return operand  # an output, which is cast when it is returned
        dtype = f"torch.{tree.dtype}" if whole else self.float_dtype
        return Expression(f"{operand.within(ATOM)}.to({dtype})")

    def _apply(self, tree: Apply, body: Statements, *, whole: bool) -> Expression:
        optional = self._optional(tree, body)
        if optional is not None:
            return optional
        bounds = self._clamp(tree, body)
        if bounds is not None:
            return bounds
        numbers = [self._number(operand) for operand in tree.operands]
        ints = self._is_int(tree) if not all(numbers) else whole
        operands = [self._spell(operand, body, whole=ints) for operand in tree.operands]
        if sum(len(operand.text) for operand in operands) > LONGEST_LINE:
            longest = max(range(len(operands)), key=lambda i: len(operands[i].text))
            operands[longest] = self._named(operands[longest], body)
        return self._joined(tree, operands, numbers)

    def _joined(self, tree: Apply, operands: Sequence[Expression], numbers: Sequence[bool]) -> Expression:
        """An operator applied to spelled operands."""
        if tree.op == "pow" and not all(numbers):
            base, exponent = (operand.within(ATOM) for operand in operands)
            close = _SIMPLE.fullmatch(base) and _SIMPLE.fullmatch(exponent)
            return Expression(f"{base}**{exponent}" if close else f"{base} ** {exponent}", 3)
        if all(numbers):
            spelling, order = _NUMBERS[tree.op], range(len(operands))
        elif tree.op in OF_INTEGERS and self._is_int(tree):
            spelling, order = Spelling(*of_integers(tree.op, numbers)), range(len(operands))
        elif tree.op == "ne" and tree.operands[0] == tree.operands[1]:
            spelling, order = IS_NAN, range(1)
        elif any(numbers) and tree.op in WITH_NUMBER:
            spelling, order = WITH_NUMBER[tree.op], range(2) if numbers[1] else range(1, -1, -1)
        elif numbers[0] and tree.op in NUMBER_FIRST:
            spelling, order = NUMBER_FIRST[tree.op], range(2)
        elif tree.op in REDUCTIONS or tree.op in TOTALS:
            spelling, order = Spelling(reduction(tree.op, self._axes, "torch")), range(1)
        else:
            spelling, order = NATIVE.get(tree.op) or TENSOR[tree.op], range(len(operands))
        texts = [operands[i].within(least) for i, least in zip(order, spelling.operands, strict=False)]
        made = Expression(spelling.form.format(*texts), spelling.binding)
        if tree.op == "where" and numbers[1] and numbers[2] and not numbers[0]:
            return Expression(f"{made.within(ATOM)}.to({self.float_dtype})")  # two numbers give torch's default dtype
        return made

    def _clamp(self, tree: Apply, body: Statements) -> Expression | None:
        """``min(max(x, low), high)``, which is what ``clamp`` is read as."""
        inner = tree.operands[0]
        if tree.op != "min" or not isinstance(inner, Apply) or inner.op != "max":
            return None
        value, low, high = *inner.operands, tree.operands[1]
        if self._number(value) or not self._number(low) or not self._number(high):
            return None
        ints = self.kind(value) == "int"
        texts = [self._spell(part, body, whole=ints).text for part in (value, low, high)]
        return Expression(f"torch.clamp({', '.join(texts)})")

    def _optional(self, tree: Apply, body: Statements) -> Expression | None:
        """``value + where(present(bias), bias, 0.0)``: a step that is left out where the input is."""
        places = [i for i, operand in enumerate(tree.operands) if isinstance(operand, GivenOr)]
        if len(places) != 1 or tree.op not in _NEUTRAL:
            return None
        (place,) = places
        given, other = tree.operands[place], tree.operands[1 - place]
        if not isinstance(given, GivenOr) or self._number(other) or not _neutral(tree.op, given.value, place):
            return None
        name = self._local.new("t")
        body.assign(name, self._spell(other, body).text)
        value, option = Expression(name), Expression(given.name)
        operands = (value, option) if place else (option, value)
        joined = self._joined(tree, operands, (False, False))
        with body.when(f"{given.name} is not None"):
            body.assign(name, joined.text)
        return value

    def _named(self, expression: Expression, body: Statements) -> Expression:
        name = self._local.new("t")
        body.assign(name, expression.text)
        return Expression(name)


def _neutral(op: str, value: float, place: int) -> bool:
    """Whether a number at this operand position makes the operator do nothing."""
    if op in ("sub", "div") and place == 0:
        return False
    return value == _NEUTRAL[op] and not (value == 0 and math.copysign(1, value) < 0)
