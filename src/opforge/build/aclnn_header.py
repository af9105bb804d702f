"""Lists the parameter types of an op's aclnn function, once from op_build's header and once from the spec.

The order is inputs, attributes, outputs. Lists of tensors, numbers, lists of numbers and arrays of values have their
own types. An in-place output takes the place of its input and is not const. If a kernel determines the shape of an
output, no tensor of the op is const.

Source of the rules: the public op_build generator (asc-devkit tools/build/opbuild), as documented for aclnn interfaces.
"""

from __future__ import annotations

import re
from pathlib import Path

from opforge.spec.arguments import ACL_OBJECTS, input_kind
from opforge.spec.model import AttrSpec, AttrType, OpSpec, TensorSpec

_VALUES: dict[AttrType, str] = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "char *",
}
_PARAMETER = re.compile(r"(.*?)\b\w+")


def header_types(folder: Path, op: OpSpec) -> tuple[str, ...] | None:
    """The types of the tensors and attributes that ``aclnn<Op>GetWorkspaceSize`` takes; None without a header."""
    path = folder / op.aclnn_header
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"\baclnnStatus\s+{op.aclnn}GetWorkspaceSize\s*\(([^)]*)\)", text)
    if found is None:
        return None
    parameters = [" ".join(parameter.split()) for parameter in found[1].split(",")]
    types = (match[1] for parameter in parameters[:-2] if (match := _PARAMETER.fullmatch(parameter)))
    return tuple(_spaced(text) for text in types)


def spec_types(op: OpSpec) -> tuple[str, ...]:
    """The types of the tensors and attributes according to the spec."""
    written = {tensor.inplace for tensor in op.outputs if tensor.inplace is not None}
    if any(tensor.shaped for tensor in op.outputs):
        written |= {tensor.name for tensor in (*op.inputs, *op.outputs) if input_kind(tensor) == "tensor"}
    inputs = (_tensor_type(tensor, written=tensor.name in written) for tensor in op.inputs)
    outputs = (_tensor_type(t, written=t.name in written) for t in op.outputs if t.inplace is None)
    return (*inputs, *(_attr_type(attr) for attr in op.attrs), *outputs)


def _tensor_type(tensor: TensorSpec, *, written: bool) -> str:
    return f"{'' if written else 'const '}acl{ACL_OBJECTS[input_kind(tensor)]} *"


def _attr_type(attr: AttrSpec) -> str:
    return _VALUES.get(attr.type) or f"const acl{ACL_OBJECTS[attr.type]} *"


def _spaced(text: str) -> str:
    """A type with one blank before its asterisk and none after it."""
    return re.sub(r"\s*\*\s*", " *", text.strip())
