"""The skeleton of an op that is written by hand: a kernel without a body, its tiling, and what the host reads."""

from __future__ import annotations

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.handwritten.plan import HandwrittenPlan
from opforge.naming import lower_camel, snake, upper_camel
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import AICORE, instance
from opforge.render.ascendc.host_call import values_member
from opforge.render.ascendc.output_shapes import Bind, bind_lines, define_lines, result_lines
from opforge.render.ascendc.scalars import attr_member
from opforge.render.layout import fill
from opforge.spec.arguments import ArgumentKind, input_kind
from opforge.spec.model import AttrSpec, AttrType, OpSpec, TensorSpec

# Attributes, and values that the host reads, as its code holds them.
_HOST_TYPES: dict[ArgumentKind, str] = {
    "int": "int64_t",
    "float": "float",
    "bool": "bool",
    "str": "std::string",
    "list_int": "std::vector<int64_t>",
    "list_float": "std::vector<float>",
    "list_bool": "std::vector<bool>",
}
# Attributes as the tiling data hold them, whose layout both sides share: a bool is a whole number.
_TILING_TYPES: dict[AttrType, str] = {"int": "int64_t", "float": "float", "bool": "uint32_t"}


@dataclass(frozen=True)
class Member:
    """A member of a struct."""

    ctype: str
    member: str


@dataclass(frozen=True)
class InputPlace:
    """The constant that is an input's place in the definition."""

    constant: str
    index: int


@dataclass(frozen=True)
class HandwrittenHostTilingForm:
    """Context of ``kinds/handwritten/host_tiling.h``."""

    op_type: str
    stem: str
    guard: str
    inputs: tuple[InputPlace, ...]
    input_count: int
    output_count: int
    values: tuple[Member, ...]
    attrs: tuple[Member, ...]
    columns: tuple[str, ...]
    binds: tuple[Bind, ...]
    define_lines: tuple[str, ...]
    result_lines: tuple[str, ...]
    tiling_lines: tuple[str, ...]


@dataclass(frozen=True)
class HandwrittenTilingForm:
    """Context of ``kinds/handwritten/tiling.h``."""

    op_type: str
    guard: str
    counts: tuple[str, ...]
    flags: tuple[str, ...]
    attrs: tuple[Member, ...]


@dataclass(frozen=True)
class HandwrittenEntryForm:
    """Context of ``kinds/handwritten/entry.cpp``."""

    op_type: str
    stem: str
    signature: str
    instance: str
    init_call: str


@dataclass(frozen=True)
class KernelTensor:
    """A tensor in global memory, as the kernel class holds it."""

    name: str
    member: str
    type: str


@dataclass(frozen=True)
class KernelList:
    """A list of tensors; ``signature`` is that of the function that gives one, ``count`` says how many there are."""

    name: str
    count: str
    member: str
    type: str
    signature: str


@dataclass(frozen=True)
class HandwrittenKernelForm:
    """Context of ``kinds/handwritten/kernel.h``."""

    op_type: str
    stem: str
    guard: str
    template_line: str
    init_signature: str
    tensors: tuple[KernelTensor, ...]
    lists: tuple[KernelList, ...]


def input_constant(tensor: TensorSpec) -> str:
    """The constant in the host tiling that is the input's place."""
    return f"k{upper_camel(tensor.name)}Input"


def handwritten_host_tiling_form(op: OpSpec, plan: HandwrittenPlan) -> HandwrittenHostTilingForm:
    """How a first version of the op is tiled on the host."""
    stem = snake(op.type)
    read = [tensor for tensor in op.inputs if tensor.value_depend is not None]
    return HandwrittenHostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        inputs=tuple(InputPlace(input_constant(tensor), index) for index, tensor in enumerate(op.inputs)),
        input_count=len(op.inputs),
        output_count=len(op.outputs),
        values=tuple(Member(_HOST_TYPES[input_kind(tensor)], values_member(tensor)) for tensor in read),
        attrs=tuple(Member(_HOST_TYPES[attr.type], attr_member(attr)) for attr in op.attrs),
        columns=_columns(plan),
        binds=bind_lines(op, input_constant),
        define_lines=define_lines(op),
        result_lines=result_lines(op),
        tiling_lines=_tiling_lines(op, plan),
    )


def handwritten_tiling_form(op: OpSpec, plan: HandwrittenPlan) -> HandwrittenTilingForm:
    """The struct that host and kernel share."""
    return HandwrittenTilingForm(
        op_type=op.type,
        guard=snake(op.type).upper(),
        counts=tuple(_count(name) for name in plan.lists),
        flags=tuple(_flag(name) for name in _flagged(plan)),
        attrs=tuple(Member(_TILING_TYPES[attr.type], attr_member(attr)) for attr in _carried(op, plan)),
    )


def handwritten_entry_form(op: OpSpec, plan: HandwrittenPlan) -> HandwrittenEntryForm:
    """The entry: what CANN calls, once per core; behind the outputs, where it says shapes that only it knows."""
    stem = snake(plan.op_type)
    tensors = [tensor_names(argument) for argument in plan.arguments]
    shapes = ["shapeOut"] if any(tensor.shaped for tensor in op.outputs) else []
    arguments = [f"GM_ADDR {name}" for name in (*(t.address for t in tensors), *shapes, "workspace", "tiling")]
    return HandwrittenEntryForm(
        op_type=plan.op_type,
        stem=stem,
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}(', arguments, ")", room=2),
        instance=instance(plan.op_type, [t.macro for t in tensors]),
        init_call=fill("op.Init(", [*(t.address for t in tensors), "tilingData"], ");", indent=4),
    )


def handwritten_kernel_form(plan: HandwrittenPlan) -> HandwrittenKernelForm:
    """The kernel class: every tensor in its place, and a loop whose body is the author's."""
    stem = snake(plan.op_type)
    names = [tensor_names(argument) for argument in plan.arguments]
    listed = [argument.name in plan.lists and not argument.output for argument in plan.arguments]
    init = [*(f"GM_ADDR {t.address}" for t in names), f"const {plan.op_type}TilingData& tilingData"]
    return HandwrittenKernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        template_line=fill("template <", [f"typename {t.type}" for t in names], ">"),
        init_signature=fill(f"{AICORE}Init(", init, ")", indent=4, room=2),
        tensors=tuple(
            KernelTensor(t.address, f"{lower_camel(t.name)}Gm_", t.type)
            for t, is_list in zip(names, listed, strict=True)
            if not is_list
        ),
        lists=tuple(_list(t) for t, is_list in zip(names, listed, strict=True) if is_list),
    )


def _list(names: TensorNames) -> KernelList:
    signature = f"__aicore__ inline AscendC::GlobalTensor<{names.type}> {upper_camel(names.name)}At(uint32_t index)"
    return KernelList(
        names.address, f"tiling_->{_count(names.name)}", f"{lower_camel(names.name)}List_", names.type, signature
    )


def _count(name: str) -> str:
    return f"{lower_camel(name)}Count"


def _flagged(plan: HandwrittenPlan) -> tuple[str, ...]:
    """Optional inputs but lists: of those that are left out, the count is 0."""
    return tuple(name for name in plan.optional if name not in plan.lists)


def _flag(name: str) -> str:
    return f"has{upper_camel(name)}"


def _carried(op: OpSpec, plan: HandwrittenPlan) -> tuple[AttrSpec, ...]:
    return tuple(attr for attr in op.attrs if attr.name in plan.attrs)


def _columns(plan: HandwrittenPlan) -> tuple[str, ...]:
    lines = []
    for column in range(len(plan.outputs[0].dtypes)):
        names = ", ".join(DTYPES[argument.dtypes[column]].name for argument in plan.arguments)
        result = DTYPES[plan.outputs[0].dtypes[column]].size
        lines += [f"// {names}", f"{{{plan.bytes_per_element(column)}, {result}}},"]
    return tuple(lines)


def _tiling_lines(op: OpSpec, plan: HandwrittenPlan) -> tuple[str, ...]:
    places = {tensor.name: f"call.inputs[{input_constant(tensor)}]" for tensor in op.inputs}
    lines = [f"tiling->{_count(name)} = static_cast<uint32_t>({places[name]}.size());" for name in plan.lists]
    lines += [f"tiling->{_flag(name)} = {places[name]}.empty() ? 0 : 1;" for name in _flagged(plan)]
    for attr in _carried(op, plan):
        member = attr_member(attr)
        value = f"call.{member} ? 1 : 0" if attr.type == "bool" else f"call.{member}"
        lines.append(f"tiling->{member} = {value};")
    return tuple(lines)
