"""Plans an elementwise op for the vector cores of its SoCs: instructions, places, buffers and tile sizes.

Sources of the limits: "TQue Buffer limits" in the Ascend C documentation of TQue (as many queue buffers per TPosition
as there are event ids), and the unified buffer's size in CANN's platform_config.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.errors import PlanError
from opforge.plan.lowering import lower
from opforge.plan.model import FRAMEWORK_RESERVE, SELECT_RESERVE, TILE_STEP, Argument, Plan, TileSize
from opforge.plan.registers import allocate

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec


def _check_socs(op: OpSpec, arguments: tuple[Argument, ...], socs: tuple[Soc, ...]) -> None:
    for soc in socs:
        if soc.lacks is not None:
            raise PlanError(f"{op.type} cannot be generated for {soc.name}: {soc.lacks}")
        for argument in arguments:
            for dtype in argument.dtypes:
                if dtype not in soc.dtypes:
                    raise PlanError(
                        f"{op.type}: {argument.name} is {dtype}, which generated kernels do not have on {soc.name}",
                        hint=f"supported there: {', '.join(soc.dtypes)}",
                    )


def _queue_buffers(op: OpSpec, arguments: tuple[Argument, ...], socs: tuple[Soc, ...]) -> int:
    """Two buffers per queue where all SoCs allow it, else one; more tensors than queue buffers is an error."""
    limit = min(soc.queue_buffers for soc in socs)
    inputs = sum(a.moved and not a.output for a in arguments)
    outputs = sum(a.output for a in arguments)
    for count, what, position in ((inputs, "inputs", "VECIN"), (outputs, "outputs", "VECOUT")):
        if count > limit:
            soc = min(socs, key=lambda s: s.queue_buffers)
            raise PlanError(
                f"{op.type} has {count} {what}, but {soc.name} has {limit} queue buffers at {position}",
                hint=f"split the op: each of its {what} takes a queue with at least one buffer",
            )
    return 2 if 2 * max(inputs, outputs) <= limit else 1


def _tiles(op: OpSpec, plan: Plan, socs: tuple[Soc, ...]) -> tuple[TileSize, ...]:
    tiles = []
    for soc in socs:
        for column in range(len(plan.arguments[0].dtypes)):
            usable = soc.ub - FRAMEWORK_RESERVE - plan.reserved
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


def plan_op(op: OpSpec, graph: Graph, socs: tuple[Soc, ...]) -> Plan:
    """The plan of ``op``, whose expression is ``graph``, for all of ``socs`` at once: they share the kernel's source.

    Raises PlanError, with the numbers, for a SoC or dtype that generated kernels do not support, for more tensors than
    there are queue buffers, and for an expression whose smallest tile exceeds the unified buffer.
    """
    moved = set(graph.inputs)
    inputs = tuple(Argument(t.name, t.dtypes, moved=t.name in moved) for t in op.inputs)
    outputs = tuple(Argument(t.name, t.dtypes, output=True) for t in op.outputs)
    arguments = inputs + outputs
    _check_socs(op, arguments, socs)
    lowered = lower(graph)
    allocation = allocate(lowered)
    plan = Plan(
        op_type=op.type,
        arguments=arguments,
        scalars=lowered.scalars,
        instructions=allocation.instructions,
        homes=allocation.homes,
        floats=allocation.floats,
        masks=allocation.masks,
        buffers=_queue_buffers(op, arguments, socs),
        tiles=(),
        reserved=SELECT_RESERVE if any(i.name == "Select" for i in allocation.instructions) else 0,
    )
    return replace(plan, tiles=_tiles(op, plan, socs))
