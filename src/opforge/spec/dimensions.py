"""A dimension: ``...``, a size, a symbol, or arithmetic over them; as text and as a tree.

``...`` are leading dimensions, which broadcast over the inputs; named ones, ``...gamma``, belong to one input.

    >>> parse_dim("2 * (H - 1)")
    Apply(op='mul', operands=(Size(value=2), Apply(op='sub', operands=(Symbol(name='H'), Size(value=1)))))
    >>> print_dim(parse_dim("2*(H-1)"))
    '2 * (H - 1)'

``TensorSpec`` holds dimensions as text, as printed by ``print_dim``, and as trees; no other code parses them. Division
rounds down. In outputs, the name of an int attribute means its value; any other name is a symbol, whose value comes
from an input's shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, TypeAlias

from opforge.frozen import dataclass

Operator = Literal["add", "sub", "mul", "floordiv", "min", "max"]

LONGEST = 200  # characters in a dimension
_DEEPEST = 20  # nested parentheses and calls
_LARGEST = 2**31 - 1  # fits the integers of every layer

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z][A-Za-z0-9_]*)|(//|[-+*(),])|(\S))")
_SUMS: dict[str, Operator] = {"+": "add", "-": "sub"}
_TERMS: dict[str, Operator] = {"*": "mul", "//": "floordiv"}
_CALLS: dict[str, Operator] = {"min": "min", "max": "max"}
_SPELLED = {operator: text for text, operator in (_SUMS | _TERMS).items()}
_DOTS = re.compile(r"\.\.\.([A-Za-z][A-Za-z0-9_]*)?")
ACCEPTED = "expected a size, a symbol or, in first place, `...`; in outputs also + - * // min max of symbols"


@dataclass(frozen=True)
class Dots:
    """``...``: any number of leading dimensions; equal names mean the same dimensions."""

    name: str = ""


@dataclass(frozen=True)
class Size:
    """A number."""

    value: int


@dataclass(frozen=True)
class Symbol:
    """A symbol, or an attribute of type int."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operator on its two operands."""

    op: Operator
    operands: tuple[Dim, Dim]


Dim: TypeAlias = Dots | Size | Symbol | Apply
DOTS = Dots()


class DimError(ValueError):
    """A text is not a valid dimension: the mistake, its first character (from 0), its length, and a hint."""

    def __init__(self, what: str, start: int = 0, length: int = 1, hint: str = ACCEPTED) -> None:
        super().__init__(what)
        self.what = what
        self.start = start
        self.length = length
        self.hint = hint


@cache
def parse_dim(text: str) -> Dim:
    """The tree of a dimension's text.

    Raises:
        DimError: the text is not a valid dimension.
    """
    dots = _DOTS.fullmatch(text)
    if dots is not None:
        return Dots(dots[1] or "")
    if len(text) > LONGEST:
        raise DimError(f"this dimension is {len(text)} characters long; the limit is {LONGEST}", 0, LONGEST)
    parser = _Parser(text)
    dim = parser.sum(0)
    if parser.word:
        raise parser.unexpected()
    return dim


def print_dim(dim: Dim) -> str:
    """The text of a dimension with the fewest parentheses; ``parse_dim`` of it gives the same tree."""
    match dim:
        case Dots(name):
            return f"...{name}"
        case Size(value):
            return str(value)
        case Symbol(name):
            return name
        case Apply(op, (left, right)) if op in ("min", "max"):
            return f"{op}({print_dim(left)}, {print_dim(right)})"
        case Apply(op, (left, right)):
            strength = _strength(dim)
            first = print_dim(left) if _strength(left) >= strength else f"({print_dim(left)})"
            second = print_dim(right) if _strength(right) > strength else f"({print_dim(right)})"
            return f"{first} {_SPELLED[op]} {second}"


def is_dots(text: str) -> bool:
    """Whether a dimension's text is ``...``, with or without a name."""
    return text.startswith("...")


def names_of(dim: Dim) -> Iterator[str]:
    """The symbols and attributes of a dimension, from left to right."""
    if isinstance(dim, Symbol):
        yield dim.name
    elif isinstance(dim, Apply):
        for operand in dim.operands:
            yield from names_of(operand)


def evaluate_dim(dim: Dim, values: Mapping[str, int]) -> int:
    """The size of a dimension, given the values of its symbols and attributes.

    Raises:
        KeyError: a name has no value.
        ZeroDivisionError: a division by zero.
        TypeError: the dimension is ``...``.
    """
    match dim:
        case Size(value):
            return value
        case Symbol(name):
            return values[name]
        case Apply(op, (left, right)):
            a, b = evaluate_dim(left, values), evaluate_dim(right, values)
            results = {"add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b)}
            return a // b if op == "floordiv" else results[op]
        case Dots():
            raise TypeError("`...` means any number of dimensions and has no size")


def _strength(dim: Dim) -> int:
    """The precedence of the dimension's outermost operator."""
    if isinstance(dim, Apply) and dim.op in _SUMS.values():
        return 1
    return 2 if isinstance(dim, Apply) and dim.op in _TERMS.values() else 3


class _Parser:
    """A recursive descent parser with one word of lookahead: sums of terms of atoms."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.word = ""
        self.start = self.end = 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.end)
        if match is None:
            self.word, self.start, self.end = "", len(self.text), len(self.text)
            return
        self.word = match[0].strip()
        self.start, self.end = match.end() - len(self.word), match.end()

    def unexpected(self) -> DimError:
        if self.word == "/":
            return DimError("`/` is not a valid operator in dimensions", self.start, 1, "write `//`, which rounds down")
        if self.word == "*" and self.text.startswith("**", self.start - 1):
            return DimError("`**` is not a valid operator in dimensions", self.start - 1, 2, "write out the product")
        if self.word == "%":
            return DimError("`%` is not a valid operator in dimensions", self.start, 1, "for example `A - A // 2 * 2`")
        if not self.word:
            quote = "" if self.text.count("(") <= self.text.count(")") else '; quote text with commas: "max(A, B)"'
            return DimError(
                f"`{self.text}` is not a valid dimension: it ends too early", 0, len(self.text), ACCEPTED + quote
            )
        quote = '; quote text with commas: "max(A, B)"' if self.word == ")" else ""
        what = f"`{self.text}` is not a valid dimension: unexpected `{self.word}`"
        return DimError(what, self.start, len(self.word), ACCEPTED + quote)

    def sum(self, depth: int) -> Dim:
        dim = self.term(depth)
        while self.word in _SUMS:
            op = _SUMS[self.word]
            self.advance()
            dim = Apply(op, (dim, self.term(depth)))
        return dim

    def term(self, depth: int) -> Dim:
        dim = self.atom(depth)
        while self.word in _TERMS:
            op = _TERMS[self.word]
            self.advance()
            dim = Apply(op, (dim, self.atom(depth)))
        return dim

    def atom(self, depth: int) -> Dim:
        word, start = self.word, self.start
        if depth > _DEEPEST:
            raise DimError(f"this dimension is nested too deeply; the limit is {_DEEPEST} levels", start, 1)
        if word[:1].isdecimal() and word.isascii():
            return self.size(word, start)
        if word in _CALLS and self.text[self.end :].lstrip().startswith("("):
            return self.call(_CALLS[word], depth)
        if word[:1].isalpha() and word.isascii():
            self.advance()
            return Symbol(word)
        if word == "(":
            self.advance()
            dim = self.sum(depth + 1)
            self.expect(")")
            return dim
        raise self.unexpected()

    def size(self, word: str, start: int) -> Size:
        if len(word) > 1 and word[0] == "0":
            raise DimError(f"the size `{word}` begins with 0", start, len(word), "remove the leading 0")
        if len(word) > 10 or int(word) > _LARGEST:
            raise DimError(f"the size `{word}` does not fit in 32 bits", start, len(word), f"the limit is {_LARGEST}")
        self.advance()
        return Size(int(word))

    def call(self, op: Operator, depth: int) -> Dim:
        self.advance()
        self.advance()
        left = self.sum(depth + 1)
        self.expect(",")
        right = self.sum(depth + 1)
        if self.word == ",":
            what, hint = f"`{op}` takes two values", f"nest it: `{op}(A, {op}(B, C))`"
            raise DimError(what, self.start, 1, hint)
        self.expect(")")
        return Apply(op, (left, right))

    def expect(self, word: str) -> None:
        if self.word != word:
            raise self.unexpected()
        self.advance()
