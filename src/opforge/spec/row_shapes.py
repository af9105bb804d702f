"""Says why values do not broadcast where one of them has one element for each row, and no dimension of the row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opforge.spec import value_kinds
from opforge.spec.reading import Reading
from opforge.spec.tree import Expression, Name, Unsqueezed, walk
from opforge.spec.value_kinds import Refusal, Typed


def apart(reader: Reading, values: Sequence[Typed]) -> Refusal:
    """Why values do not broadcast, at least one of them reduced, with a hint.

    An input beside a value of rows is refused however it is declared: a result of rows reads inputs of rows only within
    reductions.
    """
    what, hint = value_kinds.apart(values)
    short = next((value for value in values if value.dropped), None)
    if short is None:
        return what, hint
    beside = next((value for value in values if not value.dropped and value.dims == short.dims), None)
    if beside is not None:
        what = f"one element for each row is what a reduction gives; `{beside.text}` is read outside of reductions"
        return what, "this is not supported yet; make the reduction the result, and compute the rest in another op"
    targets = {part.name for part in _reached(reader, short.tree) if isinstance(part, Unsqueezed)}
    listed = " and ".join(f"`{name}`" for name in reader.inputs if name in targets)
    return what, f"declare {listed} with a last dimension of extent 1, such as [..., 1]" if targets else hint


def _reached(reader: Reading, tree: Expression) -> Iterator[Expression]:
    """Every part of a value, including the values of names that it uses."""
    for part in walk(tree):
        yield part
        if isinstance(part, Name) and part.name in reader.assigned:
            yield from _reached(reader, reader.assigned[part.name].value)
