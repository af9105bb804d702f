"""csrc/adapter.cpp: the dispatcher's schemas and the NPU implementation that calls aclnn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from opforge.render.torch.layout import cpp_assignment, cpp_call, cpp_rows, cpp_text
from opforge.render.torch.signature import Signature
from opforge.spec.model import TensorSpec

_SCALAR_TYPES = {"float32": "at::kFloat", "float16": "at::kHalf", "bfloat16": "at::kBFloat16", "int8": "at::kChar"} | {
    "int16": "at::kShort",
    "int32": "at::kInt",
    "int64": "at::kLong",
    "uint8": "at::kByte",
    "bool": "at::kBool",
}
_PARAMETERS = {"int": "int64_t", "float": "double", "bool": "bool", "str": "std::string"}


@dataclass(frozen=True)
class AdapterOutput:
    """An output tensor and its place in a column of output dtypes."""

    name: str
    index: int


@dataclass(frozen=True)
class AdapterOp:
    """One operator of the adapter."""

    type: str
    function: str
    signature: str
    input_count: int
    output_count: int
    column_count: int
    input_columns: str
    output_columns: str
    products: bool
    arguments: str
    dtype_check: str
    output_dims: str
    first: str
    outputs: tuple[AdapterOutput, ...]
    first_output: str
    call: str
    result: str
    definition: str


@dataclass(frozen=True)
class Adapter:
    """Context of ``code/torch/csrc/adapter.cpp``."""

    package: str
    tuples: bool
    optionals: bool
    products: bool
    ops: tuple[AdapterOp, ...]


def adapter_context(package: str, signatures: Sequence[Signature]) -> Adapter:
    """The context for all ops of a project."""
    ops = tuple(_adapter_op(signature) for signature in signatures)
    return Adapter(
        package=package,
        tuples=any(op.output_count > 1 for op in ops),
        optionals=any(signature.optional for signature in signatures),
        products=any(op.products for op in ops),
        ops=ops,
    )


def _adapter_op(signature: Signature) -> AdapterOp:
    parameters = [f"const {_tensor_type(tensor)}& {tensor.name}" for tensor in signature.op.inputs]
    parameters += [f"{_PARAMETERS[attr.type]} {attr.name}" for attr in signature.op.attrs]
    tensors = ", ".join("at::Tensor" for _ in signature.outputs)
    one = len(signature.outputs) == 1
    returns = tensors if one else f"std::tuple<{tensors}>"
    return AdapterOp(
        type=signature.op.type,
        function=signature.function,
        signature=cpp_call(f"{returns} {signature.function}(", parameters, ") {"),
        input_count=len(signature.inputs),
        output_count=len(signature.outputs),
        column_count=signature.op.columns,
        input_columns=_columns(signature.input_columns),
        output_columns=_columns(signature.output_columns),
        products=signature.products,
        arguments=_operands(signature) if signature.products else _arguments(signature),
        dtype_check=_dtype_check(signature),
        output_dims=_dims(signature.op.outputs[0].dims),
        first=signature.required[0],
        outputs=tuple(AdapterOutput(name, i) for i, name in enumerate(signature.outputs)),
        first_output=signature.outputs[0],
        call=cpp_call("aclnnCall(", (*signature.inputs, *signature.attrs, *signature.outputs), ");", 8),
        result=signature.outputs[0] if one else f"{{{', '.join(signature.outputs)}}}",
        definition=cpp_text("library.def(", signature.schema, ");", 4),
    )


def _tensor_type(tensor: TensorSpec) -> str:
    return "std::optional<at::Tensor>" if tensor.optional else "at::Tensor"


def _arguments(signature: Signature) -> str:
    """The inputs of an elementwise op, for the checks."""
    items = [f'{{"{name}", {name}}}' for name in signature.inputs]
    return cpp_rows(f"const std::array<opforge::Argument, {len(items)}> inputArguments{{{{", items, "}};", 4)


def _dtype_check(signature: Signature) -> str:
    """Which combination of dtypes is given, of an elementwise op."""
    call = f'opforge::check_dtypes("{signature.function}", inputArguments, k{signature.op.type}InputDtypes);'
    return cpp_assignment("const size_t dtypeColumn", call, 4)


def _operands(signature: Signature) -> str:
    """The inputs of an op with products, and their dimensions, for the checks."""
    rows = [f'        {{"{tensor.name}", {tensor.name}, {_dims(tensor.dims)}}},\n' for tensor in signature.op.inputs]
    return f"const std::vector<opforge::Operand> inputList{{\n{''.join(rows)}    }};"


def _dims(dims: Sequence[str]) -> str:
    return f"{{{', '.join(json.dumps(dim) for dim in dims)}}}"


def _columns(columns: Sequence[Sequence[str]]) -> str:
    """The initializer of an array of arrays, a combination to a line."""
    rows = ",\n".join(f"    {{{', '.join(_SCALAR_TYPES[dtype] for dtype in column)}}}" for column in columns)
    return f"{{{{\n{rows},\n}}}}"
