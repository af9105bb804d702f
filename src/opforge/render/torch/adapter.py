"""csrc/adapter.cpp: the dispatcher's schemas and the NPU implementation that calls aclnn."""

from __future__ import annotations

import json
from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.layout import assign, cpp_rows, cpp_text, fill
from opforge.render.torch.argument_types import KINDS, kind_of
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
    """An output tensor that is made: its definition, one or several lines."""

    definition: str


@dataclass(frozen=True)
class AdapterOp:
    """One operator of the adapter. ``checks`` and ``before`` are statements, one or several lines each."""

    type: str
    function: str
    signature: str
    fallback: str
    input_count: int
    output_count: int
    column_count: int
    input_columns: str
    output_columns: str
    arguments: str
    checks: tuple[str, ...]
    first: str
    outputs: tuple[AdapterOutput, ...]
    before: tuple[str, ...]
    condition: str
    two_phases: str
    call: str
    after: tuple[str, ...]
    result: str
    definition: str


@dataclass(frozen=True)
class Adapter:
    """Context of ``code/torch/csrc/adapter.cpp``: which headers it needs, and the operators."""

    package: str
    built_for: str
    tuples: bool
    optionals: bool
    shapes: bool
    in_place: bool
    ops: tuple[AdapterOp, ...]


def adapter_context(package: str, socs: Sequence[str], signatures: Sequence[Signature]) -> Adapter:
    """The context for all ops of a project, whose kernels are built for ``socs``."""
    units = [json.dumps(soc) for soc in socs]
    return Adapter(
        package=package,
        built_for=cpp_rows(f"constexpr std::array<std::string_view, {len(units)}> kBuiltFor{{", units, "};"),
        tuples=any(len(signature.made) > 1 for signature in signatures),
        optionals=any(signature.optional for signature in signatures),
        shapes=not all(signature.plain for signature in signatures),
        in_place=any(signature.written for signature in signatures),
        ops=tuple(_adapter_op(signature) for signature in signatures),
    )


def _adapter_op(signature: Signature) -> AdapterOp:
    op = signature.op
    parameters = [kind_of(tensor).parameter(tensor.name, optional=tensor.optional) for tensor in op.inputs]
    parameters += [KINDS[attr.type].parameter(attr.name, optional=False) for attr in op.attrs]
    given = [*signature.inputs, *signature.attrs]
    registered = [f'"{signature.package}::{signature.function}"', f"&{signature.function}"]
    looked_up = ["sharedRuntime()", f'"{signature.package}.{signature.function}"', f'"aclnn{op.type}"']
    made = [tensor.name for tensor in signature.made]
    tensors = ", ".join("at::Tensor" for _ in made)
    returns = {0: "void", 1: tensors}.get(len(made), f"std::tuple<{tensors}>")
    places = [place for place, tensor in enumerate(op.outputs) if tensor.inplace is None]
    columns = [[column[place] for place in places] for column in signature.output_columns]
    passed = {name: name for name in signature.inputs} | _passed(signature)
    return AdapterOp(
        type=op.type,
        function=signature.function,
        signature=fill(f"{returns} {signature.function}(", parameters, ") {"),
        fallback=fill("return opforge::by_torch(", [*registered, *given], ");", 8),
        input_count=len(signature.inputs),
        output_count=len(made),
        column_count=len(columns),
        input_columns=_columns(signature.input_columns),
        output_columns=_columns(columns),
        arguments=_arguments(signature) if signature.plain else _operands(signature),
        checks=(*_whole_attrs(signature), *_texts(signature), *_checks(signature)),
        first=signature.first,
        outputs=tuple(
            AdapterOutput(_definition(signature, tensor, place)) for place, tensor in enumerate(signature.made)
        ),
        before=tuple(_before(signature, passed)),
        condition=_condition(signature),
        two_phases=fill("static const opforge::TwoPhaseCall aclnnCall(", looked_up, ");", 8),
        call=fill("aclnnCall(", (*passed.values(), *signature.attrs, *map(_given, signature.made)), ");", 8),
        after=tuple(f"opforge::write_back({name}, {_memory(name)});" for name in signature.written),
        result=_result(made),
        definition=cpp_text("library.def(", signature.schema, ");", 4),
    )


def _given(tensor: TensorSpec) -> str:
    """An output that is made, as an argument of the call."""
    return f'opforge::Shaped{{"{tensor.name}", &{tensor.name}}}' if tensor.shaped else tensor.name


def _result(made: list[str]) -> str:
    """The last statement."""
    if len(made) > 1:
        return fill("return {", made, "};", 4)
    return f"return {made[0]};" if made else ""


def _definition(signature: Signature, tensor: TensorSpec, place: int) -> str:
    """``place`` is the output's in a column of output dtypes."""
    shape, lines = _shape(signature, tensor), []
    if computed_dims(signature, tensor.dims):
        named = f"{tensor.name}Shape"
        target = f"const std::vector<int64_t> {named}"
        braces = shape.startswith("{")
        lines.append(f"{target}{shape};" if braces else assign(target, f"{shape};", indent=4))
        lines.append(f'opforge::check_made("{signature.function}", "{tensor.name}", {named});')
        shape = named
    items = [shape, f"{signature.first}.options().dtype(outputDtypes[{place}])"]
    lines.append(fill(f"at::Tensor {tensor.name} = at::empty(", items, ");", 4))
    return "\n    ".join(lines)


def _arguments(signature: Signature) -> str:
    """The inputs of a plain op, for the checks."""
    items = [f'{{"{name}", {name}}}' for name in signature.inputs]
    return cpp_rows(f"const std::array<opforge::Argument, {len(items)}> inputArguments{{{{", items, "}};", 4)


def _operands(signature: Signature) -> str:
    """The inputs of any other op, and their dimensions."""
    rows = "".join(f"        {_operand(tensor)},\n" for tensor in signature.op.inputs)
    return f"const std::vector<opforge::Operand> inputList{{\n{rows}    }};"


def _operand(tensor: TensorSpec) -> str:
    kind = input_kind(tensor)
    if kind in ("tensor", "tensors"):
        return f'{{"{tensor.name}", {tensor.name}, {_dims(tensor.dims)}}}'
    if kind.startswith("list_"):
        length = f"opforge::length({tensor.name})"
        return f'{{"{tensor.name}", {length}, {_dims(tensor.dims)}}}'
    return f'opforge::Operand("{tensor.name}")'


def _whole_attrs(signature: Signature) -> list[str]:
    """What the kernel's int32 cannot hold is refused."""
    message = f'"{signature.function}: '
    return [
        fill(
            "TORCH_CHECK_VALUE(",
            [
                f"static_cast<int32_t>({name}) == {name}",
                f'{message}{name} must fit int32, which it is computed in, but it is "',
                name,
            ],
            ");",
            4,
        )
        for name in signature.whole_attrs
    ]


def _texts(signature: Signature) -> list[str]:
    return [f'opforge::check_text("{signature.function}", "{name}", {name});' for name in signature.texts]


def _checks(signature: Signature) -> list[str]:
    function, columns = signature.function, f"k{signature.op.type}InputDtypes"
    if signature.plain:
        column = f'opforge::check_dtypes("{function}", inputArguments, {columns});'
        return [
            f'opforge::check_devices("{function}", inputArguments);',
            assign("const size_t dtypeColumn", column, indent=4),
            f'const std::vector<int64_t> outputShape = opforge::broadcast_shape("{function}", inputArguments);',
            f'opforge::check_formats("{function}", sharedRuntime(), inputArguments);',
        ]
    rows = "kRows" if signature.kernel.leading_rows else "kBroadcast"
    sizes = f"inputOperands.sizes(opforge::Leading::{rows});"
    lines = [
        f'const opforge::Operands inputOperands("{function}", inputList);',
        f'opforge::check_devices("{function}", inputOperands.arguments());',
        f"{'const size_t dtypeColumn = ' if _reads_column(signature) else ''}inputOperands.dtype_column({columns});",
        f"const opforge::Sizes inputSizes = {sizes}" if _reads_sizes(signature) else sizes,
    ]
    if signature.kernel.broadcasts:
        lines.append("const std::vector<int64_t> outputShape = inputOperands.broadcast();")
    for tensor in signature.op.outputs:
        if tensor.inplace is not None:
            name = tensor.inplace
            shape = _shape(signature, tensor)
            lines.append(fill("inputOperands.check_written(", [f'"{name}"', f"{name}.sizes()", shape], ");", 4))
    lines.append(f'opforge::check_formats("{function}", sharedRuntime(), inputOperands.arguments());')
    return lines


def _reads_column(signature: Signature) -> bool:
    numbers = any(tensor.scalar for tensor in signature.op.inputs)
    return bool(signature.made) or numbers


def _reads_sizes(signature: Signature) -> bool:
    return not signature.kernel.broadcasts and any("inputSizes" in _shape(signature, t) for t in signature.op.outputs)


def _shape(signature: Signature, tensor: TensorSpec) -> str:
    return "outputShape" if signature.kernel.broadcasts else cpp_shape(signature, tensor.dims, "inputSizes")


def _memory(name: str) -> str:
    return f"{name}Memory"


def _passed(signature: Signature) -> dict[str, str]:
    """Inputs that reach aclnn otherwise than as they came, and what is passed for them."""
    passed = {name: _memory(name) for name in signature.written}
    for tensor in signature.op.inputs:
        if tensor.scalar:
            passed[tensor.name] = f"{tensor.name}Number"
        elif signature.written and tensor.name not in passed and input_kind(tensor) in ("tensor", "tensors"):
            passed[tensor.name] = f"{tensor.name}Apart"
    return passed


def _before(signature: Signature, passed: dict[str, str]) -> list[str]:
    """What is made of inputs before the call."""
    lines = [f"const at::Tensor {_memory(name)} = opforge::writable({name});" for name in signature.written]
    for i, name in enumerate(signature.written):
        for other in signature.written[i + 1 :]:
            items = [f'"{signature.function}"', f'"{name}"', name, f'"{other}"', other]
            lines.append(fill("opforge::check_apart(", items, ");", 4))
    for place, tensor in enumerate(signature.op.inputs):
        if tensor.scalar:
            kind = "Numbers" if tensor.dynamic else "Number"
            dtype = f"k{signature.op.type}InputDtypes[dtypeColumn][{place}]"
            items = [f'"{signature.function}: {tensor.name}"', tensor.name, dtype]
            lines.append(fill(f"const opforge::{kind} {passed[tensor.name]}{{", items, "};", 4))
        elif passed[tensor.name] == f"{tensor.name}Apart":
            value = tensor.name
            for name in signature.written:
                value = f"opforge::apart({value}, {_memory(name)})"
            lines.append(assign(f"const auto {passed[tensor.name]}", f"{value};", indent=4))
    return lines


def _condition(signature: Signature) -> str:
    """Whether there is anything to write."""
    names = [_memory(t.inplace) if t.inplace is not None else t.name for t in signature.op.outputs]
    return " || ".join(f"{name}.numel() > 0" for name in (names if signature.kernel.own_shapes else names[:1]))


def _dims(dims: Sequence[str]) -> str:
    return f"{{{', '.join(json.dumps(dim) for dim in dims)}}}"


def _columns(columns: Sequence[Sequence[str]]) -> str:
    """The initializer of an array of arrays, a combination to a line."""
    rows = ",\n".join(f"    {{{', '.join(SCALAR_TYPES[dtype] for dtype in column)}}}" for column in columns)
    return f"{{{{\n{rows},\n}}}}"
