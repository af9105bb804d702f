"""Results of operators with rows: lengths at the borders of tiles, and rows that do not depend on their batch."""

from __future__ import annotations

import pytest
import torch

from opforge.testing.checks import elementwise_gradients as gradients
from opforge.testing.checks import elementwise_results as results
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tensors import on

__tracebackhide__ = True  # for pytest, which then shows the test itself

LENGTHS = (1, 2, 7, 8, 9, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1009)
COUNTS = (1, 47, 48, 49)  # rows: around the number of cores
MANY = 10_007  # rows


def _lengths(op: OpCase, column: int) -> tuple[int, ...]:
    """Lengths of rows, also at the largest row that is a tile."""
    tile = op.tiles[column]
    return (*LENGTHS, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 3 * tile - 7)


def check_lengths(op: OpCase, column: int) -> None:
    """Results for rows of many lengths. The shortest wrong one is shown."""
    symbol = op.symbols[-1]
    for place, length in enumerate(_lengths(op, column)):
        results.check_results(op, random_inputs(op, column, (COUNTS[place % len(COUNTS)],), **{symbol: length}))
    results.check_results(op, random_inputs(op, column, (MANY,), **{symbol: 5}))


def check_dimensions(op: OpCase, column: int) -> None:
    """Results for every size of every dimension. Rows without elements are refused where a result has one of each."""
    for values in op.varied(column):
        goldens = op.golden(*values)
        empty = any(value.shape[-1:] == (0,) for value in values)
        if empty and any(golden.numel() for golden in goldens):
            with pytest.raises(RuntimeError, match="have no elements"):
                op(*on("npu", values))
        else:
            results.check_results(op, values)


def check_batch_invariance(op: OpCase, column: int) -> None:
    """A row alone, in a batch, and in another place of a larger batch: the results are equal to the bit."""
    symbol, tile = op.symbols[-1], op.tiles[column]
    for length in (9, 257, 1009, tile, tile + 1):
        many = random_inputs(op, column, (61,), **{symbol: length})
        few = [value[7:9] if value.dim() == 2 and len(value) == 61 else value for value in many]
        for whole, part in zip(op(*on("npu", many)), op(*on("npu", few)), strict=True):
            same = torch.equal(whole[7:9].cpu(), part.cpu())
            assert same, f"{op.name} gives a row of {length} elements other bits in a batch of 61 than in one of 2"


def check_long_gradients(op: OpCase, column: int) -> None:
    """The gradients of rows that do not fit in a tile."""
    sizes = {op.symbols[-1]: 2 * op.tiles[column] + 3}
    gradients.check_gradients(op, random_inputs(op, column, (3,), **sizes))
