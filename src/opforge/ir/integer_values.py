"""The integers of an expression: the dtype of each value, and whether it may be beyond that dtype until it is wrapped.

``y = maximum(x + 1, 0)`` on int8 is computed in int32: x + 1 may be 128, and wraps around before the maximum. Sums,
differences and products need no wrapped operands, since their lowest bits depend on the lowest bits alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.spec.combinations import combinations
from opforge.spec.integers import ARITHMETIC, Width, fits, promoted, width_of
from opforge.spec.language import COMPARISONS, INTEGER_NUMBERS, LOGICAL, REDUCTIONS
from opforge.spec.tree import Apply, Cast, Name, literal_of, walk
from opforge.spec.value_kinds import kinds_of

if TYPE_CHECKING:
    from opforge.spec.model import OpSpec
    from opforge.spec.tree import Compute, Expression

_RING = INTEGER_NUMBERS - {"min", "max"}
# Other operators whose results may be beyond the dtype of operands within it.
_BEYOND = ("abs", "floor_divide", "bitwise_not", "bitwise_left_shift")


@dataclass(frozen=True)
class Integer:
    """Integers of a dtype; ``beyond``: they may be too large for it, but their lowest bits are right."""

    width: Width
    beyond: bool = False


class Integers:
    """The integers of one op. ``loaded`` are the inputs that are loaded as int32; others become floats."""

    def __init__(self, op: OpSpec, compute: Compute) -> None:
        columns = zip(op.inputs, zip(*combinations(op), strict=True), strict=False)
        whole = {t.name: dtypes for t, dtypes in columns if kinds_of(t.dtypes) == ("int",)}
        self._known = {name: Integer(width_of(name, whole)) for name in whole}
        floats = _floats(compute) if whole else frozenset()
        self.loaded = frozenset(name for name, dtypes in whole.items() if "int32" in dtypes or name not in floats)

    def assign(self, name: str, value: Expression) -> None:
        """Remember what a name stands for."""
        integer = self.of(value)
        if integer is not None:
            self._known[name] = integer

    def of(self, expression: Expression) -> Integer | None:
        """The integers of a value; None for floats, masks, and what depends on no tensor."""
        if isinstance(expression, Name):
            return self._known.get(expression.name)
        if isinstance(expression, Cast):
            whole = expression.dtype == "int32" or self.of(expression.operand) is not None
            return Integer(Width((expression.dtype,))) if whole and expression.dtype in ARITHMETIC else None
        if not isinstance(expression, Apply) or expression.op in (*COMPARISONS, *LOGICAL, *REDUCTIONS):
            return None
        operands = expression.operands[1:] if expression.op == "where" else expression.operands
        given = [integer for operand in operands if (integer := self.of(operand)) is not None]
        width = promoted(integer.width for integer in given) if given else None
        if width is None:
            return None
        numbers = [literal_of(operand) for operand in operands if self.of(operand) is None]
        held = all(number is not None and width.holds(number) for number in numbers)
        beyond = expression.op in (*_RING, *_BEYOND) or not held
        return Integer(width, beyond and width.narrow is not None)

    def needs_fitted(self, expression: Apply) -> bool:
        """Whether an operator needs operands within their dtype: it orders them, or its result has more bits."""
        made = self.of(expression)
        given = [integer for operand in expression.operands if (integer := self.of(operand)) is not None]
        return expression.op not in _RING or any(made is not None and integer.width != made.width for integer in given)

    def wrapped(self, cast: Cast) -> str | None:
        """The dtype that a cast of integers wraps them around in; None if it has all of them, or is to floats."""
        integer = self.of(cast.operand)
        if integer is None or cast.dtype not in ARITHMETIC or fits(integer.width, cast.dtype):
            return None
        return Width((cast.dtype,)).narrow

    def refused(self, value: Expression) -> tuple[str, str] | None:
        """Why integers of a value cannot meet in some column of some SoC; None if they can."""
        for part in walk(value) if self._known else ():
            if isinstance(part, Apply):
                given = [integer.width for operand in part.operands if (integer := self.of(operand)) is not None]
                if given and promoted(given) is None:
                    what = "integers of two dtypes meet, whose common dtype is that of neither in some column"
                    return what, "write `cast(..., int32)` for one of them"
        return None


def _floats(compute: Compute) -> frozenset[str]:
    """The names that are only read by casts to floats."""
    parts = [part for assignment in compute.assignments for part in walk(assignment.value)]
    read = Counter(part.name for part in parts if isinstance(part, Name))
    casts = Counter(
        part.operand.name
        for part in parts
        if isinstance(part, Cast) and isinstance(part.operand, Name) and part.dtype not in (*ARITHMETIC, "int64")
    )
    return frozenset(name for name, count in casts.items() if count == read[name])
