"""The dimensions that the reductions of an op are over, counted from the end: leading dimensions may be many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.spec.dimensions import DOTS
from opforge.spec.value_dims import DROPPED, KEPT, ONE, Dims


@dataclass(frozen=True)
class Axes:
    """Dimensions by negative index, ascending: ``at``.

    ``whole``: all dimensions, however many there are; a value that is reduced over them has none. ``dim``: one
    dimension of ``...``, which only a call knows: the name of an int attribute, or 0 for the first one.
    """

    at: tuple[int, ...] = ()
    whole: bool = False
    dim: str = ""

    @property
    def attribute(self) -> str:
        """The int attribute that gives the dimension; empty if none does."""
        return self.dim if self.dim.isidentifier() else ""

    @property
    def alike(self) -> bool:
        """Whether inputs must have equal leading dimensions, since some of these are reduced."""
        return self.whole or bool(self.dim)

    def given(self, attrs: Mapping[str, object], rank: int) -> Axes:
        """The dimensions in a call with these attributes, of a tensor of ``rank`` dimensions."""
        if not self.dim:
            return self
        dim = int(str(attrs[self.dim] if self.attribute else self.dim))
        return Axes((dim if dim < 0 else dim - max(rank, 1),))

    def named(self, names: Mapping[str, str]) -> Axes:
        """The same dimensions, where the source of attributes is ``names``."""
        return replace(self, dim=names.get(self.dim, self.dim))

    def has(self, axis: int) -> bool:
        """Whether the dimension with this negative index is reduced."""
        return self.whole or axis in self.at

    @property
    def single(self) -> bool:
        """Whether one dimension is reduced."""
        return len(self.at) == 1 or bool(self.dim)

    @property
    def along(self) -> bool:
        """Whether the last dimension is reduced."""
        return self.has(-1)

    def of(self, rank: int) -> tuple[int, ...]:
        """The reduced dimensions of a tensor of ``rank`` dimensions, by negative index."""
        return tuple(axis for axis in range(-rank, 0) if self.has(axis))

    def kept(self, dims: Dims) -> Dims:
        """The shape with extent 1 for each reduced dimension; without those that may be many, which broadcast."""
        if self.whole:
            return ()
        if self.dim:
            return (KEPT,)
        named = [dim for dim in dims if dim != DOTS]
        return (*dims[: len(dims) - len(named)], *(ONE if self.has(i - len(named)) else d for i, d in enumerate(named)))

    def dropped(self, dims: Dims) -> Dims:
        """The shape without the reduced dimensions."""
        if self.dim:
            return (DROPPED,)
        leading = dims[:1] if DOTS in dims and not self.whole else ()
        named = [dim for dim in dims if dim != DOTS]
        return (*leading, *(dim for i, dim in enumerate(named) if not self.has(i - len(named))))

    @property
    def described(self) -> str:
        """The dimensions for people: ``the last dimension``, ``dimensions -3 and -1``, ``all dimensions``."""
        if self == LAST:
            return "the last dimension"
        if self.whole:
            return "all dimensions"
        if self.attribute:
            return f"the dimension that `{self.attribute}` gives"
        if self.dim:
            return "the first dimension"
        *most, last = map(str, self.at)
        return f"dimensions {', '.join(most)} and {last}" if most else f"dimension {last}"

    def leading(self, dims: Dims) -> bool:
        """Whether the reduced dimensions are the first ones of a shape: without them it still broadcasts with it."""
        named = [dim for dim in dims if dim != DOTS]
        first = next((axis for axis in range(-len(named), 0) if not self.has(axis)), 0)
        return (self.whole or DOTS not in dims) and all(axis < first for axis in self.at)

    def spelled(self) -> str:
        """The dimensions as Python source: ``-1``, ``(-2, -1)`` or ``dim``."""
        if self.dim:
            return self.dim
        return f"{self.at[0]}" if len(self.at) == 1 else f"({', '.join(map(str, self.at))})"

    def of_shape(self, shape: str) -> str:
        """The Python source of a shape with extent 1 for each reduced dimension. ``shape`` is the source of one."""
        first = self.at[0]
        tail = ("1" if self.has(axis) else f"{shape}[{axis}]" for axis in range(first, 0))
        return f"(*{shape}[:{first}], {', '.join(tail)})"

    def unsqueezed(self, text: str) -> str:
        """A result without the reduced dimensions, as torch or C++ source, with extent 1 for each of them.

        Leading dimensions stay away: they broadcast.
        """
        if self.dim:
            return f"{text}.unsqueeze({self.dim})"
        return text + "".join(f".unsqueeze({axis})" for axis in reversed(self.at))

    def numbered(self, text: str, form: str) -> str:
        """A vector along the one reduced dimension, as torch or C++ source, with extent 1 for each dimension after it.

        ``form`` reshapes it: ``.reshape(-1{})`` or ``.view({{-1{}}})``. The last dimension needs none.
        """
        after = -1 - self.at[0] if self.at else 0
        return text + (form.format(", 1" * after) if after else "")

    def squeezed(self, text: str) -> str:
        """A value with extent 1 for each reduced dimension, as torch or C++ source, without them."""
        return text + "".join(f".squeeze({axis})" for axis in self.at)


LAST = Axes((-1,))
ALL = Axes(whole=True)
