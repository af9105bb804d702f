"""Renders an op's signature for op-plugin: its schema, its C++ parameters, and the arguments of aclnn.

Sources: op-plugin's op_plugin_functions.yaml and the code that the wheel's torchnpugen makes from it. Its parser
accepts neither a blank nor a comma with a blank in a default. Lists that may be omitted default to an empty list.
op-plugin requires a fixed length for a list of bool, so such lists are lists of int.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from opforge.frozen import dataclass
from opforge.render.torch.argument_types import KINDS
from opforge.render.torch.signature import Signature, schema_literal
from opforge.spec.arguments import ArgumentKind, input_kind
from opforge.spec.model import AttrSpec, TensorSpec

_SCHEMA: Mapping[ArgumentKind, str] = {kind: KINDS[kind].schema for kind in KINDS} | {"list_bool": "int[]"}
_EMPTY = ("tensors", "numbers")  # an omitted argument is an empty list
_CPP: Mapping[ArgumentKind, str] = {
    "tensor": "const at::Tensor& {}",
    "tensors": "at::TensorList {}",
    "number": "const at::Scalar& {}",
    "numbers": "at::ArrayRef<at::Scalar> {}",
    "int": "int64_t {}",
    "float": "double {}",
    "bool": "bool {}",
    "str": "c10::string_view {}",
    "list_int": "at::IntArrayRef {}",
    "list_float": "at::ArrayRef<double> {}",
    "list_bool": "at::IntArrayRef {}",
}
_CPP_OPTIONAL: Mapping[ArgumentKind, str] = {
    "tensor": "const c10::optional<at::Tensor>& {}",
    "number": "const c10::optional<at::Scalar>& {}",
    "list_int": "at::OptionalIntArrayRef {}",
    "list_float": "c10::optional<at::ArrayRef<double>> {}",
    "list_bool": "at::OptionalIntArrayRef {}",
}

# The attributes that no derivative can read: torchgen's autograd keeps a list of int for the backward, but refuses
# float[] as a reference to memory of the caller.
UNSAVED = "list_float"


@dataclass(frozen=True)
class Passed:
    """The ``name`` of an argument in an aclnn call, and the variables to define for it, in order."""

    name: str
    parameters: tuple[tuple[str, str], ...] = ()


def schema(signature: Signature, name: str) -> str:
    """The schema of the function in op_plugin_functions.yaml."""
    defaults = _defaults(signature)
    marks = iter("abcdefghijklmnopqrstuvwxyz")
    arguments = []
    for tensor in signature.op.inputs:
        kind = input_kind(tensor)
        typed = _SCHEMA[kind]
        if tensor.name in signature.written:
            typed = f"Tensor({next(marks)}!)"
        optional = "?" if tensor.optional and kind not in _EMPTY else ""
        arguments.append(f"{typed}{optional} {tensor.name}{defaults.get(tensor.name, '')}")
    arguments += [f"{_SCHEMA[attr.type]} {attr.name}{defaults.get(attr.name, '')}" for attr in signature.op.attrs]
    returned = [f"Tensor {tensor.name}" for tensor in signature.made]
    returns = "Tensor" if len(returned) == 1 else f"({', '.join(returned)})"
    return f"{name}({', '.join(arguments)}) -> {returns}"


def _defaults(signature: Signature) -> dict[str, str]:
    """The defaults of the last arguments, up to the first one without a default that the schema can express."""
    found: dict[str, str] = {}
    for attr in reversed(signature.op.attrs):
        text = _default(attr)
        if text is None:
            return found
        found[attr.name] = f"={text}"
    for tensor in reversed(signature.op.inputs):
        if not tensor.optional or input_kind(tensor) in _EMPTY:
            return found
        found[tensor.name] = "=None"
    return found


def _default(attr: AttrSpec) -> str | None:
    if attr.default is None:
        return None
    if isinstance(attr.default, tuple):
        items = [int(item) if isinstance(item, bool) else item for item in attr.default]
        return f"[{','.join(repr(float(item) if attr.type == 'list_float' else item) for item in items)}]"
    if isinstance(attr.default, str) and not attr.default.replace("_", "a").replace("-", "a").isalnum():
        return None
    return schema_literal(attr)


def parameters(signature: Signature) -> list[str]:
    """The C++ parameters of the function."""
    made = [_parameter(tensor, written=tensor.name in signature.written) for tensor in signature.op.inputs]
    return [*made, *(_CPP[attr.type].format(attr.name) for attr in signature.op.attrs)]


def _parameter(tensor: TensorSpec, *, written: bool) -> str:
    if written:
        return f"at::Tensor& {tensor.name}"
    kind = input_kind(tensor)
    return (_CPP_OPTIONAL if tensor.optional and kind not in _EMPTY else _CPP)[kind].format(tensor.name)


def returns(signature: Signature) -> str:
    """The C++ return type of the function."""
    count = len(signature.made)
    if count == 0:
        return "void"
    return "at::Tensor" if count == 1 else f"::std::tuple<{', '.join(['at::Tensor'] * count)}>"


def passed(signature: Signature) -> dict[str, Passed]:
    """The aclnn argument for each input and attribute, converted where op-plugin's conversion would be wrong."""
    made: dict[str, Passed] = {}
    for tensor in signature.op.inputs:
        made[tensor.name] = _passed(tensor.name, input_kind(tensor))
        if tensor.name in signature.written:
            made[tensor.name] = Passed(
                f"{tensor.name}_memory", ((f"{tensor.name}_memory", f"{tensor.name}.contiguous()"),)
            )
    return made | {attr.name: _passed(attr.name, attr.type) for attr in signature.op.attrs}


def _passed(name: str, kind: ArgumentKind) -> Passed:
    if kind == "str":
        text = f"{name}_text"
        return Passed(f"{name}_ptr", ((text, f"std::string({name})"), (f"{name}_ptr", f"{text}.data()")))
    if kind in ("list_float", "list_bool"):
        made = "FloatList" if kind == "list_float" else "BoolList"
        return Passed(f"{name}_list", ((f"{name}_list", f"custom_op::{made}({name})"),))
    return Passed(name)


def quoted(text: str) -> str:
    """A YAML scalar."""
    plain = not any(mark in text for mark in (": ", " #", "\n", '"', "'")) and text[:1].isalnum()
    return text if plain else json.dumps(text, ensure_ascii=False)
