"""csrc/adapter.cpp: the dispatcher's schemas and the NPU implementation that calls aclnn."""

from __future__ import annotations

import json
from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.program import Kernel
from opforge.render.torch.argument_types import KINDS, LABELS, blocked, kind_of, label_of
from opforge.render.torch.author_shapes import HostCall, host_call_of
from opforge.render.torch.dims import computed_dims, cpp_shape
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind
from opforge.spec.model import TensorSpec

SCALAR_TYPES = {
    "float32": "at::kFloat",
    "float16": "at::kHalf",
    "bfloat16": "at::kBFloat16",
    "float64": "at::kDouble",
    "int8": "at::kChar",
    "int16": "at::kShort",
    "int32": "at::kInt",
    "int64": "at::kLong",
    "uint8": "at::kByte",
    "uint16": "at::kUInt16",
    "uint32": "at::kUInt32",
    "uint64": "at::kUInt64",
    "bool": "at::kBool",
    "complex32": "at::kComplexHalf",
    "complex64": "at::kComplexFloat",
    "complex128": "at::kComplexDouble",
    "float8_e5m2": "at::kFloat8_e5m2",
    "float8_e4m3fn": "at::kFloat8_e4m3fn",
    "float8_e8m0": "at::kFloat8_e8m0fnu",
}


@dataclass(frozen=True)
class AdapterOutput:
    """An output that the adapter creates. ``computed``: the shape is stored in a variable and checked.

    ``listed``: a list, which the function ``maker`` makes.
    """

    name: str
    listed: bool
    maker: str
    computed: bool
    shape: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class AdapterNumber:
    """An input that is a number or a list of numbers. ``type`` is the C++ type that passes it to aclnn."""

    type: str
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class AdapterWritten:
    """An input that an output is written to, its required shape, and other inputs that must not share its memory.

    A list is written tensor by tensor, and has no shape to check.
    """

    name: str
    type: str
    listed: bool
    check_arguments: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class AdapterApart:
    """A read-only input of an op that writes to others. It is passed as it is, or copied if it shares their memory."""

    name: str
    value: str


@dataclass(frozen=True)
class AdapterBlocked:
    """An input that aclnn gets in FRACTAL_NZ: the arguments of the function that stores it so, or finds that it is."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class CheckedAttr:
    """An attribute that not every value is valid for: the arguments of its check."""

    arguments: tuple[str, ...]


@dataclass(frozen=True)
class AdapterOp:
    """One operator of the adapter. Ops that are not ``plain`` check symbolic shapes: those of ``operands``.

    ``axis``: the source of the reduced dimension, if only a call knows which.
    """

    type: str
    function: str
    returns: str
    parameters: tuple[str, ...]
    registered: tuple[str, ...]
    input_count: int
    output_count: int
    column_count: int
    input_columns: tuple[tuple[str, ...], ...]
    output_columns: tuple[tuple[str, ...], ...]
    plain: bool
    operands: tuple[str, ...]
    checked_attrs: tuple[CheckedAttr, ...]
    texts: tuple[str, ...]
    axis: str
    dtype_arguments: tuple[str, ...]
    reads_column: bool
    reads_sizes: bool
    leading: str
    broadcasts: bool
    first: str
    host_call: HostCall | None
    outputs: tuple[AdapterOutput, ...]
    written: tuple[AdapterWritten, ...]
    numbers: tuple[AdapterNumber, ...]
    apart: tuple[AdapterApart, ...]
    blocked: tuple[AdapterBlocked, ...]
    format_arguments: tuple[str, ...]
    condition: str
    looked_up: tuple[str, ...]
    passed: tuple[str, ...]
    several: bool
    made: tuple[str, ...]
    schema: str


@dataclass(frozen=True)
class Adapter:
    """Context of ``code/torch/csrc/adapter.cpp``: the operators, and which headers they need.

    ``axes``: some operator reduces a dimension that only a call knows.
    """

    package: str
    socs: tuple[str, ...]
    soc_count: int
    tuples: bool
    optionals: bool
    shapes: bool
    in_place: bool
    lists: bool
    blocks: bool
    host_shapes: bool
    axes: bool
    ops: tuple[AdapterOp, ...]


def adapter_context(package: str, socs: Sequence[str], signatures: Sequence[Signature]) -> Adapter:
    """The context for all ops of a project. The kernels are built for ``socs``."""
    return Adapter(
        package=package,
        socs=tuple(json.dumps(soc) for soc in socs),
        soc_count=len(socs),
        tuples=any(len(signature.made) > 1 for signature in signatures),
        optionals=any(signature.optional for signature in signatures),
        shapes=not all(signature.plain for signature in signatures),
        in_place=any(signature.written for signature in signatures),
        lists=any(signature.lists for signature in signatures),
        blocks=any(blocked(tensor) for signature in signatures for tensor in signature.op.inputs),
        host_shapes=any(tensor.own_shape for signature in signatures for tensor in signature.op.outputs),
        axes=any(signature.axis for signature in signatures),
        ops=tuple(_adapter_op(signature) for signature in signatures),
    )


def _adapter_op(signature: Signature) -> AdapterOp:
    op, function = signature.op, signature.function
    parameters = [KINDS["tensor"].parameter(name, optional=False) for name in signature.placed]
    parameters += [kind_of(tensor).parameter(tensor.name, optional=tensor.optional) for tensor in op.inputs]
    parameters += [KINDS[attr.type].parameter(attr.name, optional=False) for attr in op.attrs]
    given = [*signature.placed, *signature.inputs, *signature.attrs]
    made = tuple(tensor.name for tensor in signature.made)
    tensors = ", ".join(kind_of(tensor).cpp for tensor in signature.made)
    places = [place for place, tensor in enumerate(op.outputs) if tensor.inplace is None]
    columns = [[column[place] for place in places] for column in signature.output_columns]
    passed = {name: name for name in signature.inputs} | _passed(signature)
    in_blocks = [tensor.name for tensor in op.inputs if blocked(tensor)]
    given_to_aclnn = [_blocks(t.name) if t.name in in_blocks else _labelled(t, passed[t.name]) for t in op.inputs]
    checked = "inputArguments" if signature.plain else "inputOperands.arguments()"
    names = f"{{{', '.join(map(json.dumps, in_blocks))}}}"
    dtypes = f"k{op.type}InputDtypes"
    return AdapterOp(
        type=op.type,
        function=function,
        returns={0: "void", 1: tensors}.get(len(made), f"std::tuple<{tensors}>"),
        parameters=tuple(parameters),
        registered=(f'"{signature.package}::{function}"', f"&{function}", *given),
        input_count=len(signature.inputs),
        output_count=len(made),
        column_count=len(columns),
        input_columns=_columns(signature.input_columns),
        output_columns=_columns(columns),
        plain=signature.plain,
        operands=tuple(_argument(t.name) if signature.plain else _operand(t) for t in op.inputs),
        checked_attrs=_checked_attrs(signature),
        texts=signature.texts,
        axis=signature.axis,
        dtype_arguments=(f'"{function}"', "inputArguments", dtypes) if signature.plain else (dtypes,),
        reads_column=bool(made) or any(tensor.scalar for tensor in op.inputs),
        reads_sizes=_reads_sizes(signature),
        leading=_leading(signature.kernel),
        broadcasts=signature.kernel.broadcasts,
        first=signature.first,
        host_call=host_call_of(op),
        outputs=tuple(_output(signature, tensor, place) for place, tensor in enumerate(signature.made)),
        written=tuple(_written(signature, tensor) for tensor in op.outputs if tensor.inplace is not None),
        numbers=tuple(
            AdapterNumber(
                "Numbers" if tensor.dynamic else "Number",
                passed[tensor.name],
                (f'"{function}: {tensor.name}"', tensor.name, f"{dtypes}[dtypeColumn][{place}]"),
            )
            for place, tensor in enumerate(op.inputs)
            if tensor.scalar
        ),
        apart=tuple(_apart(signature, n, passed[n]) for n in signature.inputs if passed[n] == f"{n}Apart"),
        blocked=tuple(
            AdapterBlocked(_blocks(name), (f'"{function}: {name}"', "sharedRuntime()", passed[name]))
            for name in in_blocks
        ),
        format_arguments=(f'"{function}"', "sharedRuntime()", checked, *([names] if in_blocks else [])),
        condition=_condition(signature),
        looked_up=("sharedRuntime()", f'"{signature.package}.{function}"', f'"{op.aclnn}"'),
        passed=(*given_to_aclnn, *signature.attrs, *map(_given, signature.made)),
        several=len(made) > 1,
        made=made,
        schema=json.dumps(signature.schema),
    )


def _given(tensor: TensorSpec) -> str:
    """An output that the adapter creates, as an argument of the aclnn call."""
    return f'opforge::Shaped{{"{tensor.name}", &{tensor.name}}}' if tensor.shaped else _labelled(tensor, tensor.name)


def _labelled(tensor: TensorSpec, value: str) -> str:
    """A value with the format that aclnn is told, if that is not ND."""
    label = label_of(tensor)
    return value if label is None else f"opforge::labelled({value}, {LABELS[label]})"


def _output(signature: Signature, tensor: TensorSpec, place: int) -> AdapterOutput:
    """The output at index ``place`` of the output dtypes."""
    if tensor.own_shape:
        return _own_output(signature, tensor, place)
    shape, computed = _shape(signature, tensor), computed_dims(signature, tensor.dimensions)
    dtype = f"outputDtypes[{place}]"
    arguments: tuple[str, ...] = (f"{tensor.name}Shape" if computed else shape, dtype)
    maker = "one_for_each"
    if tensor.count is not None:
        maker = "repeated"
        count = tensor.count if tensor.count in signature.attrs else f"static_cast<int64_t>({tensor.count}.size())"
        arguments = (f'"{signature.function}: {tensor.name}"', count, signature.first, *arguments)
    return AdapterOutput(tensor.name, tensor.dynamic, maker, computed, shape, arguments)


def _own_output(signature: Signature, tensor: TensorSpec, place: int) -> AdapterOutput:
    """An output whose shape the author's function in op_host gives."""
    shape, dtype = f"hostResults[{signature.op.outputs.index(tensor)}]", f"outputDtypes[{place}]"
    if tensor.dynamic:
        return AdapterOutput(
            tensor.name,
            listed=True,
            maker="of_shapes",
            computed=False,
            shape=shape,
            arguments=(signature.first, shape, dtype),
        )
    if signature.lists:
        shape = f"{shape}.at(0)"
    return AdapterOutput(
        tensor.name, listed=False, maker="", computed=True, shape=shape, arguments=(f"{tensor.name}Shape", dtype)
    )


def _argument(name: str) -> str:
    """An input of a plain op, as an argument of the checks."""
    return f'{{"{name}", {name}}}'


def _operand(tensor: TensorSpec) -> str:
    """An input of an op that is not plain, with its dimensions."""
    kind = input_kind(tensor)
    if kind in ("tensor", "tensors"):
        return f'{{"{tensor.name}", {tensor.name}, {_dims(tensor.dims)}}}'
    if kind.startswith("list_"):
        length = f"opforge::length({tensor.name})"
        return f'{{"{tensor.name}", {length}, {_dims(tensor.dims)}}}'
    return f'opforge::Operand("{tensor.name}")'


def _checked_attrs(signature: Signature) -> tuple[CheckedAttr, ...]:
    """The checks that lists have the elements that are read, and that what the kernel uses as int32 fits."""
    lengths = (
        (
            f"{name}.size() >= {least}",
            f'"{signature.function}: {name} must have {least} or more elements, but has "',
            f"{name}.size()",
        )
        for name, least in signature.list_lengths.items()
    )
    fits = (
        (
            f"static_cast<int32_t>({name}) == {name}",
            f'"{signature.function}: {name} must fit int32, which it is computed in, but it is "',
            name,
        )
        for name in signature.whole_attrs
    )
    return tuple(CheckedAttr(arguments) for arguments in (*lengths, *fits))


def _written(signature: Signature, tensor: TensorSpec) -> AdapterWritten:
    name = tensor.inplace or tensor.name
    behind = signature.written[signature.written.index(name) + 1 :]
    checked = (f'"{name}"', f"{name}.sizes()", _shape(signature, tensor))
    return AdapterWritten(name, kind_of(tensor).cpp, tensor.dynamic, checked, behind)


def _apart(signature: Signature, name: str, passed: str) -> AdapterApart:
    value = name
    for written in signature.written:
        value = f"opforge::apart({value}, {_memory(written)})"
    return AdapterApart(passed, value)


def _reads_sizes(signature: Signature) -> bool:
    return not signature.kernel.broadcasts and any("inputSizes" in _shape(signature, t) for t in signature.op.outputs)


def _shape(signature: Signature, tensor: TensorSpec) -> str:
    if tensor.own_shape:
        return ""
    followed = signature.list_of(tensor)
    if followed is not None:
        return followed
    return "outputShape" if signature.kernel.broadcasts else cpp_shape(signature, tensor.dimensions, "inputSizes")


def _leading(kernel: Kernel) -> str:
    """How the leading dimensions of inputs meet: a value of the adapter's Leading."""
    return "kRows" if kernel.leading_rows else "kAlike" if kernel.leading_alike else "kBroadcast"


def _memory(name: str) -> str:
    return f"{name}Memory"


def _blocks(name: str) -> str:
    return f"{name}Blocks"


def _passed(signature: Signature) -> dict[str, str]:
    """The inputs that are converted before the aclnn call, with the name of the converted value."""
    passed = {name: _memory(name) for name in signature.written}
    for tensor in signature.op.inputs:
        if tensor.scalar:
            passed[tensor.name] = f"{tensor.name}Number"
        elif signature.written and tensor.name not in passed and input_kind(tensor) in ("tensor", "tensors"):
            passed[tensor.name] = f"{tensor.name}Apart"
    return passed


def _condition(signature: Signature) -> str:
    """A C++ condition: whether the op has any element to write."""
    outputs = signature.op.outputs if signature.kernel.own_shapes else signature.op.outputs[:1]
    named = [(_memory(t.inplace) if t.inplace is not None else t.name, t.dynamic) for t in outputs]
    return " || ".join(f"opforge::has_elements({name})" if listed else f"{name}.numel() > 0" for name, listed in named)


def _dims(dims: Sequence[str]) -> str:
    return f"{{{', '.join(json.dumps(dim) for dim in dims)}}}"


def _columns(columns: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(SCALAR_TYPES[dtype] for dtype in column) for column in columns)
