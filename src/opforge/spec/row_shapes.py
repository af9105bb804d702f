"""Values that meet one with one element for each row and no dimension of the row: inputs of rows, or a mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opforge.spec import value_kinds
from opforge.spec.axes import LAST
from opforge.spec.reading import Reading
from opforge.spec.tree import Name, Unsqueezed, reached
from opforge.spec.value_dims import ONE, Dims, shown
from opforge.spec.value_kinds import Refusal, Typed


def note_inputs_of_rows(reader: Reading, values: Sequence[Typed]) -> None:
    """Notes inputs that meet a value of rows and have its shape: the text is read again with them as values of rows.

    Rows are the last dimension.
    """
    short = next((value for value in values if value.dropped), None)
    if short is not None and all(axes == LAST for axes in reader.reduced):
        beside = (value for value in values if not value.dropped and not value.reduced)
        reader.beside_rows |= set(_inputs(reader, beside, short.dims))


def apart(reader: Reading, values: Sequence[Typed]) -> Refusal:
    """Why values do not broadcast, with a hint. At least one of them is reduced, or they are the weights of a norm."""
    what, hint = value_kinds.apart(values)
    if not any(value.reduced or value.dropped for value in values):
        return what, "weights of a norm have the dimensions of a row: give both the same shape"
    short = next((value for value in values if value.dropped), None)
    beside = next((v for v in values if short is not None and not v.dropped and v.dims == short.dims), None)
    if beside is not None:
        what = f"one element for each row is what a reduction gives; `{beside.text}` is read outside of reductions"
        return what, "this is not supported yet; make the reduction the result, and compute the rest in another op"
    if short is not None:
        parts = (part for value in values if value.dropped for part in reached(value.tree, reader.assigned))
        targets = {part.name for part in parts if isinstance(part, Unsqueezed)}
        lacking = [name for name in reader.inputs if name in targets]
    else:
        rows = next(value.dims for value in values if value.reduced)
        lacking = _inputs(reader, values, rows[:-1] if rows else None)
    if lacking:
        listed = " and ".join(f"`{name}`" for name in lacking)
        hint = f"declare {listed} with a last dimension of extent 1: {shown((*reader.dims[lacking[0]], ONE))}"
    return what, hint


def _inputs(reader: Reading, values: Iterable[Typed], dims: Dims | None) -> list[str]:
    """The inputs of these dimensions in the values that have them."""
    trees = [value.tree for value in values if value.dims == dims]
    names = {part.name for tree in trees for part in reached(tree, reader.assigned) if isinstance(part, Name)}
    return [name for name in reader.inputs if name in names and reader.dims.get(name) == dims]
