"""Results of operators with rows: lengths at the borders of tiles, and rows that do not depend on their batch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from opforge.testing.checks import elementwise_gradients as gradients
from opforge.testing.checks import elementwise_results as results
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tensors import on

__tracebackhide__ = True  # for pytest, which then shows the test itself

LENGTHS = (1, 2, 7, 8, 9, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1009)
COUNTS = (1, 47, 48, 49)  # rows: around the number of cores
MANY = 10_007  # rows
MARK = 61  # rows of a batch; no other dimension has this size


def _lengths(op: OpCase, column: int) -> tuple[int, ...]:
    """Lengths of rows, also at the largest row that is a tile."""
    tile = op.tiles[column]
    return (*LENGTHS, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 3 * tile - 7)


def check_lengths(op: OpCase, column: int) -> None:
    """Results for rows of many lengths, in each dimension of a row. The shortest wrong one is shown."""
    batch = _batch(op)[:1]
    for dim in _row(op):
        for place, length in enumerate(_lengths(op, column)):
            count = dict.fromkeys(batch, COUNTS[place % len(COUNTS)])
            results.check_results(op, _inputs(op, column, {dim: length, **count}))
        results.check_results(op, _inputs(op, column, {dim: 5, **dict.fromkeys(batch, MANY)}))
        alone = dict.fromkeys(("...", *op.symbols), 1)
        results.check_results(op, _inputs(op, column, {**alone, dim: _of_many_parts(op, column, dim)}))


def _of_many_parts(op: OpCase, column: int, dim: str) -> int:
    """A length of rows with which all cores read parts of a row that is alone."""
    along = dim == ("...", *op.symbols)[-1]
    return 12 * op.tiles[column] + 5 if along else op.tiles[column] // 8


def check_dimensions(op: OpCase, column: int) -> None:
    """Results for every size of every dimension."""
    for values in op.varied(column):
        results.check_results(op, values)


def check_axes(op: OpCase, column: int) -> None:
    """Results over every dimension, counted from either end, of tensors of several ranks."""
    for length in (1, 2, 7, 65, 257):
        for shape in ((length,), (3, length), (length, 5), (2, length, 3), (2, 1, 3, length)):
            for dim in range(-len(shape), len(shape)):
                results.check_results(op.over(dim), random_inputs(op, column, shape))
    for shape in ((0,), (3, 0), (0, 3)):
        for dim in range(len(shape)):
            results.check_results(op.over(dim), random_inputs(op, column, shape))


def check_gradients_over_axes(op: OpCase, column: int) -> None:
    """The gradients over every dimension."""
    for shape in ((7,), (3, 65), (2, 5, 3)):
        for dim in range(len(shape)):
            gradients.check_gradients(op.over(dim), random_inputs(op, column, shape))


def check_batch_invariance(op: OpCase, column: int) -> None:
    """A row alone, in a batch, and in another place of a larger batch: the results are equal to the bit."""
    tile = op.tiles[column]
    for shape, dim in (((MARK, 257), 1), ((257, MARK), 0), ((2, 9, MARK), 1)) if op.axis else ():
        _check_rows(op.over(dim), random_inputs(op, column, shape), shape[dim])
    for batch in _batch(op):
        long = () if op.reduced else (_of_many_parts(op, column, _row(op)[-1]),)
        for length in (9, 257, 1009, tile, tile + 1, *long):
            _check_rows(op, _inputs(op, column, {_row(op)[-1]: length, batch: MARK}), length)


def _check_rows(op: OpCase, many: list[Tensor], length: int) -> None:
    """Two rows of a batch of MARK are what they are alone."""
    few = [_some(value) for value in many]
    for whole, part in zip(op(*on("npu", many)), op(*on("npu", few)), strict=True):
        same = torch.equal(_some(whole).cpu(), part.cpu())
        assert same, f"{op.name} gives a row of {length} elements other bits among {MARK} than among 2"


def check_long_gradients(op: OpCase, column: int) -> None:
    """The gradients of rows that do not fit in a tile."""
    gradients.check_gradients(op, _inputs(op, column, {_row(op)[-1]: 2 * op.tiles[column] + 3}))


def _row(op: OpCase) -> tuple[str, ...]:
    """The dimensions of a row."""
    return op.reduced or op.symbols[-1:]


def _batch(op: OpCase) -> list[str]:
    """The other dimensions."""
    leads = any("..." in op.dims.get(name, ("...",)) for name in op.inputs)
    return [dim for dim in (*(("...",) if leads else ()), *op.symbols) if dim not in _row(op)]


def _inputs(op: OpCase, column: int, sizes: Mapping[str, int]) -> list[Tensor]:
    """Inputs with these sizes of dimensions; leading dimensions are one."""
    symbols = {name: size for name, size in sizes.items() if name in op.symbols}
    return random_inputs(op, column, (sizes.get("...", 3),), **symbols)


def _some(value: Tensor) -> Tensor:
    """Two rows of a batch."""
    for dim, size in enumerate(value.shape):
        value = value.narrow(dim, 7, 2) if size == MARK else value
    return value.clone()
