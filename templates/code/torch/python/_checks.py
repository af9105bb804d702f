"""Checks an operator's arguments; errors name the argument, its value and the expected one.

The messages are those of csrc/opforge/argument_checks.h, which guards the NPU implementation.
"""

from __future__ import annotations

{% if listed_attrs %}
from collections.abc import Sequence

{% endif %}
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.fx import Proxy  # replaces an argument while torch.fx traces a module

MAX_RANK = 8  # most dimensions of an aclTensor in format ND

Columns = tuple[tuple[torch.dtype, ...], ...]


def check_tensors(op: str, /, **arguments: object) -> None:
    """Every argument is a dense tensor. Raises TypeError, and RuntimeError in forward-mode differentiation.

    torch has no forward mode for custom operators and would silently drop the tangents.
    """
    for name, value in arguments.items():
        if isinstance(value, Proxy):
            continue
        if not isinstance(value, Tensor):
            raise TypeError(f"{op}: {name} must be a Tensor, but it is {_called(value)}")
        if value.layout != torch.strided or value.is_nested or value.is_quantized:
            raise TypeError(f"{op}: {name} must be a dense Tensor, but it is {_stored(value)}")
        if forward_ad._current_level >= 0 and forward_ad.unpack_dual(value).tangent is not None:
            raise RuntimeError(
                f"{op} has no derivative in forward mode (torch.func.jvp, jacfwd), and {name} has a tangent; "
                "differentiate by backward()"
            )
{% if lists %}


def check_lists(op: str, /, **arguments: object) -> None:
    """Every argument is a list of tensors. Raises TypeError."""
    for name, value in arguments.items():
        if isinstance(value, Proxy):
            continue
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{op}: {name} must be a list of Tensors, but it is {_called(value)}")
        check_tensors(op, **{f"{name}[{i}]": item for i, item in enumerate(value)})


def check_filled_lists(op: str, /, **arguments: object) -> None:
    """Every argument is a list of at least one tensor. Raises TypeError and ValueError."""
    check_lists(op, **arguments)
    for name, value in arguments.items():
        if isinstance(value, (list, tuple)) and not value:
            raise ValueError(f"{op}: {name} must hold at least one tensor")
{% endif %}
{% if numbers %}


def check_numbers(op: str, /, **arguments: object) -> None:
    """Every argument is a number. Raises TypeError."""
    for name, value in arguments.items():
        if not isinstance(value, (int, float, torch.SymInt, torch.SymFloat, torch.SymBool, Proxy)):
            raise TypeError(f"{op}: {name} must be a number, but it is {_called(value)}")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"{op}: {name} is {value}, which int64 does not hold")


def check_number_lists(op: str, /, **arguments: object) -> None:
    """Every argument is a list of numbers. Raises TypeError."""
    for name, value in arguments.items():
        if isinstance(value, Proxy):
            continue
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{op}: {name} must be a list of numbers, but it is {_called(value)}")
        check_numbers(op, **{f"{name}[{i}]": item for i, item in enumerate(value)})
{% endif %}
{% if listed_attrs %}


def check_lengths(op: str, /, **lists: tuple[Sequence[float], int]) -> None:
    """Each list has at least as many elements as it is given with. Raises ValueError."""
    for name, (values, least) in lists.items():
        if len(values) < least:
            raise ValueError(f"{op}: {name} must have {least} or more elements, but has {len(values)}")
{% endif %}
{% if whole_attrs %}


def check_int32(op: str, /, **attributes: int) -> None:
    """Attributes that the kernel uses as int32 fit int32. Raises ValueError."""
    for name, value in attributes.items():
        if not -(2**31) <= value < 2**31:
            raise ValueError(f"{op}: {name} must fit int32, which it is computed in, but it is {value}")
{% endif %}
{% if texts %}


def check_texts(op: str, /, **attributes: str) -> None:
    """Refuses text with a NUL character, because aclnn would cut it off there. Raises ValueError."""
    for name, value in attributes.items():
        if "\0" in value:
            raise ValueError(f"{op}: {name} has a NUL character at {value.index(chr(0))}, where it would end for aclnn")
{% endif %}
{% if axes %}


def check_dimension(rank: int, dim: int) -> None:
    """An attribute is a dimension of a tensor of this rank. Raises IndexError, as torch does."""
    least, most = -max(rank, 1), max(rank, 1) - 1
    if not least <= dim <= most:
        raise IndexError(f"Dimension out of range (expected to be in range of [{least}, {most}], but got {dim})")
{% endif %}
{% if plain %}


def check_arguments(op: str, columns: Columns, /, **arguments: Tensor) -> torch.Size:
    """Checks for one device, a supported combination of dtypes, and shapes that broadcast. Returns the common shape.

    Each column is a supported combination, with one dtype per argument. The CPU also takes float64, for gradcheck.
    """
    check_tensors(op, **arguments)  # the dispatcher accepts None for a Tensor
    check_devices(op, arguments)
    check_dtypes(op, columns, arguments)
    return broadcast(op, arguments)
{% endif %}


def check_devices(op: str, arguments: dict[str, Tensor]) -> None:
    """All tensors are on one device: if one is on an NPU, all are on that NPU. Raises RuntimeError."""
    if len({tensor.device for tensor in arguments.values()}) <= 1:
        return
    first_name, first = next(iter(arguments.items()))
    on_npu = any(tensor.device.type == "npu" for tensor in arguments.values())
    for name, tensor in arguments.items():
        if on_npu and tensor.device.type != "npu":
            raise RuntimeError(
                f"{op}: {name} must be on an NPU as the other arguments are, but it is on {tensor.device}; "
                'move it there with .to("npu")'
            )
        if tensor.device != first.device:
            raise RuntimeError(
                f"{op}: {name} is on {tensor.device} and {first_name} is on {first.device}; "
                "all arguments must be on one device"
            )


def check_dtypes(op: str, columns: Columns, arguments: dict[str, Tensor]) -> None:
    """The dtypes are supported. On the CPU, float64 may replace any floating-point dtype. Raises TypeError."""
    given = tuple(tensor.dtype for tensor in arguments.values())
    if given in columns:
        return
    if all(tensor.device.type == "cpu" for tensor in arguments.values()):
        double = torch.float64
        if given in (tuple(double if dtype.is_floating_point else dtype for dtype in column) for column in columns):
            return
    for i, (name, tensor) in enumerate(arguments.items()):
        supported = tuple(dict.fromkeys(column[i] for column in columns))
        if tensor.dtype not in supported:
            raise TypeError(f"{op}: {name} has dtype {_names((tensor.dtype,))}; supported: {_names(supported)}")
    together = ", ".join(f"({_names(column)})" for column in columns)
    names = ", ".join(arguments)
    raise TypeError(f"{op}: ({names}) have dtypes ({_names(given)}); supported together: {together}")


def broadcast(op: str, arguments: dict[str, Tensor]) -> torch.Size:
    """The common shape by NumPy's rule. Raises ValueError."""
    for name, tensor in arguments.items():
        if tensor.dim() > MAX_RANK:
            raise ValueError(f"{op}: {name} has {tensor.dim()} dimensions; at most {MAX_RANK} are supported")
    try:
        return torch.broadcast_shapes(*(tensor.shape for tensor in arguments.values()))
    except RuntimeError as error:
        raise ValueError(f"{op}: {_clash(arguments)}") from error


def _called(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _stored(tensor: Tensor) -> str:
    kind = "nested" if tensor.is_nested else "quantized" if tensor.is_quantized else f"stored as {tensor.layout}"
    return f"{kind}; give it as {'dequantize()' if tensor.is_quantized else 'to_dense() or to_padded_tensor()'} does"


def _names(dtypes: tuple[torch.dtype, ...]) -> str:
    return ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)


def _clash(arguments: dict[str, Tensor]) -> str:
    """The first two arguments with different sizes in the same dimension, neither of them 1."""
    owner: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in arguments.items():
        for dim in range(-tensor.dim(), 0):
            size = tensor.shape[dim]
            if size == 1:
                continue
            other_name, other = owner.setdefault(dim, (name, tensor))
            if other.shape[dim] != size:
                return (
                    f"{other_name} of shape {list(other.shape)} and {name} of shape {list(tensor.shape)} "
                    f"do not broadcast: sizes {other.shape[dim]} and {size} meet in dimension {dim}"
                )
    return "the shapes do not broadcast"
