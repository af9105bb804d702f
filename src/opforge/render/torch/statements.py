"""Prints the statements of a function in Python, with line breaks where ruff format puts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from opforge.render.layout import (
    COLUMNS,
    python_call,
    python_results,
    python_return,
    python_statement,
    python_sum,
    python_unpacking,
)

_INDENT = 4


class Statements:
    """The body of a function. The form indents the first line of each statement, not the lines inside it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._last: tuple[str, str] | None = None  # what the last statement assigns, outside of all conditions

    @property
    def _column(self) -> int:
        return _INDENT * (self._depth + 1)

    def extend(self, statements: Iterable[str]) -> None:
        """Statements that are already text."""
        self._last = None
        self.lines += [f"{' ' * (_INDENT * self._depth)}{statement}" for statement in statements]

    def run(self, expression: str) -> None:
        """A call for its effect."""
        self.extend([python_statement(expression, self._column)])

    def assign(self, target: str, value: str) -> None:
        """``target = value``."""
        self.run(f"{target} = {value}")
        self._last = None if self._depth else (target, value)

    def assign_results(self, names: Sequence[str], function: str, arguments: Sequence[str]) -> None:
        """``a, b = function(arguments)``."""
        self.extend([python_results(names, f"{function}(", arguments, self._column)])

    def assign_sum(self, target: str, terms: Sequence[str]) -> None:
        """``target = a + b``."""
        self.extend([python_sum(target, terms, self._column)])

    def unpack(self, names: Sequence[str], value: str) -> None:
        """``a, b = value``, or ``(a,) = value``."""
        self.extend([python_unpacking(names, value, self._column)])

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """The statements of the ``with`` block run only under this condition, or always if it is empty."""
        if not condition:
            yield
            return
        self.extend([f"if {condition}:"])
        self._depth += 1
        yield
        self._depth -= 1

    def return_values(self, values: Sequence[str]) -> None:
        """``return a, b``."""
        self.extend([python_return(values, self._column)])

    def return_value(self, value: str) -> None:
        """``return value``. A name that the last statement assigns is replaced by what it stands for if that fits."""
        target, assigned = self._last or ("", "")
        if target == value and self._column + len(f"return {assigned}") <= COLUMNS:
            self.lines.pop()
            value = assigned
        self.return_values([value])

    def return_call(self, function: str, arguments: Sequence[str], *, first: bool) -> None:
        """``return function(arguments)``, or with ``first`` the first item of the result."""
        self.extend([python_call(f"return {function}(", arguments, ")[0]" if first else ")", self._column)])

    def raise_error(self, error: str, message: str) -> None:
        """``raise error("message")``."""
        self.extend([python_call(f"raise {error}(", [f'"{message}"'], ")", self._column)])
