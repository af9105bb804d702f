"""Spells results with one element for each row in torch."""

from __future__ import annotations

from opforge.ir.graph import RowDimension
from opforge.spec.axes import Axes


def spread_to(text: str, shape: str, row: RowDimension | None, axes: Axes) -> str:
    """A value broadcast to its result: of the shape ``shape``, or with one element for each row of it."""
    if row is None:
        return f"torch.broadcast_to({text}, {shape})"
    if axes.whole:
        return text  # it has no dimensions
    dropped = f".squeeze({axes.spelled()})" if row == "dropped" else ""
    return f"torch.broadcast_to({text}, {axes.of_shape(shape)}){dropped}"
