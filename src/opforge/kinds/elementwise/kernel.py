"""Contexts of op_kernel: the kernel class and the entry function of an elementwise op."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Plan
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import addresses, queue_of
from opforge.render.ascendc.instruction_spelling import Call
from opforge.render.ascendc.vector_code import VectorForm, WrittenTensor, input_queue, output_queue, vector_form
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class EntryForm:
    """Context of ``kinds/elementwise/entry.cpp``."""

    op_type: str
    stem: str
    coupled: bool
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    init_arguments: tuple[str, ...]


@dataclass(frozen=True)
class ReadTensor:
    """An input that the kernel reads: its queue, the queue's type, and the variable for its offset in GM."""

    queue: str
    type: str
    place: str
    arguments: tuple[str, ...]


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
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]
    flat_arguments: tuple[str, ...]
    broadcast_arguments: tuple[str, ...]
    parameters: tuple[str, ...]


def entry_form(plan: Plan) -> EntryForm:
    """The entry function, which CANN calls once per core."""
    tensors = [tensor_names(a) for a in plan.arguments]
    return EntryForm(
        op_type=plan.op_type,
        stem=snake(plan.op_type),
        coupled=plan.coupled,
        parameters=addresses(tensors, "workspace", "tiling"),
        types=tuple(t.macro for t in tensors),
        init_arguments=(*(t.address for t in tensors), "tilingData", "pipe"),
    )


def _read_tensor(tensor: TensorNames, argument: Argument, *, optional: bool) -> ReadTensor:
    queue = input_queue(tensor, argument, optional=optional)
    return ReadTensor(tensor.queue, queue, tensor.place, ("grid", "origin", f"tiling->{tensor.strides}"))


def kernel_form(op: OpSpec, plan: Plan) -> KernelForm:
    """The kernel class: its steps per tile are the plan's instructions, one line each."""
    stem = snake(plan.op_type)
    by_name = {a.name: tensor_names(a) for a in plan.arguments}
    tensors = list(by_name.values())
    otherwise = dict(plan.optional)
    read = [a for a in plan.inputs if a.moved]
    places = [by_name[a.name].place for a in read]
    others = (f"const {plan.op_type}TilingData& tilingData", "AscendC::TPipe& pipe")
    return KernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        formula=op.compute,
        vector=vector_form(plan, by_name, "tile"),
        types=tuple(f"typename {t.type}" for t in tensors),
        init_parameters=(*addresses(tensors), *others),
        queues=tuple(queue_of(by_name[a.name], a, otherwise.get(a.name)) for a in plan.arguments if a.moved),
        read=tuple(_read_tensor(by_name[a.name], a, optional=a.name in otherwise) for a in read),
        written=tuple(WrittenTensor(by_name[a.name].queue, output_queue(by_name[a.name], a)) for a in plan.outputs),
        flat_arguments=("tile", *("place" for _ in places)),
        broadcast_arguments=("tile", *places),
        parameters=("const tile_io::Tile& tile", *(f"const tile_io::Place& {place}" for place in places)),
    )
