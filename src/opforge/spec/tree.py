"""The trees of ``compute``: values, assignments, and the places that later errors point to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from opforge.errors import Problem
from opforge.frozen import dataclass
from opforge.spec.axes import LAST, Axes
from opforge.spec.dimensions import Dim
from opforge.spec.language import REDUCTIONS, TOTALS


@dataclass(frozen=True)
class Place:
    """A piece of the compute text: line (from 1), column (from 0), and length in characters."""

    line: int
    column: int
    length: int


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


@dataclass(frozen=True)
class Cast:
    """``cast(operand, dtype)``: to float32 or int32, or to the dtype of an output."""

    operand: Expression
    dtype: str


@dataclass(frozen=True)
class Operand:
    """An input as a matrix, with its dimensions exchanged if ``transposed``."""

    name: str
    transposed: bool = False
    place: Place = field(default=Place(1, 0, 1), compare=False)

    def __str__(self) -> str:
        return f"{self.name}.T" if self.transposed else self.name


@dataclass(frozen=True)
class Product:
    """``left @ right``, of two inputs."""

    left: Operand
    right: Operand
    place: Place = field(default=Place(1, 0, 1), compare=False)

    def __str__(self) -> str:
        return f"{self.left} @ {self.right}"


@dataclass(frozen=True)
class Extent:
    """The size of an input's dimension as a number; ``axis`` counts from the end, so -1 is the last one.

    Without ``axis``: the number of the input's elements. A text is ``Axes.dim``.
    """

    name: str
    axis: int | str | None


@dataclass(frozen=True)
class RowCount:
    """The number of rows of an input that has the shape of all inputs together, as a number."""

    name: str


@dataclass(frozen=True)
class Arange:
    """The numbers of the elements of a row of an input, along the reduced dimension: 0, 1, 2, ..."""

    name: str


@dataclass(frozen=True)
class Says:
    """``name == "text"``, of a str attribute: 1 if it is this text, otherwise 0."""

    name: str
    text: str


@dataclass(frozen=True)
class Element:
    """``name[place]``, of a list attribute, as a number."""

    name: str
    place: int


@dataclass(frozen=True)
class Unsqueezed:
    """An input with one element for each row and without the reduced dimension, which has extent 1 here."""

    name: str


@dataclass(frozen=True)
class GivenOr:
    """``where(present(name), name, value)``: an optional input, or a number if it is left out."""

    name: str
    value: float


Expression: TypeAlias = (
    Number | Name | Apply | Cast | Product | GivenOr | Extent | RowCount | Arange | Says | Element | Unsqueezed
)


@dataclass(frozen=True)
class Call:
    """A call of torch's function: its name, or a form with {0}, {1} for the arguments.

    ``steps`` are names and forms of values that are computed before; these follow the arguments.
    """

    torch: str
    arguments: tuple[Expression, ...]
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Assignment:
    """One name and its value. ``line`` and ``column`` are the name's place in the compute text (from 1, from 0).

    Assignments with a ``title`` are not in the text: they are part of a call of the function of that name. ``inner``
    ones are a part of the function, and ``call`` is torch's function with the same value.
    """

    name: str
    value: Expression
    line: int
    column: int
    title: str = ""
    inner: bool = False
    call: Call | None = None


@dataclass(frozen=True)
class Result:
    """The dtype of an output, or the input with the same dtype in each column; one of the two is set.

    ``dims`` are its dimensions, if the expression reduces some; otherwise it has the broadcast shape of the inputs.
    """

    dtype: str | None
    follows: str | None
    dims: tuple[Dim, ...] | None = None


@dataclass(frozen=True)
class Compute:
    """A whole compute text.

    ``outputs`` are the names of its last line or the declared ones; ``reads`` are the inputs that it uses,
    ``optional`` those that it tests with ``present``. ``results`` has the dtype of each output that it assigns.
    """

    assignments: tuple[Assignment, ...]
    outputs: tuple[str, ...]
    reads: frozenset[str]
    optional: frozenset[str]
    problems: tuple[Problem, ...]
    results: Mapping[str, Result] = field(default_factory=dict)
    zero_divisors: tuple[Place, ...] = ()  # literal zeros that something is divided by
    axes: Axes = LAST  # what its reductions are over

    @property
    def products(self) -> tuple[Product, ...]:
        """The matrix products in order of appearance, without duplicates."""
        found = (e for a in self.assignments for e in walk(a.value) if isinstance(e, Product))
        return tuple(dict.fromkeys(found))

    @property
    def computed_with(self) -> frozenset[str]:
        """The names used outside matrix products."""
        parts = (e for a in self.assignments for e in walk(a.value))
        return frozenset(e.name for e in parts if isinstance(e, Name | GivenOr | Unsqueezed))

    @property
    def list_lengths(self) -> Mapping[str, int]:
        """The list attributes that are read, and how many elements each must have."""
        parts = (e for a in self.assignments for e in walk(a.value))
        return dict(sorted((e.name, e.place + 1) for e in parts if isinstance(e, Element)))

    @property
    def unsqueezed(self) -> frozenset[str]:
        """The inputs with one element for each row that do not have the reduced dimension."""
        parts = (e for a in self.assignments for e in walk(a.value))
        return frozenset(e.name for e in parts if isinstance(e, Unsqueezed))

    @property
    def detaches(self) -> bool:
        """Whether the text, not only a function that it calls, has values without a gradient."""
        written = (a.value for a in self.assignments if not a.title)
        return any(isinstance(e, Apply) and e.op == "detach" for value in written for e in walk(value))

    @property
    def reduces(self) -> bool:
        """Whether it has a reduction."""
        return self._applies(REDUCTIONS)

    @property
    def totals(self) -> bool:
        """Whether it reduces the values of all rows to one."""
        return self._applies(TOTALS)

    def _applies(self, operators: Collection[str]) -> bool:
        return any(isinstance(e, Apply) and e.op in operators for a in self.assignments for e in walk(a.value))


def literal_of(expression: Expression) -> float | None:
    """The value of a number with or without a sign; None for anything else."""
    if isinstance(expression, Apply) and expression.op == "neg" and isinstance(expression.operands[0], Number):
        return -expression.operands[0].value
    return expression.value if isinstance(expression, Number) else None


def walk(expression: Expression, past: Collection[str] = ()) -> Iterator[Expression]:
    """The expression and all its parts, from left to right; not those of the operators ``past``."""
    todo = [expression]
    while todo:
        part = todo.pop()
        yield part
        if isinstance(part, Apply):
            todo += reversed(part.operands) if part.op not in past else ()
        elif isinstance(part, Cast):
            todo.append(part.operand)


def reached(
    expression: Expression, assigned: Mapping[str, Assignment], past: Collection[str] = ()
) -> frozenset[Expression]:
    """Every part of an expression and of the assignments that it reads; not those of the operators ``past``."""
    found: set[Expression] = set()
    todo = [expression]
    while todo:
        for part in walk(todo.pop(), past):
            if part not in found:
                found.add(part)
                if isinstance(part, Name) and part.name in assigned:
                    todo.append(assigned[part.name].value)
    return frozenset(found)
