"""Prints parts of plans for people: ``opforge inspect plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.vector_model import view_of

if TYPE_CHECKING:
    from opforge.plan.vector_model import Place, Plan


def buffer_lines(plan: Plan) -> list[str]:
    """The queues and buffers of a tile."""
    lines = []
    arguments = {a.name: a for a in plan.arguments}
    for argument in plan.arguments:
        where = "VECOUT" if argument.output else "VECIN"
        what = (
            f"queue {where}, {plan.buffers_of(argument)} x {'/'.join(dict.fromkeys(argument.dtypes))}"
            if argument.moved
            else "not read"
        )
        over = f", over {argument.inplace}" if argument.inplace else ""
        lines.append(f"  {argument.name}: {what}{over}{_shifted(plan, view_of(argument))}")
    for buffer in plan.floats:
        dtype = "int32" if buffer.place.kind == "integers" else "float32"
        if buffer.stands_for:
            dtype = arguments[buffer.stands_for].compute
        why = f" if {buffer.stands_for} is not {dtype}" if buffer.stands_for else ""
        lines.append(f"  {buffer.place}: {dtype}{why}{_shifted(plan, buffer.place)}")
    lines += ["  numbers[0]: float32, of the elements of a row"] if plan.numbers else []
    columns = range(len(plan.arguments[0].dtypes))
    narrow = [a.name for a in plan.arguments if any(a.via_half(column) for column in columns)]
    lines += [f"  halves: float16, for casts from or to {', '.join(narrow)}"] if narrow else []
    lines += [f"  mask[{i}]: one bit per element" for i in range(plan.masks)]
    return lines


def _shifted(plan: Plan, place: Place) -> str:
    return ", shifted" if place in plan.shifted else ""


def _home_lines(plan: Plan) -> list[str]:
    lines = []
    arguments = {a.name: a for a in plan.arguments}
    for home in plan.homes:
        output = arguments[home.output]
        if home.copies is not None:
            lines.append(f"  store {home.output} = {home.copies}")
        elif home.place.kind == "output" or not any(map(output.converts, range(len(output.dtypes)))):
            lines.append(f"  store {home.output}")
        else:
            lines.append(f"  store {home.output}, computed in {home.place} if it is not {output.compute}")
    return lines


def optional_lines(plan: Plan) -> list[str]:
    """The values of inputs that are left out."""
    return [f"  {name}: {number:g} if it is left out" for name, number in plan.optional]


def vector_lines(plan: Plan) -> list[str]:
    """The host's scalars, the instructions of a tile, and the stores of results."""
    lines = []
    if plan.scalars:
        whole = {s.name: f", {s.dtype}" if s.dtype != "float32" else "" for s in plan.scalars}
        lines += ["computed by op_host:", *(f"  {s.name} = node {s.node}{whole[s.name]}" for s in plan.scalars)]
    return [*lines, "per tile:", *(f"  {i}" for i in plan.instructions), *_home_lines(plan)]


def tile_lines(plan: Plan) -> list[str]:
    """The sizes of tiles by SoC and dtypes."""
    lines = []
    for tile in plan.tiles:
        dtypes = "/".join(dict.fromkeys(tile.dtypes))
        lines.append(
            f"  {tile.soc} {dtypes}: {tile.elements} elements, {tile.bytes_per_element} bytes each, "
            f"{tile.elements * tile.bytes_per_element} of {tile.ub} bytes of UB"
        )
    return lines
