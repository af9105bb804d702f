"""The table of argument kinds: for each kind of input and attribute, the object that aclnn takes.

Source: op_build's generated functions (asc-devkit, tools/build/opbuild).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from opforge.dtypes import DTYPES
from opforge.spec.model import OpSpec, TensorSpec

InputKind = Literal["tensor", "tensors", "number", "numbers", "list_int", "list_float", "list_bool"]
ArgumentKind = Literal[InputKind, "int", "float", "bool", "str"]

# aclTensor and the like, without the ``acl``; kinds that are absent are passed by value.
ACL_OBJECTS: Mapping[ArgumentKind, str] = {
    "tensor": "Tensor",
    "tensors": "TensorList",
    "number": "Scalar",
    "numbers": "ScalarList",
    "list_int": "IntArray",
    "list_float": "FloatArray",
    "list_bool": "BoolArray",
}


def input_kind(tensor: TensorSpec) -> InputKind:
    """The kind of an input. An input whose values the host reads is a list of numbers (aclIntArray), not a tensor."""
    if tensor.scalar:
        return "numbers" if tensor.dynamic else "number"
    if tensor.value_depend is None:
        return "tensors" if tensor.dynamic else "tensor"
    dtypes = [DTYPES[name] for name in tensor.dtypes]
    if all(dtype.name == "bool" for dtype in dtypes):
        return "list_bool"
    return "list_float" if any(dtype.floating for dtype in dtypes) else "list_int"


def list_of(op: OpSpec, output: TensorSpec) -> TensorSpec | None:
    """The list of inputs that an output follows, tensor by tensor; None for other outputs."""
    if not output.dynamic or output.count is not None or output.own_shape:
        return None
    lists = [tensor for tensor in op.inputs if input_kind(tensor) == "tensors"]
    if output.inplace is not None:
        return next(tensor for tensor in lists if tensor.name == output.inplace)
    return next(tensor for tensor in lists if not tensor.optional and tensor.dims == output.dims)
