"""Plans an op for the cores of its SoCs: instructions, places, buffers and tile sizes, and matrix products if any.

Sources of the limits: "TQue Buffer limits" in the Ascend C documentation of TQue (as many queue buffers per TPosition
as there are event ids), and the unified buffer's size in CANN's platform_config.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.dtypes import KERNEL_DTYPES
from opforge.errors import PlanError
from opforge.ir.shapes import product_shape
from opforge.plan.coupled import COUPLED_ARCH, PRODUCT_RESERVE, check_products, check_vector, coupled
from opforge.plan.handwritten import plan_handwritten
from opforge.plan.lowering import lower
from opforge.plan.matmul_model import MatmulPlan, Product
from opforge.plan.model import FRAMEWORK_RESERVE, SELECT_RESERVE, TILE_STEP, Argument, Plan, TileSize
from opforge.plan.registers import allocate
from opforge.spec.combinations import combinations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.ir.graph import Graph
    from opforge.ir.shapes import ProductShape
    from opforge.plan.matmul_model import AnyPlan
    from opforge.plan.steps import Lowered
    from opforge.soc import Soc
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


# The instructions that take SELECT_RESERVE for themselves; the functions of vector_math.h that select are among them.
SELECTING = ("Select", "Tanh", "Erf", "Power")


def _check_socs(op: OpSpec, rows: Mapping[str, tuple[Row, ...]], socs: tuple[Soc, ...]) -> None:
    for soc in socs:
        if soc.lacks is not None:
            raise PlanError(f"{op.type} cannot be generated for {soc.name}: {soc.lacks}")
        if not rows[soc.name]:
            raise PlanError(
                f"{soc.name} supports none of the dtype combinations of {op.type}",
                hint=f"it supports {', '.join(soc.dtypes)}",
            )
    for place, tensor in enumerate((*op.inputs, *op.outputs)):
        for row in dict.fromkeys(row for of_soc in rows.values() for row in of_soc):
            if row[place] not in KERNEL_DTYPES:
                raise PlanError(
                    f"{op.type}: {tensor.name} is {row[place]}, which generated kernels do not support",
                    hint=f"they support {', '.join(KERNEL_DTYPES)}; leave compute out to write the kernel by hand",
                )


def _rows_of(op: OpSpec, socs: tuple[Soc, ...]) -> dict[str, tuple[Row, ...]]:
    """The combinations of dtypes that each SoC has."""
    return {
        soc.name: tuple(row for row in combinations(op, soc.name) if all(dtype in soc.dtypes for dtype in row))
        for soc in socs
    }


def _arguments(op: OpSpec, lowered: Lowered) -> tuple[Argument, ...]:
    """The tensors with their dtypes, a column for each combination, and what each is computed in."""
    columns = tuple(zip(*combinations(op), strict=True))
    loaded = {value.input: value.dtype for value in lowered.inputs}
    built = {name: value.dtype for name, value in lowered.outputs}
    inputs = (
        Argument(t.name, dtypes, moved=t.name in loaded, compute=loaded.get(t.name, "float32"))
        for t, dtypes in zip(op.inputs, columns, strict=False)
    )
    outputs = (
        Argument(t.name, dtypes, output=True, compute=built[t.name], inplace=t.inplace)
        for t, dtypes in zip(op.outputs, columns[len(op.inputs) :], strict=True)
    )
    return (*inputs, *outputs)


def _queue_buffers(op: OpSpec, arguments: tuple[Argument, ...], socs: tuple[Soc, ...]) -> int:
    """Two buffers per queue where all SoCs allow it, else one; more tensors than queue buffers is an error."""
    limit = min(soc.queue_buffers for soc in socs)
    inputs = sum(a.moved and not a.output for a in arguments)
    outputs = sum(a.output for a in arguments)
    given = {tensor.name for tensor in (*op.inputs, *op.outputs)}
    reads = "inputs" if all(a.name in given for a in arguments) else "inputs and products"
    for count, what, position in ((inputs, reads, "VECIN"), (outputs, "outputs", "VECOUT")):
        if count > limit:
            soc = min(socs, key=lambda s: s.queue_buffers)
            raise PlanError(
                f"{op.type} has {count} {what}, but {soc.name} has {limit} queue buffers at {position}",
                hint=f"split the op: each of its {what} needs a queue with at least one buffer",
            )
    return 2 if 2 * max(inputs, outputs) <= limit else 1


def _tiles(op: OpSpec, plan: Plan, rows: Mapping[str, tuple[Row, ...]], socs: tuple[Soc, ...]) -> tuple[TileSize, ...]:
    tiles = []
    for soc in socs:
        for column, row in enumerate(combinations(op)):
            if row not in rows[soc.name]:
                continue
            products = PRODUCT_RESERVE if plan.after_products and soc.npu_arch == COUPLED_ARCH else 0
            usable = soc.ub - FRAMEWORK_RESERVE - plan.reserved - products
            per_element = plan.bytes_per_element(column)
            elements = usable // per_element // TILE_STEP * TILE_STEP
            dtypes = tuple(a.dtypes[column] for a in plan.arguments)
            if elements == 0:
                raise PlanError(
                    f"{op.type} does not fit the unified buffer of {soc.name}: tiles have {usable} bytes, "
                    f"and one of {TILE_STEP} elements takes {TILE_STEP * per_element} "
                    f"({per_element} bytes per element for {', '.join(dict.fromkeys(dtypes))})",
                    hint="split the expression over several ops",
                )
            tiles.append(TileSize(soc.name, column, dtypes, elements, per_element, usable))
    return tuple(tiles)


def _vector_plan(
    op: OpSpec,
    arguments: tuple[Argument, ...],
    lowered: Lowered,
    socs: tuple[Soc, ...],
    *,
    after_products: bool = False,
) -> Plan:
    allocation = allocate(lowered)
    converted = {a.name for a in arguments if any(a.converts(column) for column in range(len(a.dtypes)))}
    plan = Plan(
        op_type=op.type,
        arguments=arguments,
        scalars=lowered.scalars,
        instructions=allocation.instructions,
        homes=allocation.homes,
        floats=tuple(b for b in allocation.floats if b.stands_for is None or b.stands_for in converted),
        masks=allocation.masks,
        buffers=_queue_buffers(op, arguments, socs),
        tiles=(),
        reserved=SELECT_RESERVE if any(i.name in SELECTING for i in allocation.instructions) else 0,
        coupled=bool(coupled(socs)),
        after_products=after_products,
        optional=tuple((v.input, v.otherwise) for v in lowered.inputs if v.input and v.otherwise is not None),
    )
    return replace(plan, tiles=_tiles(op, plan, _rows_of(op, socs), socs))


def _matmul_plan(
    op: OpSpec, graph: Graph, arguments: tuple[Argument, ...], shape: ProductShape, socs: tuple[Soc, ...]
) -> MatmulPlan:
    operands = [[graph[place].name or "" for place in product.operands] for product in graph.products]
    columns = len(arguments[0].dtypes)
    products = tuple(Argument(p.name or "", ("float32",) * columns) for p in graph.products)
    moved = tuple(a for a in arguments if a.moved)
    plan = MatmulPlan(
        op_type=op.type,
        arguments=arguments,
        multiplications=tuple(
            Product(p.name, left, right) for p, (left, right) in zip(products, operands, strict=True)
        ),
        shape=shape,
        epilogue=_vector_plan(op, (*products, *moved), lower(graph), socs, after_products=True),
    )
    rows = _rows_of(op, socs)
    check_products(plan, socs, rows)
    places = [place for place, argument in enumerate(arguments) if argument.moved]
    floats = ("float32",) * len(products)
    kept = {soc: tuple((*floats, *(row[place] for place in places)) for row in those) for soc, those in rows.items()}
    check_vector(plan.epilogue, socs, kept)
    return plan


def plan_op(op: OpSpec, graph: Graph | None, socs: tuple[Soc, ...]) -> AnyPlan:
    """The plan of ``op``, whose expression is ``graph``, for all of ``socs`` at once: they share the kernel's source.

    An op written by hand has no graph; its plan says no more than what its kernel is given.

    Raises PlanError, with the numbers, for a SoC or dtype that generated kernels do not support, for more tensors than
    there are queue buffers, and for an expression whose smallest tile exceeds the unified buffer.
    """
    if graph is None:
        return plan_handwritten(op, socs)
    rows = _rows_of(op, socs)
    _check_socs(op, rows, socs)
    lowered, shape = lower(graph), product_shape(op, graph)
    arguments = _arguments(op, lowered)
    if shape is not None:
        return _matmul_plan(op, graph, arguments, shape, socs)
    plan = _vector_plan(op, arguments, lowered, socs)
    check_vector(plan, socs, rows)
    return plan
