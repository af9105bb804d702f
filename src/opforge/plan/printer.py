"""A plan as text for people: ``opforge inspect plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.handwritten import HandwrittenPlan
from opforge.plan.matmul_model import SLOTS, MatmulPlan

if TYPE_CHECKING:
    from opforge.plan.matmul_model import AnyPlan
    from opforge.plan.model import Plan


def _buffer_lines(plan: Plan) -> list[str]:
    lines = []
    arguments = {a.name: a for a in plan.arguments}
    for argument in plan.arguments:
        where = "VECOUT" if argument.output else "VECIN"
        what = (
            f"queue {where}, {plan.buffers} x {'/'.join(dict.fromkeys(argument.dtypes))}"
            if argument.moved
            else "not read"
        )
        over = f", over {argument.inplace}" if argument.inplace else ""
        lines.append(f"  {argument.name}: {what}{over}")
    for buffer in plan.floats:
        dtype = "int32" if buffer.place.kind == "integers" else "float32"
        if buffer.stands_for:
            dtype = arguments[buffer.stands_for].compute
        why = f" where {buffer.stands_for} is not {dtype}" if buffer.stands_for else ""
        lines.append(f"  {buffer.place}: {dtype}{why}")
    columns = range(len(plan.arguments[0].dtypes))
    narrow = [a.name for a in plan.arguments if any(a.via_half(column) for column in columns)]
    lines += [f"  halves: float16 on the way from or to {', '.join(narrow)}"] if narrow else []
    lines += [f"  mask[{i}]: one bit per element" for i in range(plan.masks)]
    return lines


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
            lines.append(f"  store {home.output}, built over {home.place} where it is not {output.compute}")
    return lines


def _optional_lines(plan: Plan) -> list[str]:
    return [f"  {name}: {number:g} if it is not given" for name, number in plan.optional]


def _vector_lines(plan: Plan) -> list[str]:
    lines = []
    if plan.scalars:
        whole = {s.name: f", {s.dtype}" if s.dtype != "float32" else "" for s in plan.scalars}
        lines += ["computed by op_host:", *(f"  {s.name} = node {s.node}{whole[s.name]}" for s in plan.scalars)]
    return [*lines, "per tile:", *(f"  {i}" for i in plan.instructions), *_home_lines(plan)]


def _tile_lines(plan: Plan) -> list[str]:
    lines = []
    for tile in plan.tiles:
        dtypes = "/".join(dict.fromkeys(tile.dtypes))
        lines.append(
            f"  {tile.soc} {dtypes}: {tile.elements} elements, {tile.bytes_per_element} bytes each, "
            f"{tile.elements * tile.bytes_per_element} of {tile.ub} bytes of UB"
        )
    return lines


def _print_elementwise(plan: Plan) -> list[str]:
    return [
        f"plan {plan.op_type}",
        "buffers, per tile:",
        *_buffer_lines(plan),
        *_optional_lines(plan),
        *_vector_lines(plan),
        "tiles:",
        *_tile_lines(plan),
        "tiling keys:",
        "  0: all inputs have the output's shape; its elements are split over the cores in 512-byte lines",
        "  1: broadcast; tiles of rows and columns of the collapsed shape are split over the cores",
    ]


def _product_lines(plan: MatmulPlan) -> list[str]:
    left, right = ("^T" if turned else "" for turned in plan.shape.transposed)
    return [f"  {p.name} = {p.left}{left} @ {p.right}{right}" for p in plan.multiplications]


def _operand_lines(plan: MatmulPlan) -> list[str]:
    return [f"  {name}: one row for all rows" for name in plan.shape.row_vectors] + _optional_lines(plan.epilogue)


def _slot_lines(plan: MatmulPlan) -> list[str]:
    tile = f"{plan.base_m} x {plan.base_n}"
    return [
        f"  {SLOTS} slots for each vector core that works, each with a float32 tile of every product",
        f"  at most {SLOTS} x {plan.products} x {tile} x 4 = {SLOTS * plan.slot_bytes} bytes a core for any shapes",
    ]


def _print_matmul(plan: MatmulPlan) -> list[str]:
    rows = "x".join(plan.shape.rows)
    return [
        f"plan {plan.op_type}",
        f"on the cube cores, per tile of at most {plan.base_m} x {plan.base_n} of [{rows}, {plan.shape.n}]:",
        *_product_lines(plan),
        "user workspace:",
        *_slot_lines(plan),
        "on the vector cores, as many rows of a tile as the buffers hold:",
        *_operand_lines(plan),
        *_buffer_lines(plan.epilogue),
        *_vector_lines(plan.epilogue),
        "buffers hold:",
        *_tile_lines(plan.epilogue),
        "tiling keys:",
        "  0: the cube cores multiply tile by tile while the vector cores work on the tile before",
        "  1: the operands have no elements; all products are zero, and only the vector cores work",
    ]


def _print_handwritten(plan: HandwrittenPlan) -> list[str]:
    lines = [f"plan {plan.op_type}, whose kernel is handwritten", "the kernel gets:"]
    for argument in plan.arguments:
        kind = "output" if argument.output else "input"
        kind = "list of tensors" if argument.name in plan.lists else kind
        kind = f"optional {kind}" if argument.name in plan.optional else kind
        over = f", over {argument.inplace}" if argument.inplace else ""
        lines.append(f"  {argument.name}: {kind}, {'/'.join(dict.fromkeys(argument.dtypes))}{over}")
    return [*lines, *(f"  {name}: attribute, in the tiling data" for name in plan.attrs)]


def print_plan(plan: AnyPlan) -> str:
    """Every fact of the plan, one a line, ending with a newline."""
    if isinstance(plan, HandwrittenPlan):
        lines = _print_handwritten(plan)
    else:
        lines = _print_matmul(plan) if isinstance(plan, MatmulPlan) else _print_elementwise(plan)
    return "\n".join(lines) + "\n"
