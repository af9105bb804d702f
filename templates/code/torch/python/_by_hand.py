"""Operators with handwritten kernels: results of their references, and gradients through the references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor


def fitting(op: str, name: str, value: Tensor, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """A reference's result in new memory, with the operator's dtype. Raises RuntimeError for an unexpected shape."""
    if tuple(value.shape) != tuple(shape):
        raise RuntimeError(
            f"{op}: its reference gives {name} of shape {list(value.shape)}, and opforge.yaml says {list(shape)}"
        )
    wanted = value.dtype if value.dtype == torch.float64 and dtype.is_floating_point else dtype
    return value.to(wanted, copy=True, memory_format=torch.contiguous_format)


def fitting_in(op: str, name: str, value: Tensor, most: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Like `fitting`, if the kernel determines the shape. Raises RuntimeError for a result above the largest shape."""
    if value.dim() != len(most) or value.numel() > math.prod(most):
        raise RuntimeError(
            f"{op}: its reference gives {name} of shape {list(value.shape)}, and opforge.yaml says at most {list(most)}"
        )
    return fitting(op, name, value, value.shape, dtype)


def fitting_each(
    op: str, name: str, values: Sequence[Tensor], given: Sequence[Tensor], dtype: torch.dtype
) -> list[Tensor]:
    """Like `fitting`, for a list that has one tensor for each of ``given``. Raises RuntimeError for another length."""
    if len(values) != len(given):
        raise RuntimeError(f"{op}: its reference gives {name} of {len(values)} tensors for a list of {len(given)}")
    pairs = enumerate(zip(values, given, strict=True))
    return [fitting(op, f"{name}[{i}]", value, tensor.shape, dtype) for i, (value, tensor) in pairs]


def one_for_each(given: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """A list without data: one tensor for each of ``given``, of the same shape."""
    return [tensor.new_empty(tensor.shape, dtype=dtype) for tensor in given]


def fitting_repeated(
    op: str, name: str, count: int, values: Sequence[Tensor], shape: Sequence[int], dtype: torch.dtype
) -> list[Tensor]:
    """Like `fitting`, for a list of ``count`` tensors of one shape. Raises RuntimeError for another length."""
    if len(values) != count:
        raise RuntimeError(f"{op}: its reference gives {name} of {len(values)} tensors, and opforge.yaml says {count}")
    return [fitting(op, f"{name}[{i}]", value, shape, dtype) for i, value in enumerate(values)]


def repeated(op: str, name: str, count: int, like: Tensor, shape: Sequence[int], dtype: torch.dtype) -> list[Tensor]:
    """A list without data: ``count`` tensors of one shape. Raises ValueError if ``count`` is negative."""
    if count < 0:
        raise ValueError(f"{op}: {name} would be a list of {count} tensors")
    return [like.new_empty(shape, dtype=dtype) for _ in range(count)]


def copy_each(targets: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """Copies results to the tensors of a list that is written in place."""
    for target, value in zip(targets, values, strict=True):
        target.copy_(value)


def dynamic(most: Sequence[int]) -> list[torch.SymInt]:
    """Symbolic sizes of an output for torch.compile and torch.export, because only a run determines them."""
    return [torch.library.get_ctx().new_dynamic_size() for _ in most]


def gradients(
    reference: Callable[..., Any], arguments: Sequence[Any], needed: Sequence[Any], grads: Sequence[Tensor]
) -> tuple[Any, ...]:
    """The gradients of a reference, by torch's autograd: one per argument, a list for a list of tensors.

    ``needed`` says which gradients are needed; ``grads`` has the gradients of the outputs.
    """
    given, rest = arguments[: len(needed)], arguments[len(needed) :]  # torch omits trailing defaults
    with torch.enable_grad():
        # Views end this differentiation at the arguments, and a second derivative still reaches them.
        seen = [_seen(argument, want) for argument, want in zip(given, needed, strict=True)]
        results = reference(*seen, *rest)
    outputs = _flat(results if isinstance(results, tuple) else (results,))
    pairs = zip(outputs, _flat(grads), strict=True)
    reached = [(output, grad) for output, grad in pairs if output.requires_grad and grad is not None]
    leaves = [tensor for view, want in zip(seen, needed, strict=True) for tensor in _wanted(view, want)]
    made: Iterator[Tensor | None] = iter([None] * len(leaves))
    if reached:
        sources = [grad.to(output.dtype) for output, grad in reached]
        second, ends = torch.is_grad_enabled(), [output for output, _ in reached]
        made = iter(torch.autograd.grad(ends, leaves, sources, create_graph=second, allow_unused=True))
    return tuple(_laid_out(want, made) for want in needed)


def _flat(results: Sequence[Any]) -> list[Any]:
    """The tensors of all results, some of which are lists."""
    return [one for result in results for one in (result if isinstance(result, (list, tuple)) else [result])]


def _laid_out(want: Any, made: Iterator[Tensor | None]) -> Any:
    if isinstance(want, (list, tuple)):
        return [_laid_out(each, made) for each in want]
    return next(made) if want else None


def _seen(argument: Any, want: Any) -> Any:
    if isinstance(want, (list, tuple)):
        return [_seen(item, each) for item, each in zip(argument, want, strict=True)]
    return argument.view_as(argument) if want else argument


def _wanted(view: Any, want: Any) -> list[Tensor]:
    if isinstance(want, (list, tuple)):
        return [item for item, each in zip(view, want, strict=True) if each]
    return [view] if want else []
