"""The dtype combinations that an op supports: rows over all its tensors, for one SoC or for all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from opforge.dtypes import DTYPES
from opforge.soc import SOCS
from opforge.spec.model import OpSpec, TensorSpec

Row = tuple[str, ...]  # a dtype for each input and then each output


def combinations(op: OpSpec, soc: str | None = None) -> tuple[Row, ...]:
    """The supported combinations, without duplicates.

    Args:
        op: the op.
        soc: the compute unit; None: the combinations for all SoCs, then those that overrides add.

    A SoC's rows use only dtypes that it supports. With ``dtype_product``, rows combine every choice with every other. A
    tensor without dtypes has the first input's dtype in each row, or the one dtype that compute gives it.
    """
    if soc is None:
        rows = [*_rows(op, {}), *(row for override in op.overrides for row in _rows(op, _own(op, override.soc)))]
        return tuple(dict.fromkeys(rows))
    supported = SOCS[soc].dtypes
    return tuple(row for row in dict.fromkeys(_rows(op, _own(op, soc))) if all(dtype in supported for dtype in row))


def combinations_of(op: OpSpec, socs: Sequence[str], lacking: Callable[[str], bool]) -> tuple[Row, ...]:
    """The combinations for all SoCs, without those that a layer cannot have and that none of ``socs`` supports.

    ``lacking`` tells by a dtype's name whether the layer lacks it: torch has no hifloat8, Ascend C has no complex128. A
    combination with such a dtype stays if a SoC supports it, so that the layer can refuse it.
    """
    supported = {dtype for soc in socs for dtype in SOCS[soc].dtypes}
    return tuple(row for row in combinations(op) if not any(lacking(dtype) and dtype not in supported for dtype in row))


def torch_combinations(op: OpSpec, soc: str | None = None) -> tuple[Row, ...]:
    """The combinations that a call from PyTorch can have: torch has their dtypes. Only aclnn has the others."""
    return tuple(row for row in combinations(op, soc) if all(DTYPES[dtype].torch for dtype in row))


def _own(op: OpSpec, soc: str) -> Mapping[str, TensorSpec]:
    """The tensors that the SoC's override gives dtypes, by name."""
    return {tensor.name: tensor for override in op.overrides if override.soc == soc for tensor in override.tensors}


def _rows(op: OpSpec, own: Mapping[str, TensorSpec]) -> list[Row]:
    tensors = [own.get(tensor.name, tensor) for tensor in (*op.inputs, *op.outputs)]
    if not op.dtype_product:
        count = max(len(tensor.dtypes) for tensor in tensors)
        columns = [tensor.dtypes * count if len(tensor.dtypes) == 1 else tensor.dtypes for tensor in tensors]
        return list(zip(*columns, strict=True))
    stated = [place for place, tensor in enumerate(tensors) if tensor.dtypes_given or place == 0]
    rows = []
    for chosen in itertools.product(*(tensors[place].dtypes for place in stated)):
        by_place = dict(zip(stated, chosen, strict=True))
        named = {tensor.name: dtype for tensor, dtype in zip(tensors, _filled(tensors, by_place), strict=True)}
        rows.append(tuple(named[tensor.inplace or tensor.name] for tensor in tensors))
    return rows


def _filled(tensors: Sequence[TensorSpec], chosen: Mapping[int, str]) -> list[str]:
    return [chosen.get(place) or _followed(tensor, tensors[0], chosen[0]) for place, tensor in enumerate(tensors)]


def _followed(tensor: TensorSpec, first: TensorSpec, chosen: str) -> str:
    return chosen if tensor.dtypes == first.dtypes else tensor.dtypes[0]
