"""op_kernel: the tiling struct, the kernel class and the entry function of one op."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.naming import snake
from opforge.plan.model import FloatBuffer, Plan
from opforge.render.ascendc.layout import assign, comment, fill
from opforge.render.ascendc.names import LocalNames, TensorNames, local_names, tensor_names
from opforge.render.ascendc.spelling import call
from opforge.spec.model import OpSpec

_AICORE = "__aicore__ inline void "


@dataclass(frozen=True)
class TilingForm:
    """Context of ``op_kernel/op_tiling.h``."""

    op_type: str
    guard: str
    scalars: tuple[str, ...]
    strides: tuple[str, ...]


@dataclass(frozen=True)
class EntryForm:
    """Context of ``op_kernel/op_kernel.cpp``."""

    op_type: str
    stem: str
    signature: str
    instance: str
    init_call: str


@dataclass(frozen=True)
class ReadTensor:
    """An input that the kernel reads."""

    member: str
    type: str
    place: str
    place_line: str


@dataclass(frozen=True)
class KernelForm:
    """Context of ``op_kernel/op_kernel.h``."""

    op_type: str
    stem: str
    guard: str
    formulas: tuple[str, ...]
    template_line: str
    init_signature: str
    moved: tuple[TensorNames, ...]
    read: tuple[ReadTensor, ...]
    written: tuple[TensorNames, ...]
    flat_copy_in: str
    flat_compute: str
    broadcast_copy_in: str
    broadcast_compute: str
    double_buffered: bool
    buffers: int
    float_constants: tuple[str, ...]
    masks: int
    copy_in_signature: str
    compute_signature: str
    open_lines: tuple[str, ...]
    compute_lines: tuple[str, ...]
    close_lines: tuple[str, ...]


def tiling_form(plan: Plan) -> TilingForm:
    """The tiling struct of an op."""
    strides = tuple(tensor_names(a).strides for a in plan.inputs if a.moved)
    return TilingForm(plan.op_type, snake(plan.op_type).upper(), tuple(s.name for s in plan.scalars), strides)


def entry_form(plan: Plan) -> EntryForm:
    """The entry: what CANN calls, once per core."""
    stem = snake(plan.op_type)
    tensors = [tensor_names(a) for a in plan.arguments]
    arguments = [*(f"GM_ADDR {t.name}" for t in tensors), "GM_ADDR workspace", "GM_ADDR tiling"]
    return EntryForm(
        op_type=plan.op_type,
        stem=stem,
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}(', arguments, ")", room=2),
        instance=_instance(plan, [t.macro for t in tensors]),
        init_call=fill("theOp.Init(", [*(t.name for t in tensors), "tilingData", "tPipe"], ");", indent=4),
    )


def _instance(plan: Plan, macros: list[str]) -> str:
    """The kernel object. A variable whose type takes several lines stands in a line of its own."""
    lines = fill(f"{plan.op_type}Kernel<", macros, "> theOp;", indent=4)
    return lines if "\n" not in lines else fill(f"{plan.op_type}Kernel<", macros, ">\n        theOp;", indent=4)


def _float_constants(plan: Plan, names: LocalNames) -> tuple[str, ...]:
    """``kX = 0``, ``kY = kX + kFloatBuffersOf<TypeX>`` and so on: a chain, as buffers exist or not by storage type."""
    tensors = {a.name: tensor_names(a) for a in plan.arguments}

    def size(buffer: FloatBuffer) -> str:
        return f"tile_io::kFloatBuffersOf<{tensors[buffer.stands_for].type}>" if buffer.stands_for else "1"

    lines, place = [], "0"
    for buffer in plan.floats:
        constant = _float_constant(plan, names, buffer)
        lines.append(f"static constexpr uint32_t {constant} = {place};")
        place = f"{constant} + {size(buffer)}"
    return (*lines, f"static constexpr uint32_t kFloatBuffers = {place};")


def _float_constant(plan: Plan, names: LocalNames, buffer: FloatBuffer) -> str:
    if buffer.stands_for:
        return next(tensor_names(a).constant for a in plan.arguments if a.name == buffer.stands_for)
    local = names.of(buffer.place)
    return f"k{local[:1].upper()}{local[1:]}"


def _open_lines(plan: Plan, names: LocalNames) -> tuple[str, ...]:
    tensor = "AscendC::LocalTensor<float>"
    tensors = {a.name: tensor_names(a) for a in plan.arguments}
    lines = [
        assign(
            f"{tensor} {t.name}",
            f"{t.member}.Open(",
            [f"Floats<{t.constant}>()", "thisTile", t.place],
            ");",
            indent=8,
        )
        for t in (tensors[a.name] for a in plan.inputs if a.moved)
    ]
    for home in plan.homes:
        if home.copies is None:
            own = home.place.kind == "output"
            where = f"Floats<{tensors[home.output].constant}>()" if own else home.place.name
            member = tensors[home.output].member
            lines.append(assign(f"{tensor} {home.output}", f"{member}.Open(", [where], ");", indent=8))
    lines += [
        f"{tensor} {names.of(b.place)} = Floats<{_float_constant(plan, names, b)}>();"
        for b in plan.floats
        if not b.stands_for
    ]
    for number in range(plan.masks):
        offset = f"{number} * tiling_->tileElements / kMaskBits"
        lines.append(f"AscendC::LocalTensor<uint8_t> {names.mask}{number} = masks_.template Get<uint8_t>()[{offset}];")
    return tuple(lines)


def _close_lines(plan: Plan) -> tuple[str, ...]:
    tensors = {a.name: tensor_names(a) for a in plan.arguments}
    copies = [f"{tensors[h.output].member}.StoreCopy({h.copies}, elementCount);" for h in plan.homes if h.copies]
    outputs = [f"{tensors[h.output].member}.Close({h.output}, elementCount);" for h in plan.homes if not h.copies]
    inputs = [f"{tensors[a.name].member}.Close({a.name});" for a in plan.inputs if a.moved]
    return (*copies, *outputs, *inputs)


def _read_tensor(tensor: TensorNames) -> ReadTensor:
    arguments = ["theGrid", "theOrigin", f"tiling_->{tensor.strides}"]
    line = assign(f"const tile_io::Place {tensor.place}", "tile_io::PlaceAt(", arguments, ");", indent=12)
    return ReadTensor(tensor.member, tensor.type, tensor.place, line)


def kernel_form(op: OpSpec, plan: Plan) -> KernelForm:
    """The kernel class: its steps per tile are the plan's instructions, one line each."""
    stem = snake(plan.op_type)
    names = local_names(plan)
    tensors = [tensor_names(a) for a in plan.arguments]
    moved = tuple(tensor_names(a) for a in plan.arguments if a.moved)
    read = [tensor_names(a) for a in plan.inputs if a.moved]
    places = [t.place for t in read]
    parameters = ["const tile_io::Tile& thisTile", *(f"const tile_io::Place& {p}" for p in places)]
    init = [
        *(f"GM_ADDR {t.name}" for t in tensors),
        f"const {plan.op_type}TilingData& tilingData",
        "AscendC::TPipe& tPipe",
    ]
    return KernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        formulas=tuple(part for line in op.compute.splitlines() for part in comment(line.strip())),
        template_line=fill("template <", [f"typename {t.type}" for t in tensors], ">"),
        init_signature=fill(f"{_AICORE}Init(", init, ")", indent=4, room=2),
        moved=moved,
        read=tuple(_read_tensor(t) for t in read),
        written=tuple(tensor_names(a) for a in plan.outputs),
        flat_copy_in=fill("CopyIn(", ["thisTile", *("thisPlace" for _ in places)], ");", indent=12),
        flat_compute=fill("Compute(", ["thisTile", *("thisPlace" for _ in places)], ");", indent=12),
        broadcast_copy_in=fill("CopyIn(", ["thisTile", *places], ");", indent=12),
        broadcast_compute=fill("Compute(", ["thisTile", *places], ");", indent=12),
        double_buffered=plan.buffers > 1,
        buffers=plan.buffers,
        float_constants=_float_constants(plan, names),
        masks=plan.masks,
        copy_in_signature=fill(f"{_AICORE}CopyIn(", parameters, ")", indent=4, room=2),
        compute_signature=fill(f"{_AICORE}Compute(", parameters, ")", indent=4, room=2),
        open_lines=_open_lines(plan, names),
        compute_lines=tuple(call(i, names) for i in plan.instructions),
        close_lines=_close_lines(plan),
    )
