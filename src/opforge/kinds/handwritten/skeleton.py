"""The contexts of the forms of handwritten ops: the author's files, and the headers that they include."""

from __future__ import annotations

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.handwritten.plan import HandwrittenPlan
from opforge.naming import lower_camel, snake, upper_camel
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.host_call import values_member
from opforge.render.ascendc.members import Column, Member
from opforge.render.ascendc.output_shapes import (
    Bind,
    Defined,
    Result,
    computed_dims,
    length_of,
    output_constant,
    results,
    shape_binds,
)
from opforge.render.ascendc.scalars import Assigned, attr_member
from opforge.spec.arguments import ArgumentKind, input_kind
from opforge.spec.model import AttrSpec, AttrType, OpSpec, TensorSpec

# C++ types on the host, for attributes and for values that the host reads.
_HOST_TYPES: dict[ArgumentKind, str] = {
    "int": "int64_t",
    "float": "float",
    "bool": "bool",
    "str": "std::string",
    "list_int": "std::vector<int64_t>",
    "list_float": "std::vector<float>",
    "list_bool": "std::vector<bool>",
}
# C++ types in the tiling data, whose layout host and kernel share. A bool is stored as an integer.
_TILING_TYPES: dict[AttrType, str] = {"int": "int64_t", "float": "float", "bool": "uint32_t"}


@dataclass(frozen=True)
class InputPlace:
    """The constant with an input's index in the definition."""

    constant: str
    index: int


@dataclass(frozen=True)
class CallForm:
    """Context of ``kinds/handwritten/call.h`` and of ``whole/host_tiling.h``, which also describes a call.

    ``listed``: some output is a list, so that the shapes of each output are a list. ``own``: the author computes some,
    ``own_lists``: of lists, whose lengths SetArgs then needs.
    """

    op_type: str
    stem: str
    guard: str
    inputs: tuple[InputPlace, ...]
    input_count: int
    output_count: int
    values: tuple[Member, ...]
    attrs: tuple[Member, ...]
    columns: tuple[Column, ...]
    binds: tuple[Bind, ...]
    defined: tuple[Defined, ...]
    listed: bool
    own: bool
    own_lists: bool
    results: tuple[Result, ...]
    target: str
    parameters: tuple[str, ...]
    args: tuple[Assigned, ...]


@dataclass(frozen=True)
class OpForm:
    """Context of ``kinds/handwritten/host_tiling.h`` and ``tiling.h``. ``listed``: some output is a list."""

    op_type: str
    stem: str
    guard: str
    listed: bool


@dataclass(frozen=True)
class ShapesForm:
    """Context of ``kinds/handwritten/shapes.h``. ``own`` are the outputs whose shapes the author computes."""

    op_type: str
    stem: str
    guard: str
    listed: bool
    inputs: tuple[InputPlace, ...]
    members: tuple[Member, ...]
    own: tuple[str, ...]


@dataclass(frozen=True)
class ArgsForm:
    """Context of ``kinds/handwritten/args.h`` and of ``whole/tiling.h``, whose struct has the same members."""

    op_type: str
    stem: str
    guard: str
    counts: tuple[str, ...]
    flags: tuple[str, ...]
    attrs: tuple[Member, ...]


@dataclass(frozen=True)
class EntryForm:
    """Context of ``kinds/handwritten/entry.cpp``. ``bound``: the kernel class gets its tensors from ``bindings.h``."""

    op_type: str
    stem: str
    guard: str
    bound: bool
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True)
class Dtype:
    """The alias of a tensor's type, and CANN's macro for that type."""

    type: str
    macro: str


@dataclass(frozen=True)
class BoundTensor:
    """A tensor in global memory; ``address`` is the parameter that it is bound to."""

    address: str
    member: str
    type: str


@dataclass(frozen=True)
class BoundList:
    """A list of tensors. ``function`` returns one of them; ``count`` is their number."""

    address: str
    count: str
    member: str
    type: str
    function: str


@dataclass(frozen=True)
class BindingsForm:
    """Context of ``kinds/handwritten/bindings.h``. ``shaped``: the kernel determines the shape of an output."""

    op_type: str
    stem: str
    guard: str
    parameters: tuple[str, ...]
    dtypes: tuple[Dtype, ...]
    tensors: tuple[BoundTensor, ...]
    lists: tuple[BoundList, ...]
    shaped: bool


@dataclass(frozen=True)
class QueueMember:
    """The queue of a tensor, and the arguments that initialise its buffers."""

    name: str
    position: str
    buffers: tuple[str, ...]


@dataclass(frozen=True)
class KernelForm:
    """Context of ``kinds/handwritten/kernel.h``. The examples in comments use the first input and the first output."""

    op_type: str
    stem: str
    guard: str
    args: str
    example: str
    queues: tuple[QueueMember, ...]
    first_inputs: tuple[TensorNames, ...]
    first_outputs: tuple[TensorNames, ...]


def input_constant(tensor: TensorSpec) -> str:
    """The constant in the host tiling with the input's index."""
    return f"k{upper_camel(tensor.name)}Input"


def call_form(op: OpSpec, plan: HandwrittenPlan, *, target: str = "args") -> CallForm:
    """The context of a call. ``target`` is the pointer to the struct that the call fills."""
    stem = snake(op.type)
    read = [tensor for tensor in op.inputs if tensor.value_depend is not None]
    args = _args(op, plan)
    return CallForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        inputs=tuple(InputPlace(input_constant(tensor), index) for index, tensor in enumerate(op.inputs)),
        input_count=len(op.inputs),
        output_count=len(op.outputs),
        values=tuple(Member(_HOST_TYPES[input_kind(tensor)], values_member(tensor)) for tensor in read),
        attrs=tuple(Member(_HOST_TYPES[attr.type], attr_member(attr)) for attr in op.attrs),
        columns=_columns(plan),
        binds=shape_binds(op, input_constant),
        defined=computed_dims(op),
        listed=any(tensor.dynamic for tensor in op.outputs),
        own=own_shapes(op),
        own_lists=any(tensor.own_shape and tensor.dynamic for tensor in op.outputs),
        results=results(op, input_constant),
        target=target,
        parameters=(
            f"const Call& {'call' if args else '/* call */'}",
            "int64_t totalElements",
            f"{op.type}Args* args",
        ),
        args=args,
    )


def op_form(op: OpSpec) -> OpForm:
    """The context for the first version of the tiling, and of the struct that host and kernel share."""
    stem = snake(op.type)
    return OpForm(op.type, stem, stem.upper(), any(tensor.dynamic for tensor in op.outputs))


def own_shapes(op: OpSpec) -> bool:
    """Whether the author computes the shape of some output."""
    return any(tensor.own_shape for tensor in op.outputs)


def shapes_form(op: OpSpec) -> ShapesForm:
    """The context for the first version of the function that computes shapes of outputs."""
    stem = snake(op.type)
    return ShapesForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        listed=any(tensor.dynamic for tensor in op.outputs),
        inputs=tuple(InputPlace(input_constant(tensor), index) for index, tensor in enumerate(op.inputs)),
        members=tuple(Member(_HOST_TYPES[attr.type], attr_member(attr)) for attr in op.attrs),
        own=tuple(output_constant(tensor) for tensor in op.outputs if tensor.own_shape),
    )


def args_form(op: OpSpec, plan: HandwrittenPlan) -> ArgsForm:
    """The members of the tiling struct that depend only on the call."""
    stem = snake(op.type)
    return ArgsForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        counts=tuple(_count(name) for name in plan.lists),
        flags=tuple(_flag(name) for name in _flagged(plan)),
        attrs=tuple(Member(_TILING_TYPES[attr.type], attr_member(attr)) for attr in _carried(op, plan)),
    )


def entry_form(op: OpSpec, plan: HandwrittenPlan, *, bound: bool) -> EntryForm:
    """The entry function, which CANN calls once per core. A parameter for shapes may follow the outputs."""
    tensors = [tensor_names(argument) for argument in plan.arguments]
    given = [t.address for t in tensors]
    behind = [*_shape_out(op), "workspace"]
    stem = snake(plan.op_type)
    return EntryForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        bound=bound,
        parameters=tuple(f"GM_ADDR {name}" for name in (*given, *behind, "tiling")),
        arguments=(*given, *(behind if bound else ()), "tilingData"),
        types=tuple(t.macro for t in tensors),
    )


def bindings_form(op: OpSpec, plan: HandwrittenPlan, args: str) -> BindingsForm:
    """The class with all tensors, bound to their addresses."""
    stem = snake(op.type)
    names = [tensor_names(argument) for argument in plan.arguments]
    listed = [argument.name in plan.lists for argument in plan.arguments]
    addresses = (*(t.address for t in names), *_shape_out(op), "workspace")
    return BindingsForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        parameters=(*(f"GM_ADDR {name}" for name in addresses), f"const {op.type}TilingData& tilingData"),
        dtypes=tuple(Dtype(t.type, t.macro) for t in names),
        tensors=tuple(
            BoundTensor(t.address, t.gm, t.type) for t, is_list in zip(names, listed, strict=True) if not is_list
        ),
        lists=tuple(_list(t, args) for t, is_list in zip(names, listed, strict=True) if is_list),
        shaped=bool(_shape_out(op)),
    )


def kernel_form(plan: HandwrittenPlan, args: str) -> KernelForm:
    """The kernel class: a queue for each tensor that is moved, and a loop whose body the author writes.

    ``args`` is the prefix of members of ``args.h``, as in ``bindings_form``.
    """
    stem = snake(plan.op_type)
    names = [(argument, tensor_names(argument)) for argument in plan.arguments]
    single = [t for argument, t in names if argument.name not in plan.lists]
    copied = [t for argument, t in names if argument.moved and not argument.output and t in single]
    shown = [t.gm for t in single] or [f"{_tensor_of(t.name)}(0)" for _, t in names]
    return KernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        args=args,
        example=", ".join(shown[:2]) + (", ..." if len(names) > len(shown[:2]) else ""),
        queues=tuple(
            QueueMember(
                t.queue,
                "VECOUT" if argument.output else "VECIN",
                (t.queue, "kBuffers", f"tiling->tileElements * sizeof({t.type})"),
            )
            for argument, t in names
            if argument.moved
        ),
        first_inputs=tuple(copied[:1]),
        first_outputs=tuple(t for argument, t in names if argument.output and t in single)[:1],
    )


def _shape_out(op: OpSpec) -> tuple[str, ...]:
    """The parameter after the outputs for shapes that only the kernel knows."""
    return ("shapeOut",) if any(tensor.shaped for tensor in op.outputs) else ()


def _list(names: TensorNames, args: str) -> BoundList:
    member = f"{lower_camel(names.name)}List"
    return BoundList(names.address, f"{args}{_count(names.name)}", member, names.type, _tensor_of(names.name))


def _tensor_of(name: str) -> str:
    """The function that returns a tensor of a list."""
    return f"{upper_camel(name)}At"


def _count(name: str) -> str:
    return f"{lower_camel(name)}Count"


def _flagged(plan: HandwrittenPlan) -> tuple[str, ...]:
    """The optional inputs that need a flag. A missing list has the count 0 and needs none."""
    return tuple(name for name in plan.optional if name not in plan.lists)


def _flag(name: str) -> str:
    return f"has{upper_camel(name)}"


def _carried(op: OpSpec, plan: HandwrittenPlan) -> tuple[AttrSpec, ...]:
    return tuple(attr for attr in op.attrs if attr.name in plan.attrs)


def _columns(plan: HandwrittenPlan) -> tuple[Column, ...]:
    columns = []
    for column in range(len(plan.outputs[0].dtypes)):
        names = ", ".join(DTYPES[argument.dtypes[column]].name for argument in plan.arguments)
        result = DTYPES[plan.outputs[0].dtypes[column]].size
        columns.append(Column(names, (str(plan.bytes_per_element(column)), str(result))))
    return tuple(columns)


def _args(op: OpSpec, plan: HandwrittenPlan) -> tuple[Assigned, ...]:
    places = {tensor.name: f"call.inputs[{input_constant(tensor)}]" for tensor in op.inputs}
    lengths = {name: f"{place}.size()" for name, place in places.items()}
    for place, tensor in enumerate(op.outputs):
        if tensor.dynamic:
            own = f"results[{place}].size()"
            lengths[tensor.name] = own if tensor.own_shape else length_of(op, tensor, input_constant)
    args = [Assigned(_count(name), f"static_cast<uint32_t>({lengths[name]})") for name in plan.lists]
    args += [Assigned(_flag(name), f"{places[name]}.empty() ? 0 : 1") for name in _flagged(plan)]
    for attr in _carried(op, plan):
        member = attr_member(attr)
        value = f"call.{member} ? 1 : 0" if attr.type == "bool" else f"call.{member}"
        args.append(Assigned(member, value))
    return tuple(args)
