"""Reads the argument ``dim`` of a row function: integers, or an int attribute."""

from __future__ import annotations

import ast

from opforge.spec import row_arguments
from opforge.spec.axes import ALL, LAST, Axes
from opforge.spec.dimensions import DOTS, Dots
from opforge.spec.reading import Reading
from opforge.spec.row_meanings import EXTREMES, INDICES, REDUCING
from opforge.spec.value_dims import DROPPED, KEPT, Dims, shown


def axes(reader: Reading, name: str, dim: ast.expr | None, dims: Dims) -> Axes | None:
    """The dimensions that a call reduces; None if ``dim`` is wrong, which is reported."""
    if dim is None and name in row_arguments.OVER_ALL:
        return ALL if any(isinstance(each, Dots) for each in dims) else Axes(tuple(range(-len(dims), 0)))
    if dim is None:
        return LAST
    counted = reader.integer(dim)
    if isinstance(dim, ast.Name) and dim.id in reader.attrs:
        return _attribute(reader, dim, name, dims)
    if dims in ((DOTS,), (KEPT,)) and counted == 0:
        return _of_call(reader, dim, "0", dims)
    several = name in REDUCING and name not in (*INDICES, *EXTREMES, "prod")  # softmax takes one, as torch.prod
    parts = dim.elts if isinstance(dim, ast.Tuple | ast.List) and several else [dim]
    found = [_axis(reader, part, name, dims) for part in parts]
    if None in found or not found:
        return None
    made = sorted(axis for axis in found if axis is not None)
    if len(set(made)) < len(made):
        reader.report(dim, f"`dim` of `{name}` names a dimension twice", "name each dimension once")
        return None
    return Axes(tuple(made))


def _axis(reader: Reading, node: ast.expr, name: str, dims: Dims) -> int | None:
    """A dimension by negative index; reports one that the tensor does not have, or that cannot be counted."""
    value = reader.integer(node)
    named = [dim for dim in dims if dim != DOTS]
    if value is None:
        reader.report(node, f"`dim` of `{name}` must be an integer", row_arguments.shown(name))
    elif DOTS in dims and value >= 0:
        what = f"dimension {value} cannot be counted from the start of {shown(dims)}"
        reader.report(node, what, "count from the end: the last dimension is -1")
    elif not -len(named) <= value < len(named) and DOTS not in dims:
        what = f"{shown(dims)} has no dimension {value}"
        reader.report(node, what, f"`dim` is from {-len(named)} to {len(named) - 1}")
    else:
        return value if value < 0 else value - len(named)
    return None


def _attribute(reader: Reading, node: ast.Name, name: str, dims: Dims) -> Axes | None:
    """The dimension that an attribute gives, of a tensor of any rank; reports what has no kernel."""
    type_ = reader.attrs[node.id]
    reader.read.add(node.id)
    if type_ != "int":
        what = f"`dim` of `{name}` must be an integer, but the attribute `{node.id}` has type {type_}"
        reader.report(node, what, f"write `{node.id}: {{type: int, default: -1}}`")
        return None
    return _of_call(reader, node, node.id, dims)


def _of_call(reader: Reading, node: ast.expr, dim: str, dims: Dims) -> Axes | None:
    """A dimension of a tensor of any rank; reports a tensor that is not, or that has no such dimension any more."""
    if dims in ((KEPT,), (DROPPED,)):
        what = f"this value is already reduced over `dim={dim}`"
        hint = "leave out this function" if dims == (KEPT,) else "one op reduces one such dimension: write two ops"
    elif named := next((own for own in (dims, *reader.met_dims.values()) if own not in ((), (DOTS,))), None):
        what = f"`{dim}` may be any dimension, but those of {shown(named)} have different meanings"
        hint = "declare the inputs as `[...]`, or write the dimension as an integer"
    else:
        return Axes(dim=dim)
    reader.report(node, what, hint)
    return None
