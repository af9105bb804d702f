"""The interface between the parts of the reader of values."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from opforge.spec.leaves import Leaves
from opforge.spec.value_kinds import Typed


class Reading(Leaves):
    """A reader of values. None stands for a value that was refused, and whose mistakes were reported."""

    @abstractmethod
    def value(self, node: ast.expr) -> Typed | None:
        """The value of an expression or of a part."""

    @abstractmethod
    def values(self, nodes: Sequence[ast.expr]) -> list[Typed] | None:
        """The values of operands, or None if one was refused; reports the mistakes of all."""

    @abstractmethod
    def apply(self, op: str, nodes: Sequence[ast.expr], whole: ast.expr) -> Typed | None:
        """An operator of the IR applied to operands."""

    @abstractmethod
    def broadcast(self, made: Typed, operands: Sequence[Typed], whole: ast.expr) -> Typed | None:
        """A value with the dimensions of its operands; None if they do not broadcast, which is reported."""

    @abstractmethod
    def combined(self, op: str, given: Sequence[Typed], nodes: Sequence[ast.expr], text: str) -> Typed | None:
        """An operator of the IR applied to values, each with its place."""

    @abstractmethod
    def within(self, bound: dict[str, Typed], call: ast.expr, title: str, *, inner: bool) -> Reading:
        """The reader of a function of the prelude, whose names are ``bound``. It adds to this one's assignments."""
