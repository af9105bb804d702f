"""Python source for the values and sizes that tests and measurements draw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from opforge.render.layout import dims_literal
from opforge.render.torch.argument_types import kind_of
from opforge.spec.model import ANY_VALUES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.spec.model import OpSpec, SizeRange, TensorSpec, Values

_NUMBER = re.compile(r"-?[0-9.]+(e[-+]?[0-9]+)?")


def input_literal(tensor: TensorSpec) -> str:
    """An input as ``Input(dims=("...", "H"), values=Values(min=0))``, without what is usual."""
    schema = kind_of(tensor).schema
    items = [] if schema == "Tensor" else [f'"{schema}"']
    if tensor.dims != ("...",):
        items.append(f"dims={dims_literal(tensor.dims)}")
    if tensor.optional:
        items.append("optional=True")
    if tensor.values != ANY_VALUES:
        items.append(f"values={values_literal(tensor.values)}")
    return f"Input({', '.join(items)})"


def values_literal(values: Values) -> str:
    """Values as ``Values(min=0, below="N", unique=True)``."""
    bounds = (("min", values.min), ("below", values.below))
    items = [f"{name}={_bound(text)}" for name, text in bounds if text is not None]
    items += [f"{name}=True" for name, holds in (("unique", values.unique), ("sorted", values.sorted)) if holds]
    return f"Values({', '.join(items)})"


def value_items(tensors: Sequence[TensorSpec]) -> tuple[str, ...]:
    """The items of a dict: the values of each input that may not hold any value."""
    return tuple(f'"{t.name}": {values_literal(t.values)}' for t in tensors if t.values != ANY_VALUES)


def size_items(op: OpSpec) -> tuple[str, ...]:
    """The items of a dict: the supported sizes of each dimension that has limits."""
    return tuple(f'"{size.symbol}": {_size(size)}' for size in op.sizes)


def drawing_names(ops: Sequence[OpSpec]) -> list[str]:
    """The names of opforge.testing.measuring that such source uses beside Input."""
    names = ["Size"] if any(op.sizes for op in ops) else []
    limited = any(tensor.values != ANY_VALUES for op in ops for tensor in op.inputs)
    return [*names, *(["Values"] if limited else [])]


def _bound(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else f'"{text}"'


def _size(size: SizeRange) -> str:
    usual = {"min": 0, "max": None, "multiple_of": 1}
    limits = {"min": size.min, "max": size.max, "multiple_of": size.multiple_of}
    return f"Size({', '.join(f'{name}={limit}' for name, limit in limits.items() if limit != usual[name])})"
