"""Spells results with one element for each row in torch."""

from __future__ import annotations

from opforge.ir.graph import RowDimension
from opforge.spec.axes import Axes
from opforge.spec.language import TOTALS
from opforge.spec.row_meanings import torch_form


def result(text: str, shape: str, row: RowDimension | None, axes: Axes, *, spread: bool) -> str:
    """A value as its result: of the shape ``shape``, or with one element for each row of it.

    ``spread``: the value, or what it is reduced from, may be smaller than the shape. It is not where ``axes.alike``.
    """
    if row in (None, "one") or axes.whole:  # a value of all elements has no dimensions
        return f"torch.broadcast_to({text}, {shape})" if spread and row is None else text
    kept = f"torch.broadcast_to({text}, {axes.of_shape(shape)})" if spread else text
    return f"torch.squeeze({kept}, {axes.spelled()})" if row == "dropped" else kept


def row_count(name: str, axes: Axes) -> str:
    """The number of rows of a tensor, whose last dimensions are a row."""
    return f"{name}.shape[:{axes.at[0]}].numel()"


def numbers(name: str, axes: Axes, dtype: str) -> str:
    """The number of each element of a tensor in its row, a tensor of ``dtype`` that broadcasts with it."""
    if axes.dim:
        return f"torch.cumsum(torch.ones_like({name}, dtype={dtype}), {axes.dim}).sub(1)"
    counted = f"torch.arange({name}.shape[{axes.spelled()}], dtype={dtype}, device={name}.device)"
    return axes.numbered(counted, ".reshape(-1{})")


def extent(name: str, axis: int | str) -> str:
    """The size of a dimension; ``axis`` may be the source of an attribute. A number has one dimension of extent 1."""
    return f"torch.atleast_1d({name}).shape[{axis}]" if isinstance(axis, str) else f"{name}.shape[{axis}]"


def reduction(op: str, axes: Axes, module: str) -> str:
    """A reduction that keeps its dimensions; that of all dimensions has none. ``module`` is torch, or has the like."""
    if op in TOTALS:
        return f"{module}.{op.removesuffix('_all')}({{0}})"
    if module == "torch":
        return torch_form(op, axes)
    if axes.whole:
        return f"{module}.{op}({{0}})"
    return f"{module}.{op}({{0}}, {axes.spelled()}, keepdim=True)"
