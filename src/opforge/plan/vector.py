"""Plans an expression for the vector cores of its SoCs: instructions, places, buffers, tile sizes.

Sources of the limits: "TQue Buffer limits" in the Ascend C documentation of TQue (one queue buffer per event id of a
TPosition), and the unified buffer's size in CANN's platform_config.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.dtypes import KERNEL_DTYPES
from opforge.errors import PlanError
from opforge.plan.banks import BANK_SHIFT
from opforge.plan.coefficient_blocks import BLOCK_BYTES, blocks_of
from opforge.plan.coupled import coupled
from opforge.plan.ub_buffers import Allocation, allocate
from opforge.plan.vector_model import FRAMEWORK_RESERVE, SELECT_RESERVE, TILE_STEP, Argument, Place, Plan, TileSize
from opforge.spec.combinations import combinations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.plan.steps import Lowered
    from opforge.soc import Soc
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


# The instructions that need SELECT_RESERVE, including the functions of vector_math.h that select.
SELECTING = (
    *("Select", "SelectIntegers"),
    *("Tanh", "Erf", "Log1p", "Log1pUpTo1", "Expm1", "Expm1UpTo0", "Log2", "Power", "Fmod"),
)


def check_socs(op: OpSpec, rows: Mapping[str, tuple[Row, ...]], socs: tuple[Soc, ...]) -> None:
    """Raises PlanError for a SoC or a dtype that generated kernels do not support."""
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


def rows_of(op: OpSpec, socs: tuple[Soc, ...]) -> dict[str, tuple[Row, ...]]:
    """The dtype combinations of each SoC, by its name."""
    return {
        soc.name: tuple(row for row in combinations(op, soc.name) if all(dtype in soc.dtypes for dtype in row))
        for soc in socs
    }


def arguments_of(op: OpSpec, lowered: Lowered) -> tuple[Argument, ...]:
    """The tensors with their dtypes, a column for each combination, and their compute dtypes."""
    columns = tuple(zip(*combinations(op), strict=True))
    loaded = {value.input: value.dtype for value in lowered.inputs}
    same = {value.input for value in lowered.inputs if value.column}
    of_rows = {value.input for value in lowered.inputs if value.row}
    built = dict(lowered.outputs)
    inputs = (
        Argument(
            t.name,
            dtypes,
            moved=t.name in loaded,
            compute=loaded.get(t.name, "float32"),
            row=t.name in of_rows,
            column=t.name in same,
            repeated=t.dims[-1:] == ("1",),
        )
        for t, dtypes in zip(op.inputs, columns, strict=False)
    )
    outputs = (
        Argument(
            t.name,
            dtypes,
            output=True,
            compute=built[t.name].dtype,
            inplace=t.inplace,
            row=built[t.name].row,
            summed=built[t.name].summed,
        )
        for t, dtypes in zip(op.outputs, columns[len(op.inputs) :], strict=True)
    )
    return (*inputs, *outputs)


def _queue_buffers(op: OpSpec, arguments: tuple[Argument, ...], socs: tuple[Soc, ...], reads: str) -> int:
    """The buffers per queue: two if all SoCs allow it, else one. Raises PlanError for more tensors than buffers."""
    limit = min(soc.queue_buffers for soc in socs)
    inputs = [a for a in arguments if a.moved and not a.output]
    outputs = [a for a in arguments if a.output]
    for count, what, position in ((len(inputs), reads, "VECIN"), (len(outputs), "outputs", "VECOUT")):
        if count > limit:
            soc = min(socs, key=lambda s: s.queue_buffers)
            raise PlanError(
                f"{op.type} has {count} {what}, but {soc.name} has {limit} queue buffers at {position}",
                hint=f"split the op: each of its {what} needs a queue with at least one buffer",
            )
    doubled = max(sum(1 if a.once else 2 for a in queues) for queues in (inputs, outputs))
    return 2 if doubled <= limit else 1


def _tiles(op: OpSpec, plan: Plan, socs: tuple[Soc, ...], set_aside: Mapping[str, int]) -> tuple[TileSize, ...]:
    tiles, rows = [], rows_of(op, socs)
    for soc in socs:
        for column, row in enumerate(combinations(op)):
            if row not in rows[soc.name]:
                continue
            usable = soc.ub - FRAMEWORK_RESERVE - plan.reserved - set_aside.get(soc.name, 0)
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


def vector_plan(
    op: OpSpec,
    arguments: tuple[Argument, ...],
    lowered: Lowered,
    socs: tuple[Soc, ...],
    *,
    reads: str = "inputs",
    set_aside: Mapping[str, int] = MappingProxyType({}),
    allocation: Allocation | None = None,
    reserved: int = 0,
    shifted: frozenset[Place] = frozenset(),
) -> Plan:
    """The plan of ``lowered`` for all ``socs``, which share the kernel's source.

    Args:
        op: the op whose outputs are computed.
        arguments: the tensors that it reads and writes.
        lowered: its steps.
        socs: its SoCs.
        reads: a description of the tensors that it reads, for errors.
        set_aside: bytes of UB that tiles cannot use, by SoC.
        allocation: the places of the steps' values, if the caller has chosen them.
        reserved: bytes of UB that tiles cannot use, on every SoC.
        shifted: the buffers that begin in other banks than the rest.

    Raises:
        PlanError: more tensors than queue buffers, or a smallest tile that exceeds the unified buffer.
    """
    allocation = allocation or allocate(lowered)
    converted = {a.name for a in arguments if any(a.converts(column) for column in range(len(a.dtypes)))}
    reserved += BANK_SHIFT if shifted else 0
    reserved += blocks_of(allocation.instructions) * BLOCK_BYTES
    floats = [b for b in allocation.floats if b.stands_for is None or b.stands_for in converted]
    plan = Plan(
        op_type=op.type,
        arguments=arguments,
        scalars=lowered.scalars,
        instructions=allocation.instructions,
        homes=allocation.homes,
        floats=tuple(sorted(floats, key=lambda buffer: buffer.place in shifted)),
        masks=allocation.masks,
        buffers=_queue_buffers(op, arguments, socs, reads),
        tiles=(),
        reserved=reserved + (SELECT_RESERVE if any(i.name in SELECTING for i in allocation.instructions) else 0),
        coupled=bool(coupled(socs)),
        optional=tuple((v.input, v.otherwise) for v in lowered.inputs if v.input and v.otherwise is not None),
        shifted=shifted,
    )
    return replace(plan, tiles=_tiles(op, plan, socs, set_aside))
