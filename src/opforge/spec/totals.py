"""Finds the functions of all elements that are, in an op with rows, functions of the values of all rows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from opforge.spec.axes import Axes
from opforge.spec.reading import Reading
from opforge.spec.row_meanings import TOTALLED
from opforge.spec.value_dims import Dims, met, shown
from opforge.spec.value_kinds import Typed


def whole_of(reader: Reading) -> Dims | None:
    """The shape of all inputs together; None if they do not broadcast."""
    whole: Dims | None = ()
    for dims in reader.met_dims.values():
        whole = None if whole is None else met(whole, dims)
    return whole


def covers(axes: Axes, dims: Dims) -> bool:
    """Whether these are all dimensions of a shape."""
    return axes.whole or axes.of(len(dims)) == tuple(range(-len(dims), 0))


def rows_of(reader: Reading, name: str, given: Collection[str]) -> Axes | None:
    """The dimensions of the rows that a function without dimensions is over all of; None if the op has no rows.

    Rows are the last dimensions: others have no kernel yet.
    """
    whole = whole_of(reader)
    if name not in TOTALLED or "dim" in given or "keepdim" in given or not whole:
        return None
    known = (reader.over, *reader.reduced)
    rows = next((axes for axes in known if axes is not None and not covers(axes, whole)), None)
    return rows if rows is not None and rows.at and rows.at == tuple(range(-len(rows.at), 0)) else None


def clash(reader: Reading, axes: Axes, other: Axes) -> None:
    """Notes rows that come after a function of all elements: the text is read again with them known."""
    whole = whole_of(reader)
    if whole and covers(other, whole) and not covers(axes, whole):
        reader.clashes.append(axes)


def of_rows(value: Typed, axes: Axes, whole: Dims) -> bool:
    """Whether a value has one element for each row of a shape, of reductions or of inputs."""
    kept = value.dims == axes.kept(whole) != whole
    return kept or (value.dims == axes.dropped(whole) and (value.reduced or value.dropped))


def alike(reader: Reading, node: ast.expr, value: Typed, dims: Dims, given: Mapping[str, Dims]) -> str | None:
    """An input of the shape ``dims``, which is that of all inputs together; None if there is none, which is reported.

    ``value`` has this shape, or one element for each row of it. ``given``: the inputs that are never left out.
    """
    found = next((name for name, own in given.items() if own == dims), None)
    if found is None or any(met(dims, own) != dims for own in reader.met_dims.values()):
        what = f"`{value.text}` {shown(value.dims or dims)} does not have the shape of all inputs together"
        reader.report(node, what, "a function of all elements needs a value, and an input, of that shape")
        return None
    return found
