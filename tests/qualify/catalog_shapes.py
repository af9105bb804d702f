"""The ops of the catalog, and shapes and values of their inputs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from opforge.kinds import kernel_alone
from opforge.spec import catalog

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opforge.spec.axes import Axes
    from opforge.spec.model import OpSpec


def known(kind: str) -> list[OpSpec]:
    """The catalog's ops of one kind of kernel, by the kind's name."""
    found = [op for op in map(catalog.entry, catalog.names()) if op is not None]
    return [replace(op, source=None) for op in found if type(kernel_alone(op)).__name__.lower() == kind]


def each_of(kinds: Iterable[str]) -> list[Any]:
    """A kind and an op of it, for each op of these kinds: the parameters of a test that keeps a file for each op."""
    return [pytest.param(kind, op, id=f"{kind}-{op.type}") for kind in kinds for op in known(kind)]


def laid_out(op: OpSpec, leading: tuple[int, ...], n: int) -> tuple[tuple[int, ...], ...]:
    """Each input's shape: ``leading`` for its ellipsis, and n for its own dimension, or behind where it has none."""
    named = any(d != "..." for t in op.inputs for d in t.dims)
    sizes = {"...": leading if named else (*leading, n)}
    return tuple(tuple(itertools.chain(*(sizes.get(str(d), (n,)) for d in t.dims))) for t in op.inputs)


def rows_of(op: OpSpec, axes: Axes, length: int, count: int) -> tuple[tuple[int, ...], ...]:
    """Each input's shape: ``length`` for the last dimension of a row, ``count`` for the last of the others."""
    named = max((t.dims for t in op.inputs), key=len)
    if named == ("...",):
        return tuple((count, length) for _ in op.inputs)
    reduced = [at in axes.of(len(named)) for at in range(-len(named), 0)]
    sizes = dict.fromkeys(map(str, named), 2) | {"1": 1}
    sizes[str(named[-1 - reduced[::-1].index(False)])] = count
    sizes[str(named[-1 - reduced[::-1].index(True)])] = length
    return tuple(tuple(sizes[str(d)] for d in t.dims) for t in op.inputs)


def shapes_of(op: OpSpec, m: int, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """By the catalog's names of dimensions: the leading ones are M, H or K is summed over, I or N is the result's."""
    sizes = {"...": m, "M": m, "H": k, "K": k, "I": n, "N": n}
    return tuple(tuple(sizes[d] for d in t.dims) for t in op.inputs)


def drawn(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Numbers whose sums depend on the order of summation."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.rand(tuple(shape), generator=generator) > 0.5
    return (torch.randn(tuple(shape), generator=generator) + 0.25).to(getattr(torch, dtype))
