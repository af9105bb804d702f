"""op_kernel: the kernel class and the entry function of one elementwise op."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Plan
from opforge.render.ascendc.cpp_layout import assign, comment, fill
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import AICORE, init_line, instance
from opforge.render.ascendc.vector_code import VectorForm, WrittenTensor, input_queue, output_queue, vector_form
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class EntryForm:
    """Context of ``kinds/elementwise/entry.cpp``."""

    op_type: str
    stem: str
    coupled: bool
    signature: str
    instance: str
    init_call: str


@dataclass(frozen=True)
class ReadTensor:
    """An input that the kernel reads."""

    queue: str
    type: str
    place_line: str


@dataclass(frozen=True)
class KernelForm:
    """Context of ``kinds/elementwise/kernel.h``."""

    op_type: str
    stem: str
    guard: str
    formulas: tuple[str, ...]
    vector: VectorForm
    template_line: str
    init_signature: str
    init_lines: tuple[str, ...]
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]
    flat_copy_in: str
    flat_compute: str
    broadcast_copy_in: str
    broadcast_compute: str
    copy_in_lines: tuple[str, ...]
    copy_in_signature: str
    compute_signature: str


def entry_form(plan: Plan) -> EntryForm:
    """The entry: what CANN calls, once per core."""
    stem = snake(plan.op_type)
    tensors = [tensor_names(a) for a in plan.arguments]
    arguments = [*(f"GM_ADDR {t.address}" for t in tensors), "GM_ADDR workspace", "GM_ADDR tiling"]
    return EntryForm(
        op_type=plan.op_type,
        stem=stem,
        coupled=plan.coupled,
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}(', arguments, ")", room=2),
        instance=instance(plan.op_type, [t.macro for t in tensors]),
        init_call=fill("op.Init(", [*(t.address for t in tensors), "tilingData", "pipe"], ");", indent=4),
    )


def _read_tensor(tensor: TensorNames, argument: Argument, *, optional: bool) -> ReadTensor:
    arguments = ["grid", "origin", f"tiling->{tensor.strides}"]
    line = assign(f"const tile_io::Place {tensor.place}", "tile_io::PlaceAt(", arguments, ");", indent=12)
    return ReadTensor(tensor.queue, input_queue(tensor, argument, optional=optional), line)


def kernel_form(op: OpSpec, plan: Plan) -> KernelForm:
    """The kernel class: its steps per tile are the plan's instructions, one line each."""
    stem = snake(plan.op_type)
    by_name = {a.name: tensor_names(a) for a in plan.arguments}
    tensors = list(by_name.values())
    otherwise = dict(plan.optional)
    read = [a for a in plan.inputs if a.moved]
    places = [by_name[a.name].place for a in read]
    parameters = ["const tile_io::Tile& tile", *(f"const tile_io::Place& {p}" for p in places)]
    init = [
        *(f"GM_ADDR {t.address}" for t in tensors),
        f"const {plan.op_type}TilingData& tilingData",
        "AscendC::TPipe& pipe",
    ]
    return KernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        formulas=tuple(part for line in op.compute.splitlines() for part in comment(line.strip())),
        vector=vector_form(plan, by_name, "tile"),
        template_line=fill("template <", [f"typename {t.type}" for t in tensors], ">"),
        init_signature=fill(f"{AICORE}Init(", init, ")", indent=4, room=2),
        init_lines=tuple(init_line(by_name[a.name], a, otherwise.get(a.name)) for a in plan.arguments if a.moved),
        read=tuple(_read_tensor(by_name[a.name], a, optional=a.name in otherwise) for a in read),
        written=tuple(WrittenTensor(by_name[a.name].queue, output_queue(by_name[a.name], a)) for a in plan.outputs),
        flat_copy_in=fill("CopyIn(", ["tile", *("place" for _ in places)], ");", indent=12),
        flat_compute=fill("Compute(", ["tile", *("place" for _ in places)], ");", indent=12),
        broadcast_copy_in=fill("CopyIn(", ["tile", *places], ");", indent=12),
        broadcast_compute=fill("Compute(", ["tile", *places], ");", indent=12),
        copy_in_lines=tuple(f"{by_name[a.name].queue}.CopyIn(tile, {by_name[a.name].place});" for a in read),
        copy_in_signature=fill(f"{AICORE}CopyIn(", parameters, ")", indent=4, room=2),
        compute_signature=fill(f"{AICORE}Compute(", parameters, ")", indent=4, room=2),
    )
