"""Plans an op with rows: instructions over tiles of whole rows, and over parts of rows that do not fit in a tile.

A step has a *level*: the number of reductions that it depends on, one after the other. A row that does not fit is read
once for each level: pass 0 makes the reductions of level 1 part by part, pass 1 those of level 2, and the last pass the
results. Each pass computes again what it needs from the inputs. Inputs with one element for each row, and what depends
on these only, are there before a row *begins*.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.frozen import dataclass
from opforge.ir.rows import columns, row_inputs
from opforge.kinds.rows.kept import kept_passes
from opforge.kinds.rows.row_places import PassSteps, row_places
from opforge.plan.banks import shifted_places
from opforge.plan.coupled import coupled
from opforge.plan.lowering import lower
from opforge.plan.steps import REDUCING, Lowered
from opforge.plan.ub_buffers import allocate
from opforge.plan.vector import arguments_of, check_socs, rows_of, vector_plan
from opforge.plan.vector_model import Arguments, Place
from opforge.spec.axes import LAST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opforge.ir.graph import Graph
    from opforge.plan.steps import Step, Value
    from opforge.plan.ub_buffers import Allocation
    from opforge.plan.vector_model import Argument, FloatBuffer, Instruction, Plan
    from opforge.soc import Soc
    from opforge.spec.axes import Axes
    from opforge.spec.model import OpSpec

ROW_FLOATS = 256  # of a buffer with a value of each row: whole blocks for Compare
_BLOCK = 32  # bytes
_BLOCK_FLOATS = 2304  # of the buffer for blocks with a row's value, levels of reductions, and those of parts
_LANES = 64  # float32 in one repeat of an instruction: room for what is left of a part of a row


@dataclass(frozen=True)
class RowPass:
    """One pass over the parts of a row.

    ``part`` are the instructions on a part; its reductions combine the part with those before it. ``finish`` are the
    instructions on values of the row after the last part. The last pass has results, and nothing to finish.
    """

    part: Plan
    finish: tuple[Instruction, ...]


@dataclass(frozen=True)
class RowsPlan(Arguments):
    """The plan of one op with rows.

    ``whole`` are the instructions on a tile of whole rows; ``passes`` are those for rows that do not fit in a tile.
    ``given`` are the inputs with one element for each row, and their places. The first ``begin`` instructions of
    ``whole`` are on values that are computed from these only; they also come before the passes.
    ``values`` and ``masks`` count the values and masks that have one element for each row. ``totals``: the reductions
    of a pass, at most. ``axes``: the dimensions of a row. ``kept`` are the parts of the passes over a row that stays in
    UB, each with the reductions of the same pass of ``passes``; none if no row can stay.
    """

    arguments: tuple[Argument, ...]
    whole: Plan
    given: tuple[tuple[str, Place], ...]
    begin: int
    passes: tuple[RowPass, ...]
    values: int
    masks: int
    totals: int
    axes: Axes
    kept: tuple[Plan, ...]

    @property
    def pass_counts(self) -> tuple[int, int, int]:
        """All passes over rows in parts, those that reduce, and their reductions."""
        reductions = [len(reductions_of(each.part)) for each in self.passes]
        return len(self.passes), sum(map(bool, reductions)), sum(reductions)

    @property
    def multiplies(self) -> bool:
        """Whether the kernel needs row_product.h."""
        return any(instruction.name == REDUCING["prod"] for instruction in self.whole.instructions)


def reductions_of(plan: Plan) -> tuple[Instruction, ...]:
    """The instructions that make one value of each row."""
    return tuple(i for i in plan.instructions if i.name in REDUCING.values())


def plan_rows(
    op: OpSpec, graph: Graph, socs: tuple[Soc, ...], products: tuple[Argument, ...] | None = None
) -> RowsPlan:
    """The plan of an op with rows for all ``socs``, which share the kernel's source.

    ``products``: matrix products that the rows are computed from, which ``graph`` reads like inputs. The plan's
    arguments are then these and the tensors that the rows read or write.

    Raises PlanError, with the numbers, for a SoC or dtype that generated kernels do not support, for values of rows in
    int32, for more tensors than queue buffers, and for an expression whose smallest tile exceeds the unified buffer.
    """
    rows = rows_of(op, socs)
    check_socs(op, rows, socs)
    for soc in coupled(socs):
        raise PlanError(
            f"{op.type} cannot be generated for {soc.name}: rows are not supported there yet",
            hint=f"remove {soc.name} from soc, or write the kernel by hand (an op without compute)",
        )
    lowered = lower(graph, columns(op, graph.axes), row_inputs(op, graph.nodes, graph.axes))
    begin = _begin(lowered)
    others = tuple(step for step in lowered.steps if step not in begin)
    lowered = dataclasses.replace(lowered, steps=(*begin, *others))
    if any(step.target.row and step.target.dtype != "float32" for step in lowered.steps):
        raise PlanError(
            f"{op.type} cannot be generated: it computes in int32 with values that have one element for each row",
            hint="compute in float32, and make `cast(..., int32)` the last step of an output",
        )
    along = _without_work(lowered)
    lowered = along if graph.axes == LAST else lowered
    steps = _passes(lowered, begin)
    sums = {value.id: Place("sum", number=i) for i, (_, value) in enumerate(_sums(lowered))}
    places = {**row_places(lowered, begin, steps), **sums}
    whole = _whole_rows(along if graph.axes.along else lowered, places)
    start = allocate(Lowered((), (), begin, (), ()), places)  # a program of its own: it uses no tile of a result
    whole = dataclasses.replace(whole, instructions=(*start.instructions, *whole.instructions[len(begin) :]))
    used = [_lowered(lowered, each, last=each is steps[-1]) for each in steps]
    parts = [allocate(each, places) for each in used]
    ends = [allocate(Lowered((), (), each.finish, (), ()), places) for each in steps]
    kept = kept_passes(lowered, steps) if graph.axes == LAST else ()
    kept_parts = [allocate(each.lowered, {**places, **each.places}) for each in kept]
    programs = [whole, start, *parts, *ends, *kept_parts]
    floats, masks = _buffers(programs)
    values = len({place for place in places.values() if place.kind == "row"})
    row_masks = len({place for place in places.values() if place.kind == "row mask"})
    totals = max(sum(step.name in REDUCING.values() for step in each.part) for each in steps)
    arguments = arguments_of(op, lowered)
    if products is not None:
        arguments = (*products, *(argument for argument in arguments if argument.moved))
    whole_plan = vector_plan(
        op,
        arguments,
        lowered,
        socs,
        reads="inputs" if products is None else "inputs and products",
        allocation=dataclasses.replace(whole, floats=floats, masks=masks),
        reserved=_reserved(arguments, values, row_masks, totals, graph.axes),
        shifted=shifted_places(i for program in programs for i in program.instructions),
    )
    whole_plan = dataclasses.replace(whole_plan, kept=len({p for each in kept for p in each.kept}))
    passes = tuple(
        RowPass(_part_plan(whole_plan, each, part), end.instructions)
        for each, part, end in zip(used, parts, ends, strict=True)
    )
    staying = tuple(_part_plan(whole_plan, e.lowered, part) for e, part in zip(kept, kept_parts, strict=True))
    return RowsPlan(
        arguments=arguments,
        whole=whole_plan,
        given=tuple((value.input or "", places[value.id]) for value in lowered.inputs if value.row),
        begin=len(begin),
        passes=passes,
        values=values,
        masks=row_masks,
        totals=totals,
        axes=graph.axes,
        kept=staying,
    )


def _sums(lowered: Lowered) -> list[tuple[str, Value]]:
    """The results that are sums over all rows."""
    return [(name, value) for name, value in lowered.outputs if value.summed]


def _reserved(arguments: Sequence[Argument], values: int, masks: int, totals: int, axes: Axes) -> int:
    """Bytes of UB for values of rows, their blocks, totals of parts, and the queues of tensors that are not tiles."""
    queues = {a: max(4, *(DTYPES[dtype].size for dtype in a.dtypes)) for a in arguments if not a.tiled}
    results = sum((1 if a.once else 2) * ROW_FLOATS * size for a, size in queues.items())
    totals *= (_LANES if axes.along else ROW_FLOATS) * 4
    return values * ROW_FLOATS * 4 + masks * _BLOCK + _BLOCK_FLOATS * 4 + totals + results


def _without_work(lowered: Lowered) -> Lowered:
    """Reductions along a tile need no other tile; those of the rows of a tile fold them in one."""
    reducing = REDUCING.values()
    steps = (dataclasses.replace(step, work=0) if step.name in reducing else step for step in lowered.steps)
    return dataclasses.replace(lowered, steps=tuple(steps))


def _whole_rows(lowered: Lowered, places: Mapping[int, Place]) -> Allocation:
    """The places for tiles of whole rows: the numbers of the elements are the same in each."""
    steps = tuple(step for step in lowered.steps if step.name != "Arange")
    numbers = {step.target.id: Place("numbers") for step in lowered.steps if step.name == "Arange"}
    return allocate(dataclasses.replace(lowered, steps=steps), {**places, **numbers})


def _begin(lowered: Lowered) -> tuple[Step, ...]:
    """The steps on inputs with one element for each row, and on what is computed from these and from numbers only."""
    known = {value.id for value in lowered.inputs if value.row}
    steps: list[Step] = []
    for step in lowered.steps if known else ():
        if step.target.row and step.name not in REDUCING.values() and all(s.id in known for s in step.sources):
            known.add(step.target.id)
            steps.append(step)
    read = {source.id for step in steps for source in step.sources}
    return tuple(step for step in steps if step.sources or step.target.id in read)


def _levels(lowered: Lowered, begin: Sequence[Step]) -> Mapping[int, int]:
    """The level of each value. A value of rows has at least 1, if it is made when a pass is finished."""
    begun = {step.target for step in begin}
    levels = {value.id: 0 for value in lowered.inputs}
    for step in lowered.steps:
        level = max((levels[source.id] for source in step.sources), default=0) + (step.name in REDUCING.values())
        levels[step.target.id] = max(level, 1) if step.target.row and step.target not in begun else level
    return levels


def _passes(lowered: Lowered, begin: Sequence[Step]) -> tuple[PassSteps, ...]:
    """The steps of each pass: one for each level of reductions, and one for the results that have whole rows."""
    levels = _levels(lowered, begin)
    reductions = [step for step in lowered.steps if step.name in REDUCING.values()]
    made = []
    for level in range(1, 1 + max(levels[step.target.id] for step in reductions)):
        mine = [step for step in reductions if levels[step.target.id] == level]
        needed = _needed(lowered.steps, [step.sources[0] for step in mine])
        part = tuple(step for step in lowered.steps if step.target.id in needed or step in mine)
        rows = (step for step in lowered.steps if step.target.row and step not in reductions)
        made.append(PassSteps(part, tuple(step for step in rows if levels[step.target.id] == level)))
    results = [value for _, value in lowered.outputs if not value.row]
    if results:
        needed = _needed(lowered.steps, results)
        made.append(PassSteps(tuple(step for step in lowered.steps if step.target.id in needed), ()))
    return tuple(made)


def _lowered(lowered: Lowered, each: PassSteps, *, last: bool) -> Lowered:
    """The steps of a pass on a part, with what they read, and the results of whole rows if it is the last pass."""
    outputs = tuple((name, value) for name, value in lowered.outputs if not value.row) if last else ()
    read = {source.id for step in each.part for source in step.sources} | {value.id for _, value in outputs}
    return Lowered(tuple(v for v in lowered.inputs if v.id in read), (), each.part, outputs, lowered.scalars)


def _needed(steps: Sequence[Step], wanted: Sequence[Value]) -> set[int]:
    """The values of tiles that a value is computed from, and itself."""
    needed = {value.id for value in wanted}
    for step in reversed(steps):
        if step.target.id in needed:
            needed.update(source.id for source in step.sources if not source.row)
    return needed


def _buffers(allocations: Iterable[Allocation]) -> tuple[tuple[FloatBuffer, ...], int]:
    """The buffers of tiles and the masks that all programs together need; they run one after the other."""
    floats: dict[FloatBuffer, None] = {}
    masks = 0
    for allocation in allocations:
        floats.update(dict.fromkeys(allocation.floats))
        masks = max(masks, allocation.masks)
    return tuple(floats), masks


def _part_plan(whole: Plan, used: Lowered, part: Allocation) -> Plan:
    read = {value.input for value in used.inputs}
    made = {name for name, _ in used.outputs}
    arguments = tuple(
        dataclasses.replace(a, moved=a.moved and a.name in (made if a.output else read)) for a in whole.arguments
    )
    return dataclasses.replace(whole, arguments=arguments, instructions=part.instructions, homes=part.homes)
