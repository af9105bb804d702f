"""Contexts of op_kernel: the kernel class of an op with rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.kinds.rows.kept import KEEP
from opforge.kinds.rows.plan import reductions_of
from opforge.kinds.rows.row_forms import (
    BeginForm,
    ColumnTensor,
    FinishForm,
    KeptForm,
    KernelForm,
    ProgramForm,
    RowInput,
    RowResult,
    SumResult,
)
from opforge.kinds.rows.spread import combined_at_end, spread_passes
from opforge.kinds.vector_kernel import ReadTensor, read_tensor
from opforge.naming import snake
from opforge.render.ascendc.cpp_names import TensorNames, local_of, tensor_names
from opforge.render.ascendc.entry import addresses, queue_of
from opforge.render.ascendc.instruction_spelling import Call, call, empty_call, finish_call, part_call, total_call
from opforge.render.ascendc.vector_code import (
    WrittenTensor,
    output_queue,
    shifted_queues,
    stored_arguments,
    temporaries,
    vector_form,
)
from opforge.spec.axes import LAST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opforge.kinds.rows.plan import RowPass, RowsPlan
    from opforge.plan.vector_model import Argument, Instruction, Place, Plan
    from opforge.render.ascendc.vector_code import LocalTensor
    from opforge.spec.axes import Axes
    from opforge.spec.model import OpSpec


_BEGIN = "Loads the inputs with one element for each row, for some rows, and computes what depends on these only."


def kernel_form(
    op: OpSpec, plan: RowsPlan, given: Mapping[str, str] = MappingProxyType({}), *, spreads: bool, part: str = ""
) -> KernelForm:
    """The kernel class: its steps per tile are the plan's instructions, one line each.

    ``given`` has for tensors the condition that they are there, in C++; for optional inputs it is a flag. ``spreads``:
    all cores may read parts of each row, which needs the workspace. ``part`` ends the class's name, if the op has two.
    """
    stem, whole = snake(op.type), plan.whole
    by_name = {a.name: tensor_names(a) for a in plan.arguments}
    tensors = list(by_name.values())
    otherwise = dict(whole.optional)
    workspace = ("GM_ADDR userWorkspace",) if spreads else ()
    others = (*workspace, f"const {op.type}TilingData& tilingData", "AscendC::TPipe& pipe")
    writer = _Programs(plan, by_name)
    passes = tuple(writer.of_pass(number, each) for number, each in enumerate(plan.passes))
    kept = tuple(writer.of_kept(number, each) for number, each in enumerate(plan.kept))
    names = [each.name for each in passes]
    vector = vector_form(whole, by_name, "tile")
    moved = [a for a in plan.arguments if a.moved]
    shifted = shifted_queues(whole, moved)
    rows = {home.output: home.place for home in whole.homes if home.place.of_rows}
    written = [(a, WrittenTensor(by_name[a.name].queue, output_queue(by_name[a.name], a))) for a in plan.outputs]

    def queue(argument: Argument) -> Call:
        name, once = argument.name, spreads and argument in whole.read_once
        return _queue(by_name[name], argument, otherwise.get(name), given.get(name), bypasses=once)

    return KernelForm(
        op_type=op.type,
        kernel_type=f"{op.type}{part}Kernel",
        stem=stem,
        guard=f"{stem}_{part}".strip("_").upper(),
        formula=op.compute,
        last=plan.axes == LAST,
        several=plan.axes.along and plan.axes != LAST,
        across=not plan.axes.along,
        row=_row(plan.axes),
        row_count="tile.rows" if plan.axes.along else "tile.columns",
        rows_of_part="a row" if plan.axes.along else "rows",
        total_size=_total_size(plan.axes),
        finish_parameters=() if plan.axes.along else ("uint32_t rowCount",),
        finish_arguments=() if plan.axes.along else ("rowCount",),
        vector=vector,
        types=tuple(f"typename {t.type}" for t in tensors),
        init_parameters=(*addresses(tensors), *others),
        queues=tuple(queue(a) for a in moved if a not in shifted),
        shifted_queues=tuple(queue(a) for a in shifted),
        read=writer.read(a for a in whole.inputs if a.moved),
        written=tuple(tensor for _, tensor in written),
        whole_results=tuple(tensor for a, tensor in written if a.name not in rows and a.tiled),
        row_results=tuple(_row_result(by_name[a.name], a, rows[a.name]) for a, _ in written if a.name in rows),
        sums=tuple(
            SumResult(number, by_name[a.name].queue) for number, a in enumerate(a for a in plan.outputs if a.summed)
        ),
        sum_count=whole.sums,
        slots=plan.pass_counts[2],
        row_halves=any("halfTile" in stored_arguments(a, "") for a, _ in written if a.name in rows),
        multiplies=plan.multiplies,
        row_values=plan.values,
        row_masks=plan.masks,
        totals=plan.totals,
        any_masks=bool(whole.masks or plan.masks),
        numbers=whole.numbers,
        columns=writer.columns,
        column_halves=any("halfTile" in column.arguments for column in writer.columns),
        column_calls=tuple(call(i) for i in whole.instructions if i.target.kind == "column"),
        whole_arguments=("groups.grid", "group", *(column.local for column in writer.columns)),
        begin=writer.begin(),
        programs=(writer.whole_rows(), *passes, *kept),
        passes=passes,
        kept=whole.kept,
        kept_passes=tuple(
            KeptForm(each.name, each.arguments, tuple(f"Finish{one.name}" for _ in one.finish))
            for each, one in zip(kept, passes, strict=False)
        ),
        spread=spread_passes(plan, names) if spreads else (),
        combined_at_end=combined_at_end(plan, names) if spreads else (),
    )


def _row(axes: Axes) -> str:
    """The dimensions of a row, and how rows lie in a tile."""
    return f"A row is {axes.described}{'' if axes.along else '; rows lie down the columns of a tile'}."


def _total_size(axes: Axes) -> str:
    """The elements of what is left of the parts of a row, or of rows side by side."""
    return "kLanes" if axes.along else "kRowFloats"


def _queue(
    tensor: TensorNames, argument: Argument, otherwise: float | None, given: str | None, *, bypasses: bool
) -> Call:
    """The call that initialises a tensor's queue, of a tile or of one element for each row."""
    made = queue_of(tensor, argument, otherwise, given, bypasses=bypasses)
    size = made.arguments[3] if argument.tiled else "row_math::kRowFloats"
    return Call(made.function, (*made.arguments[:3], size, *made.arguments[4:]))


def _row_result(tensor: TensorNames, argument: Argument, place: Place) -> RowResult:
    local = local_of(place)
    return RowResult(tensor.queue, local, f"Row({place.number})", stored_arguments(argument, local))


class _Programs:
    """Renders the functions for one tile: of whole rows, and of a part of a row in each pass."""

    def __init__(self, plan: RowsPlan, tensors: Mapping[str, TensorNames]) -> None:
        self.plan = plan
        self.tensors = tensors
        self.optional = dict(plan.whole.optional)
        self.across = not plan.axes.along
        self.last = plan.axes == LAST

    @cached_property
    def columns(self) -> tuple[ColumnTensor, ...]:
        """The inputs that are the same for all rows."""
        tensors = {tensor.queue: tensor for tensor in vector_form(self.plan.whole, self.tensors, "oneRow").read}
        made = []
        for argument in self.plan.whole.inputs:
            names = self.tensors[argument.name]
            if argument.column and argument.moved:
                local = tensors[names.queue]
                made.append(
                    ColumnTensor(names.queue, names.place, names.strides, local.type, local.local, local.arguments)
                )
        return tuple(made)

    def read(self, moved: Iterable[Argument]) -> tuple[ReadTensor, ...]:
        return tuple(read_tensor(self.tensors[a.name], a, optional=a.name in self.optional) for a in moved)

    def begin(self) -> tuple[BeginForm, ...]:
        """The function that loads the inputs with one element for each row; none if there are none."""
        given = dict(self.plan.given)
        inputs = [argument for argument in self.plan.whole.inputs if argument.name in given]
        if not inputs:
            return ()
        loaded = tuple(self._row_input(argument, given[argument.name]) for argument in inputs)
        steps = self._steps(_BEGIN, self.plan.whole, self.plan.whole.instructions[: self.plan.begin])
        rows = {place.number for place in given.values()} | {*steps.row_numbers}
        halves = any("halfTile" in each.arguments for each in loaded)
        return (BeginForm(loaded, halves, replace(steps, row_numbers=tuple(sorted(rows)))),)

    def _row_input(self, argument: Argument, place: Place) -> RowInput:
        names, local = self.tensors[argument.name], local_of(place)
        halves = stored_arguments(argument, local)[2:]
        loaded = (local, local, "rowTile", names.place, *halves)
        return RowInput(names.queue, names.place, names.strides, names.local, loaded)

    def whole_rows(self) -> ProgramForm:
        later = self.plan.whole.instructions[self.plan.begin :]
        each_tile = tuple(i for i in later if i.target.kind != "column")
        plan = replace(self.plan.whole, instructions=each_tile)
        made = self._program("WholeRows", "A tile of whole rows.", plan, (), ())
        apart = {column.queue for column in self.columns}
        given = (f"const AscendC::LocalTensor<{column.type}>& {column.local}" for column in self.columns)
        vector = replace(made.vector, read=tuple(t for t in made.vector.read if t.queue not in apart))
        return replace(
            made,
            parameters=(*made.parameters, *given),
            read=tuple(tensor for tensor in made.read if tensor.queue not in apart),
            vector=vector,
        )

    def of_pass(self, number: int, each: RowPass) -> ProgramForm:
        """The function of one pass, and what follows its last part."""
        reductions = reductions_of(each.part)
        finish = (self._finish(number, each, reductions),) if reductions else ()
        comment = f"Pass {number} over the parts of a row: reductions." if reductions else "The last pass: the results."
        name = f"Pass{number}" if reductions else "LastPass"
        return self._program(name, comment, each.part, reductions, finish)

    def of_kept(self, number: int, part: Plan) -> ProgramForm:
        """The function of one pass over a row that stays in UB."""
        reductions = reductions_of(part)
        comment = f"{'P' if reductions else 'The last p'}ass {number} over the parts of a row that stays in UB."
        return self._program(f"KeptPass{number}", comment, part, reductions, ())

    def _program(
        self,
        name: str,
        comment: str,
        plan: Plan,
        reductions: Sequence[Instruction],
        finish: tuple[FinishForm, ...],
    ) -> ProgramForm:
        keeping = {i.sources[0].name: i.target for i in plan.instructions if i.name == KEEP}
        computed = tuple(i for i in plan.instructions if i.name != KEEP)
        vector = vector_form(replace(plan, instructions=computed), self.tensors, "tile")
        vector = replace(vector, read=tuple(self._kept_too(tensor, keeping) for tensor in vector.read))
        totals = {i.target: number for number, i in enumerate(reductions)}
        calls = tuple(
            part_call(i, f"totalLocal{totals[i.target]}", across=self.across, last=self.last)
            if i.target in totals
            else call(i, across=self.across)
            for i in computed
        )
        outside = [i for i in computed if i.target not in totals]
        places = _places(outside) | {home.place for home in plan.homes if home.place.of_rows}
        masks = _masks(plan.instructions)
        partly = ("first",) if reductions else ()
        text = " ".join(argument for each in calls for argument in each.arguments)
        stored = [argument for each in (*vector.built, *vector.copied) for argument in each.stored]
        loaded = [argument for each in vector.read for argument in each.arguments]
        halves = vector.half_types if "halfTile" in (*loaded, *stored) else ()
        return ProgramForm(
            name=name,
            comment=comment,
            parameters=("const tile_io::TileGrid& grid", "int64_t tileNumber", *(f"bool {each}" for each in partly)),
            arguments=("groups.grid", self.tile_number, *("part == 0" for _ in partly)),
            read=self.read(a for a in plan.inputs if a.moved and a.tiled),
            vector=replace(vector, calls=calls, mask_numbers=masks, masks=len(masks), half_types=halves),
            counts_elements="elementCount" in text.split() or "elementCount" in stored or bool(masks),
            counts_rows="rowCount" in text.split() or "rowCompareCount" in text.split() or "rowCount" in stored,
            compares_rows="rowCompareCount" in text.split(),
            row_numbers=_numbers(places, "row"),
            row_mask_numbers=_numbers(places, "row mask"),
            kept_numbers=_numbers(_used(plan), "kept"),
            total_numbers=tuple(totals.values()),
            blocks="rowBlocks" in text.split(),
            numbers="elementNumbers" in text.split(),
            writes=any(not home.place.of_rows for home in plan.homes),
            writes_rows=any(home.place.of_rows for home in plan.homes),
            finish=finish,
        )

    def _kept_too(self, tensor: LocalTensor, keeping: Mapping[str, Place]) -> LocalTensor:
        """The tensor, left in a kept value: its local tensor may then be overwritten."""
        kept = {self.tensors[name].queue: place for name, place in keeping.items()}.get(tensor.queue)
        if kept is None:
            return tensor
        buffer, *others = tensor.arguments
        return replace(tensor, arguments=(buffer, local_of(kept), *others))

    @property
    def tile_number(self) -> str:
        """The tile of a part, whose neighbours across are other rows."""
        return "firstTile + part * tiling->columnTiles" if self.across else "firstTile + part"

    def _end(self, reduction: Instruction, total: str) -> Call:
        """The call that makes the value of rows of what is left of their parts."""
        if self.across:
            return total_call(reduction, total)
        return finish_call(reduction, total, *(() if self.last else ("rowCount",)))

    def _finish(self, number: int, each: RowPass, reductions: Sequence[Instruction]) -> FinishForm:
        ends = [self._end(i, f"Total({place})") for place, i in enumerate(reductions)]
        size = f"row_math::{_total_size(self.plan.axes)}"
        made = self._steps(f"What pass {number} gives, from the whole row.", each.part, each.finish, ends, reductions)
        empty = tuple(empty_call(i, f"Total({place})", size) for place, i in enumerate(reductions))
        return replace(made, empty=empty)

    def _steps(
        self,
        comment: str,
        plan: Plan,
        instructions: Sequence[Instruction],
        ends: Sequence[Call] = (),
        reductions: Sequence[Instruction] = (),
    ) -> FinishForm:
        """Instructions on values of rows, after the calls that make the ``reductions``."""
        calls = (*ends, *map(call, instructions))
        places = _places([*reductions, *instructions])
        counts = {argument for each in calls for argument in each.arguments} & {"rowCount", "rowCompareCount"}
        return FinishForm(
            comment=comment,
            counts_rows=self.plan.axes == LAST and bool(counts),
            compares_rows="rowCompareCount" in counts,
            temporaries=temporaries(replace(plan, homes=()), instructions, self.tensors),
            mask_numbers=_masks(instructions),
            row_numbers=_numbers(places, "row"),
            row_mask_numbers=_numbers(places, "row mask"),
            empty=(),
            calls=calls,
        )


def _masks(instructions: Iterable[Instruction]) -> tuple[int, ...]:
    """The numbers of the masks of tiles that instructions use."""
    places = (place for i in instructions for place in (i.target, *i.sources, *i.work))
    return tuple(sorted({place.number for place in places if place.kind == "mask"}))


def _used(plan: Plan) -> set[Place]:
    """The places of the values of a plan."""
    used = {place for i in plan.instructions for place in (i.target, *i.sources)}
    return used | {home.place for home in plan.homes}


def _places(instructions: Iterable[Instruction]) -> set[Place]:
    return {place for i in instructions for place in (i.target, *i.sources) if place.of_rows}


def _numbers(places: Iterable[Place], kind: str) -> tuple[int, ...]:
    return tuple(sorted(place.number for place in places if place.kind == kind))
