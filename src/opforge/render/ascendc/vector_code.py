"""Renders the vector instructions of a plan as C++: local tensors, calls, and their release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.plan.coefficient_blocks import blocks_of
from opforge.plan.vector_model import Argument, FloatBuffer, Instruction, Plan, view_of
from opforge.render.ascendc.cpp_names import TensorNames, local_of
from opforge.render.ascendc.instruction_spelling import FUNCTIONS, INTEGER_FUNCTIONS, Call, call, fill_call

_COMPUTED = {"float32": "float", "int32": "int32_t"}
# The local tensor that casts by way of half use.
_HALVES = "halfTile"


@dataclass(frozen=True)
class WrittenTensor:
    """An output of a kernel: its queue and the type of the queue."""

    queue: str
    type: str


@dataclass(frozen=True)
class TileBuffer:
    """The constant with a buffer's index. The index follows the buffers of ``previous``.

    With ``types``, the number of buffers of ``previous`` depends on these types; else it is one. The first buffer has
    no ``previous``.
    """

    constant: str
    previous: str = ""
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocalTensor:
    """A tensor of the kernel in UB: the arguments that create it, and the arguments that its queue stores it with."""

    type: str
    local: str
    queue: str
    arguments: tuple[str, ...]
    stored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Temporary:
    """A local tensor for an intermediate value. It has its own buffer."""

    type: str
    local: str
    constant: str


@dataclass(frozen=True)
class VectorForm:
    """The code that runs a plan's instructions on a tile. Forms call this context ``vector``.

    ``first_shifted`` is the constant of the first buffer that begins in other banks; empty if none does.
    ``row_types``: types of rows that consist of whole blocks. ``half_types``: types that may have one byte per element.
    ``fills`` fill ``blocks`` blocks of 32 bytes with coefficients of polynomials.
    """

    computed_in: str
    functions: bool
    integer_functions: bool
    double_buffered: bool
    buffers: int
    row_types: tuple[str, ...]
    half_types: tuple[str, ...]
    tile_buffers: tuple[TileBuffer, ...]
    first_shifted: str
    masks: int
    mask_numbers: tuple[int, ...]
    read: tuple[LocalTensor, ...]
    built: tuple[LocalTensor, ...]
    copied: tuple[LocalTensor, ...]
    temporaries: tuple[Temporary, ...]
    blocks: int
    fills: tuple[Call, ...]
    calls: tuple[Call, ...]


def vector_form(plan: Plan, tensors: Mapping[str, TensorNames], tile: str) -> VectorForm:
    """Renders the instructions of ``plan``. ``tile`` names the variable with the tile."""
    return VectorForm(
        computed_in=_computed_in(plan),
        functions=calls_functions(plan),
        integer_functions=calls_integer_functions(plan),
        double_buffered=plan.buffers > 1,
        buffers=plan.buffers,
        row_types=tuple(dict.fromkeys(tensors[a.name].type for a in plan.arguments if a.moved)),
        half_types=tuple(dict.fromkeys(tensors[a.name].type for a in plan.arguments if _narrow(a))),
        tile_buffers=_tile_buffers(plan, tensors),
        first_shifted=_first_shifted(plan, tensors),
        masks=plan.masks,
        mask_numbers=tuple(range(plan.masks)),
        read=_read(plan, tensors, tile),
        built=_built(plan, tensors),
        copied=_copied(plan, tensors),
        temporaries=temporaries(plan, plan.instructions, tensors),
        blocks=blocks_of(plan.instructions),
        fills=tuple(dict.fromkeys(fill_call(i) for i in plan.instructions if i.block is not None)),
        calls=tuple(call(instruction) for instruction in plan.instructions),
    )


def temporaries(
    plan: Plan, instructions: Sequence[Instruction], tensors: Mapping[str, TensorNames]
) -> tuple[Temporary, ...]:
    """The local tensors of the temporaries that these instructions and the homes of outputs use."""
    used = {place for i in instructions for place in (i.target, *i.sources, *i.work)}
    used |= {home.place for home in plan.homes}
    return tuple(
        _temporary(tensors, buffer) for buffer in plan.floats if not buffer.stands_for and buffer.place in used
    )


def _tile_buffers(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[TileBuffer, ...]:
    """kXBuffer, kYBuffer and so on, and their number. The storage types decide which buffers exist."""
    arguments = {a.name: a for a in plan.arguments}
    buffers: list[TileBuffer] = []
    previous: str = ""
    types: tuple[str, ...] = ()
    for buffer in plan.floats:
        constant = _constant(tensors, buffer)
        buffers.append(TileBuffer(constant, previous, types))
        name = buffer.stands_for
        previous, types = constant, _types(tensors[name], arguments[name]) if name else ()
    return (*buffers, TileBuffer("kTileBuffers", previous, types))


def _first_shifted(plan: Plan, tensors: Mapping[str, TensorNames]) -> str:
    if not plan.shifted:
        return ""
    shifted = (buffer for buffer in plan.floats if buffer.place in plan.shifted)
    return next((_constant(tensors, buffer) for buffer in shifted), "kTileBuffers")


def shifted_queues(plan: Plan, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """The arguments whose queues begin in other banks than the rest."""
    return tuple(a for a in arguments if view_of(a) in plan.shifted)


def _types(tensor: TensorNames, argument: Argument) -> tuple[str, ...]:
    """Template arguments: the storage type, then the compute type unless it is float."""
    return (tensor.type,) if argument.compute == "float32" else (tensor.type, _COMPUTED[argument.compute])


def input_queue(tensor: TensorNames, argument: Argument, *, optional: bool) -> str:
    """The type of an input's queue."""
    return f"{'OptionalInQueue' if optional else 'InQueue'}<{', '.join(_types(tensor, argument))}>"


def output_queue(tensor: TensorNames, argument: Argument) -> str:
    """The type of an output's queue."""
    return f"OutQueue<{', '.join(_types(tensor, argument))}>"


def _narrow(argument: Argument) -> bool:
    return any(argument.via_half(column) for column in range(len(argument.dtypes)))


def calls_functions(plan: Plan) -> bool:
    """Whether the kernel needs vector_math.h."""
    return any(i.name in FUNCTIONS for i in plan.instructions)


def calls_integer_functions(plan: Plan) -> bool:
    """Whether the kernel needs integer_math.h."""
    return any(i.name in INTEGER_FUNCTIONS for i in plan.instructions)


def _computed_in(plan: Plan) -> str:
    """The dtypes of the computation, for a comment in the kernel."""
    dtypes = {a.compute for a in plan.arguments if a.moved}
    return " and ".join(name for name in ("float32", "int32") if name in dtypes)


def _constant(tensors: Mapping[str, TensorNames], buffer: FloatBuffer) -> str:
    if buffer.stands_for:
        return tensors[buffer.stands_for].constant
    return f"k{'Int' if buffer.place.kind == 'integers' else 'Tmp'}Buffer{buffer.place.number}"


def _buffer(plan: Plan, tensors: Mapping[str, TensorNames], argument: Argument) -> str:
    """The buffer of a tensor whose compute type differs from its storage type; an empty tensor if there is none."""
    computed = _COMPUTED[argument.compute]
    if any(buffer.stands_for == argument.name for buffer in plan.floats):
        return f"Buffer<{computed}, {tensors[argument.name].constant}>()"
    return f"AscendC::LocalTensor<{computed}>()"


def _read(plan: Plan, tensors: Mapping[str, TensorNames], tile: str) -> tuple[LocalTensor, ...]:
    read = []
    for argument in plan.read:
        if argument.tiled:
            names = tensors[argument.name]
            halves = (_HALVES,) if _narrow(argument) else ()
            given = (_buffer(plan, tensors, argument), tile, names.place, *halves)
            read.append(LocalTensor(_COMPUTED[argument.compute], names.local, names.queue, given))
    return tuple(read)


def _built(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[LocalTensor, ...]:
    outputs = {a.name: a for a in plan.outputs}
    built = []
    for home in plan.homes:
        if home.copies is None:
            argument, names = outputs[home.output], tensors[home.output]
            own = home.place.kind == "output"
            place = _buffer(plan, tensors, argument) if own else local_of(home.place)
            stored = stored_arguments(argument, names.local)
            built.append(LocalTensor(_COMPUTED[argument.compute], names.local, names.queue, (place,), stored))
    return tuple(built)


def _copied(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[LocalTensor, ...]:
    """Outputs that copy another tensor which is still needed."""
    outputs = {a.name: a for a in plan.outputs}
    copied = []
    for home in plan.homes:
        if home.copies is not None:
            argument, names, source = outputs[home.output], tensors[home.output], local_of(home.copies)
            computed = _COMPUTED[argument.compute]
            copied.append(LocalTensor(computed, source, names.queue, (), stored_arguments(argument, source)))
    return tuple(copied)


def stored_arguments(argument: Argument, local: str) -> tuple[str, ...]:
    """The arguments by which a queue stores a local tensor."""
    return (local, "rowCount" if argument.row else "elementCount", *((_HALVES,) if _narrow(argument) else ()))


def _temporary(tensors: Mapping[str, TensorNames], buffer: FloatBuffer) -> Temporary:
    computed = _COMPUTED["int32" if buffer.place.kind == "integers" else "float32"]
    return Temporary(computed, local_of(buffer.place), _constant(tensors, buffer))
