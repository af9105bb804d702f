"""Contexts of op_kernel: the kernel class of an elementwise op."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.kinds.vector_kernel import ReadTensor, read_tensor
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Plan
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses, queue_of
from opforge.render.ascendc.instruction_spelling import Call
from opforge.render.ascendc.vector_code import VectorForm, WrittenTensor, output_queue, shifted_queues, vector_form
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class KernelForm:
    """Context of ``kinds/elementwise/kernel.h``."""

    op_type: str
    stem: str
    guard: str
    formula: str
    vector: VectorForm
    types: tuple[str, ...]
    init_parameters: tuple[str, ...]
    queues: tuple[Call, ...]
    shifted_queues: tuple[Call, ...]
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]
    flat_arguments: tuple[str, ...]
    broadcast_arguments: tuple[str, ...]
    parameters: tuple[str, ...]


def kernel_form(op: OpSpec, plan: Plan) -> KernelForm:
    """The kernel class: its steps per tile are the plan's instructions, one line each."""
    stem = snake(plan.op_type)
    by_name = {a.name: tensor_names(a) for a in plan.arguments}
    tensors = list(by_name.values())
    otherwise = dict(plan.optional)
    read = plan.read
    places = [by_name[a.name].place for a in read]
    moved = [a for a in plan.arguments if a.moved]
    shifted = shifted_queues(plan, moved)
    others = (f"const {plan.op_type}TilingData& tilingData", "AscendC::TPipe& pipe")

    def queue(argument: Argument) -> Call:
        once = argument in plan.read_once
        return queue_of(by_name[argument.name], argument, otherwise.get(argument.name), bypasses=once)

    return KernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        formula=op.compute,
        vector=vector_form(plan, by_name, "tile"),
        types=tuple(f"typename {t.type}" for t in tensors),
        init_parameters=(*addresses(tensors), *others),
        queues=tuple(queue(a) for a in moved if a not in shifted),
        shifted_queues=tuple(queue(a) for a in shifted),
        read=tuple(read_tensor(by_name[a.name], a, optional=a.name in otherwise) for a in read),
        written=tuple(WrittenTensor(by_name[a.name].queue, output_queue(by_name[a.name], a)) for a in plan.outputs),
        flat_arguments=("tile", *("place" for _ in places)),
        broadcast_arguments=("tile", *places),
        parameters=("const tile_io::Tile& tile", *(f"const tile_io::Place& {place}" for place in places)),
    )
