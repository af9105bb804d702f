"""Sizes and dtypes of an op's outputs as expressions: in C++ for op-plugin's functions, in Python for torch."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.errors import InternalError
from opforge.render.torch.adapter import SCALAR_TYPES
from opforge.render.torch.dims import cpp_dim, python_dim
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.spec.arguments import input_kind
from opforge.spec.dimensions import Dots, is_dots
from opforge.spec.model import TensorSpec
from opforge.spec.value_dims import DROPPED, KEPT

_BROADCAST = "op_infer::broadcast_ops_npu_output_size"
_REDUCED = "op_infer::reduce_ops_npu_output_size"


def cpp_size(signature: Signature, tensor: TensorSpec) -> str:
    """The size of an output, as an argument of apply_tensor_without_format. It may use custom_op_support.h."""
    if signature.kernel.broadcasts:
        sizes = [_cpp_sizes(given) for given in signature.op.inputs if input_kind(given) == "tensor"]
        size = sizes[0]
        for further in sizes[1:]:
            size = f"{_BROADCAST}({size}, {further})"
        return size
    if tensor.dimensions in ((KEPT,), (DROPPED,)):
        kept = "true" if tensor.dimensions == (KEPT,) else "false"
        return f"{_REDUCED}({_like(signature).name}, int64_t({signature.axis}), {kept})"
    items = _cpp_items(signature, tensor)
    if len(items) == len(tensor.dims):
        return f"c10::SmallVector<int64_t, 8>{{{', '.join(items)}}}"
    leading = _with_dots(signature, tensor.dims[0])
    spread = leading[:1] if signature.kernel.leading_rows else leading
    of = "".join(f".of({given.name}, {_rest(given)})" for given in spread)
    return f"custom_op::Leading(){of}.behind({{{', '.join(items)}}})"


def cpp_leading_size(signature: Signature, tensor: TensorSpec) -> tuple[str, list[str]] | None:
    """The size of the leading dimensions, and the dimensions after them, if the leading dimensions are rows.

    None for other kernels. The result needs only op-plugin's own functions.
    """
    if not signature.kernel.leading_rows or not is_dots(tensor.dims[0]):
        return None
    first = _with_dots(signature, tensor.dims[0])[0]
    size = f"op_infer::array_to_small_vector({first.name}.sizes().slice(0, {first.name}.dim() - {_rest(first)}))"
    return size, _cpp_items(signature, tensor)


def _cpp_items(signature: Signature, tensor: TensorSpec) -> list[str]:
    """The dimensions after the leading ones."""
    return [
        cpp_dim(signature, dim, lambda name: _cpp_symbol(signature, name), "custom_op::floor_div")
        for dim in tensor.dimensions
        if not isinstance(dim, Dots)
    ]


_TENSORS = ("tensor", "tensors")


def _with_dots(signature: Signature, dots: str) -> list[TensorSpec]:
    """The tensors and lists that begin with these leading dimensions."""
    return [given for given in signature.op.inputs if dots in given.dims and input_kind(given) in _TENSORS]


def _like(signature: Signature) -> TensorSpec:
    """A tensor that is always given, of the shape that results with one element for each row are reduced from."""
    return next(given for given in _with_dots(signature, "...") if not given.optional)


def _rest(tensor: TensorSpec) -> int:
    """The number of dimensions after the leading ones."""
    return len(tensor.dims) - 1


def _cpp_sizes(tensor: TensorSpec) -> str:
    if tensor.optional:
        return f"({tensor.name}.has_value() ? {tensor.name}->sizes() : at::IntArrayRef())"
    return f"{tensor.name}.sizes()"


def _holder(signature: Signature, symbol: str) -> tuple[TensorSpec, int]:
    """A tensor or list with this symbol, and the index of the dimension. Required inputs are preferred."""
    for optional in (False, True):
        for tensor in signature.op.inputs:
            if tensor.optional == optional and symbol in tensor.dims:
                place = tensor.dims.index(symbol)
                return tensor, place - len(tensor.dims) if is_dots(tensor.dims[0]) else place
    raise InternalError(f"{signature.op.type}: no input has the dimension {symbol}")


def _cpp_symbol(signature: Signature, symbol: str) -> str:
    tensor, place = _holder(signature, symbol)
    kind = input_kind(tensor)
    if kind not in _TENSORS:
        return f"static_cast<int64_t>({tensor.name}{'->' if tensor.optional else '.'}size())"
    one = f"{tensor.name}[0]" if kind == "tensors" else tensor.name
    return f"{one}{'->' if tensor.optional and kind == 'tensor' else '.'}size({place})"


def cpp_dtype(signature: Signature, index: int) -> str:
    """The dtype of an output in C++."""
    follows, constant = signature.follows(index), signature.constant(index)
    if follows is not None:
        return f"{follows}.scalar_type()"
    if constant is not None:
        return SCALAR_TYPES[constant]
    text = SCALAR_TYPES[signature.output_columns[-1][index]]
    for given, made in reversed(list(zip(signature.input_columns, signature.output_columns, strict=True))[:-1]):
        tests = [f"{source}.scalar_type() == {SCALAR_TYPES[given[place]]}" for place, source in signature.typed]
        text = f"({' && '.join(tests)}) ? {SCALAR_TYPES[made[index]]} : {text}"
    return text


def python_size(signature: Signature, tensor: TensorSpec) -> str:
    """The shape of an output in Python."""
    if signature.kernel.broadcasts:
        return _python_broadcast([_python_sizes(t, "") for t in signature.op.inputs if input_kind(t) == "tensor"])
    if tensor.dimensions in ((KEPT,), (DROPPED,)):
        kept = ", keepdim=True" if tensor.dimensions == (KEPT,) else ""
        return f"torch.sum({_like(signature).name}, {signature.axis}{kept}).shape"
    items = [
        python_dim(signature, dim, lambda name: _python_symbol(signature, name))
        for dim in tensor.dimensions
        if not isinstance(dim, Dots)
    ]
    if len(items) == len(tensor.dims):
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    having = _with_dots(signature, tensor.dims[0])
    having = having[:1] if signature.kernel.leading_rows else having
    cut = {given.name: f"[:-{_rest(given)}]" if _rest(given) else "" for given in having}
    leading = _python_broadcast([_python_sizes(given, cut[given.name]) for given in having])
    return f"(*{leading}, {', '.join(items)})" if items else leading


def _python_sizes(tensor: TensorSpec, cut: str) -> str:
    if input_kind(tensor) == "tensors":
        return f"*(each.shape{cut} for each in {tensor.name})"
    if tensor.optional:
        return f"*(() if {tensor.name} is None else ({tensor.name}.shape{cut},))"
    return f"{tensor.name}.shape{cut}"


def _python_broadcast(shapes: Sequence[str]) -> str:
    if len(shapes) == 1 and not shapes[0].startswith("*"):
        return shapes[0]
    return f"torch.broadcast_shapes({', '.join(shapes)})"


def _python_symbol(signature: Signature, symbol: str) -> str:
    tensor, place = _holder(signature, symbol)
    kind = input_kind(tensor)
    if kind not in _TENSORS:
        return f"len({tensor.name})"
    return f"{tensor.name}{'[0]' if kind == 'tensors' else ''}.shape[{place}]"


def python_dtype(signature: Signature, index: int) -> str:
    """The dtype of an output in Python."""
    follows, constant = signature.follows(index), signature.constant(index)
    if follows is not None:
        return f"{follows}.dtype"
    if constant is not None:
        return torch_dtype(constant)
    comma = "," if len(signature.typed) == 1 else ""
    rows = {
        f"({', '.join(torch_dtype(given[place]) for place, _ in signature.typed)}{comma})": torch_dtype(made[index])
        for given, made in zip(signature.input_columns, signature.output_columns, strict=True)
    }
    key = f"({', '.join(f'{source}.dtype' for _, source in signature.typed)}{comma})"
    return f"{{{', '.join(f'{row}: {made}' for row, made in rows.items())}}}[{key}]"
