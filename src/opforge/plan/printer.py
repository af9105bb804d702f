"""A plan as text for people: ``opforge inspect plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opforge.plan.model import Plan


def _buffer_lines(plan: Plan) -> list[str]:
    lines = []
    for argument in plan.arguments:
        where = "VECOUT" if argument.output else "VECIN"
        what = (
            f"queue {where}, {plan.buffers} x {'/'.join(dict.fromkeys(argument.dtypes))}"
            if argument.moved
            else "not read"
        )
        lines.append(f"  {argument.name}: {what}")
    for buffer in plan.floats:
        why = f" where {buffer.stands_for} is not float32" if buffer.stands_for else ""
        lines.append(f"  {buffer.place}: float32{why}")
    lines += [f"  mask[{i}]: one bit per element" for i in range(plan.masks)]
    return lines


def _home_lines(plan: Plan) -> list[str]:
    lines = []
    for home in plan.homes:
        if home.copies is not None:
            lines.append(f"  store {home.output} = {home.copies}")
        else:
            over = f", built over {home.place} where it is not float32" if home.place.kind != "output" else ""
            lines.append(f"  store {home.output}{over}")
    return lines


def print_plan(plan: Plan) -> str:
    """Every fact of the plan, one a line, ending with a newline."""
    lines = [f"plan {plan.op_type}", "buffers, per tile:", *_buffer_lines(plan)]
    if plan.scalars:
        lines += ["computed by op_host:", *(f"  {s.name} = node {s.node}" for s in plan.scalars)]
    lines += ["per tile:", *(f"  {i}" for i in plan.instructions), *_home_lines(plan)]
    lines.append("tiles:")
    for tile in plan.tiles:
        dtypes = "/".join(dict.fromkeys(tile.dtypes))
        lines.append(
            f"  {tile.soc} {dtypes}: {tile.elements} elements, {tile.bytes_per_element} bytes each, "
            f"{tile.elements * tile.bytes_per_element} of {tile.ub} bytes of UB"
        )
    lines += [
        "tiling keys:",
        "  0: all inputs have the output's shape; its elements are split over the cores in 512-byte lines",
        "  1: broadcast; tiles of rows and columns of the collapsed shape are split over the cores",
    ]
    return "\n".join(lines) + "\n"
