"""The vector instructions of a plan as C++: buffers, views of tensors, one call a line, and what closes the views."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.frozen import dataclass
from opforge.plan.vector_model import Argument, ComputeDtype, FloatBuffer, Plan
from opforge.render.ascendc.cpp_layout import assign, fill
from opforge.render.ascendc.cpp_names import TensorNames, local_of
from opforge.render.ascendc.instruction_spelling import FUNCTIONS, call

_COMPUTED = {"float32": "float", "int32": "int32_t"}
# The local variable for the room of casts by way of half.
_HALVES = "halfTile"


@dataclass(frozen=True)
class WrittenTensor:
    """An output of a kernel: its queue, and the queue's type."""

    queue: str
    type: str


@dataclass(frozen=True)
class VectorForm:
    """What kernel classes have of a plan's instructions on a tile: ``vector`` in the forms."""

    computed_in: str
    functions: bool
    double_buffered: bool
    buffers: int
    row_step: str
    buffer_constants: tuple[str, ...]
    via_half: str
    masks: int
    open_lines: tuple[str, ...]
    compute_lines: tuple[str, ...]
    close_lines: tuple[str, ...]


def vector_form(plan: Plan, tensors: Mapping[str, TensorNames], tile: str) -> VectorForm:
    """The instructions of ``plan`` on the variable ``tile``."""
    return VectorForm(
        computed_in=_computed_in(plan),
        functions=calls_functions(plan),
        double_buffered=plan.buffers > 1,
        buffers=plan.buffers,
        row_step=_row_step(plan, tensors),
        buffer_constants=_buffer_constants(plan, tensors),
        via_half=_via_half(plan, tensors),
        masks=plan.masks,
        open_lines=_open_lines(plan, tensors, tile),
        compute_lines=_compute_lines(plan),
        close_lines=_close_lines(plan, tensors),
    )


def _buffer_constants(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[str, ...]:
    """``kXBuffer = 0``, ``kYBuffer = kXBuffer + kBuffersOf<TypeX>`` and on: buffers exist or not by storage type."""
    arguments = {a.name: a for a in plan.arguments}

    def size(buffer: FloatBuffer) -> str:
        if not buffer.stands_for:
            return "1"
        return f"tile_io::kBuffersOf<{_types(tensors[buffer.stands_for], arguments[buffer.stands_for])}>"

    lines, place = [], "0"
    for buffer in plan.floats:
        constant = _constant(tensors, buffer)
        lines.append(assign(f"static constexpr uint32_t {constant}", place, [], ";", indent=4))
        place = f"{constant} + {size(buffer)}"
    return (*lines, assign("static constexpr uint32_t kTileBuffers", place, [], ";", indent=4))


def _types(tensor: TensorNames, argument: Argument) -> str:
    """Template arguments: what it is stored as, and what it is computed in where that is not float."""
    return tensor.type if argument.compute == "float32" else f"{tensor.type}, {_COMPUTED[argument.compute]}"


def input_queue(tensor: TensorNames, argument: Argument, *, optional: bool) -> str:
    """The type of an input's queue."""
    return f"{'OptionalInQueue' if optional else 'InQueue'}<{_types(tensor, argument)}>"


def output_queue(tensor: TensorNames, argument: Argument) -> str:
    """The type of an output's queue."""
    return f"OutQueue<{_types(tensor, argument)}>"


def _row_step(plan: Plan, tensors: Mapping[str, TensorNames]) -> str:
    """The constant kRowStep of a kernel class."""
    moved = dict.fromkeys(tensors[a.name].type for a in plan.arguments if a.moved)
    return assign("static constexpr uint32_t kRowStep", "tile_io::kRowStepOf<", list(moved), ">;", indent=4)


def _via_half(plan: Plan, tensors: Mapping[str, TensorNames]) -> str:
    """The constant kViaHalf of a kernel class; empty where no tensor is of single bytes in any column."""
    types = list(dict.fromkeys(tensors[a.name].type for a in plan.arguments if _narrow(a)))
    return assign("static constexpr bool kViaHalf", "tile_io::kSomeViaHalf<", types, ">;", indent=4) if types else ""


def _narrow(argument: Argument) -> bool:
    return any(argument.via_half(column) for column in range(len(argument.dtypes)))


def calls_functions(plan: Plan) -> bool:
    """Whether the kernel needs vector_math.h."""
    return any(i.name in FUNCTIONS for i in plan.instructions)


def _computed_in(plan: Plan) -> str:
    """What the values are computed in, for the kernel's comment."""
    dtypes = {a.compute for a in plan.arguments if a.moved}
    return " and ".join(name for name in ("float32", "int32") if name in dtypes)


def _constant(tensors: Mapping[str, TensorNames], buffer: FloatBuffer) -> str:
    if buffer.stands_for:
        return tensors[buffer.stands_for].constant
    return f"k{'Int' if buffer.place.kind == 'integers' else 'Tmp'}Buffer{buffer.place.number}"


def _open_lines(plan: Plan, tensors: Mapping[str, TensorNames], tile: str) -> tuple[str, ...]:
    """Local tensors for all tensors, temporaries and masks."""
    own = {b.stands_for for b in plan.floats}
    outputs = {a.name: a for a in plan.outputs}

    def buffer(argument: Argument) -> str:
        if argument.name not in own:
            return f"{_view(argument.compute)}()"
        return f"Buffer<{_COMPUTED[argument.compute]}, {tensors[argument.name].constant}>()"

    lines = [f"AscendC::LocalTensor<half> {_HALVES} = Halves();"] if any(map(_narrow, plan.arguments)) else []
    for argument in plan.inputs:
        if argument.moved:
            t = tensors[argument.name]
            given = [buffer(argument), tile, t.place, *([_HALVES] if _narrow(argument) else [])]
            lines.append(assign(f"{_view(argument.compute)} {t.local}", f"{t.queue}.DeQue(", given, ");", indent=8))
    for home in plan.homes:
        if home.copies is None:
            argument = outputs[home.output]
            where = buffer(argument) if home.place.kind == "output" else local_of(home.place)
            t = tensors[home.output]
            target = f"{_view(argument.compute)} {t.local}"
            lines.append(assign(target, f"{t.queue}.AllocTensor(", [where], ");", indent=8))
    lines += [_temporary(tensors, b) for b in plan.floats if not b.stands_for]
    for number in range(plan.masks):
        lines.append(f"AscendC::LocalTensor<uint8_t> maskLocal{number} = Mask({number});")
    return tuple(lines)


def _compute_lines(plan: Plan) -> tuple[str, ...]:
    calls = (call(instruction) for instruction in plan.instructions)
    return tuple(fill(f"{function}(", arguments, ");", indent=8) for function, arguments in calls)


def _view(compute: ComputeDtype) -> str:
    return f"AscendC::LocalTensor<{_COMPUTED[compute]}>"


def _temporary(tensors: Mapping[str, TensorNames], buffer: FloatBuffer) -> str:
    compute: ComputeDtype = "int32" if buffer.place.kind == "integers" else "float32"
    place = f"Buffer<{_COMPUTED[compute]}, {_constant(tensors, buffer)}>()"
    return f"{_view(compute)} {local_of(buffer.place)} = {place};"


def _close_lines(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[str, ...]:
    """Results are handed on, and what was read is given back."""
    outputs = {a.name: a for a in plan.outputs}

    def stored(output: str, what: str, function: str) -> str:
        halves = f", {_HALVES}" if _narrow(outputs[output]) else ""
        return f"{tensors[output].queue}.{function}({what}, elementCount{halves});"

    copies = [stored(h.output, local_of(h.copies), "EnQueCopy") for h in plan.homes if h.copies]
    built = [stored(h.output, tensors[h.output].local, "EnQue") for h in plan.homes if not h.copies]
    inputs = [f"{tensors[a.name].queue}.FreeTensor({tensors[a.name].local});" for a in plan.inputs if a.moved]
    return (*copies, *built, *inputs)
