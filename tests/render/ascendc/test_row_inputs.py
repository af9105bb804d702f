"""Inputs with one element for each row are values of rows: loaded once for a tile, and for a row in parts."""

from __future__ import annotations

import pytest
import torch
from generated_ops import ALIKE_CHIPS, ALL, ROW_CHIPS, SPREAD, GeneratedOps
from row_ops import ROW_INPUTS
from test_row_kernels import RELATIVE, tensor

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

# Leading dimensions of x and of what has one element for each row: the same, and fewer or other ones.
NAMES = [f"{op.type}{end}" for op in ROW_INPUTS if op.type != "Alone" for end in ("", "Grad")]
LEADING = [
    ((5,), (5,)), ((2, 3), (2, 3)), ((4, 3), (1, 3)), ((4, 3), (4, 1)), ((7,), (1,)), ((), ()), ((3, 2, 5), (3, 1, 5)),
]  # fmt: skip


def check(
    ops: GeneratedOps,
    name: str,
    row: tuple[str, ...],
    rows: tuple[tuple[int, ...], tuple[int, ...]],
    length: int,
    *,
    spread: bool = False,
) -> None:
    chip = ALIKE_CHIPS[-1] if spread else ROW_CHIPS[1]
    whole, one = rows
    shapes = {("...", "H"): (*whole, length), ("...", "1"): (*one, 1), ("H",): (length,), ("...",): one, (): ()}
    op = ops.ops[name]
    inputs = [tensor(shapes[t.dims], d, seed) for seed, (t, d) in enumerate(zip(op.inputs, row, strict=False))]
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    wanted = evaluate(ops.graphs[name], {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}, {}, dtypes)
    if spread:
        whole_shapes = [list(i.shape) for i in inputs] + [list(wanted[t.name].shape) for t in op.outputs]
        assert ops.tiling(name, whole_shapes, row, chip, {}).key == SPREAD
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, {}, row), strict=True):
        tolerance = RELATIVE[result.dtype]
        scale = max(1.0, float(wanted[output.name].abs().max())) if result.numel() else 1.0
        torch.testing.assert_close(result, wanted[output.name], rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize(
    ("name", "dtype", "length"),
    [
        ("Given", "float16", 130),
        ("Masked", "float16", 130),
        ("ScaledGrad", "float32", 4100),
        ("KeepingGrad", "float16", 130),
        *(
            pytest.param(name, dtype, length, marks=pytest.mark.slow)
            for name in NAMES
            for dtype in ALL
            for length in (1, 9, 130, 4100, 20011)
        ),
    ],
)
def test_leading_dimensions(row_input_ops: GeneratedOps, name: str, dtype: str, length: int) -> None:
    """Rows in tiles, and rows in parts."""
    row = next(row for row in combinations(row_input_ops.ops[name]) if row[0] == dtype)
    for rows in LEADING:
        check(row_input_ops, name, row, rows, length)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("Given", "float16"),
        ("ScaledGrad", "float32"),
        *(pytest.param(name, dtype, marks=pytest.mark.slow) for name in NAMES for dtype in ALL),
    ],
)
def test_more_rows_than_a_tile_has(row_input_ops: GeneratedOps, name: str, dtype: str) -> None:
    row = next(row for row in combinations(row_input_ops.ops[name]) if row[0] == dtype)
    for rows in (((0,), (0,)), ((1009,), (1009,)), ((3, 331), (1, 331)), ((2, 400), (2, 1))):
        check(row_input_ops, name, row, rows, 5)


def test_few_rows_of_which_all_cores_read_parts(row_input_ops: GeneratedOps) -> None:
    """A core's parts may be those of two rows."""
    for rows in (((5,), (5,)), ((3,), (1,)), ((1,), (1,))):
        check(row_input_ops, "ScaledGrad", ("float32",) * 5, rows, 33013, spread=True)


@pytest.mark.parametrize("name", ["Weighted", "Masked", "Given"])
def test_rows_without_elements(row_input_ops: GeneratedOps, name: str) -> None:
    """A result of each row is there."""
    row = next(row for row in combinations(row_input_ops.ops[name]) if row[0] == "float16")
    for rows in (((5,), (5,)), ((2, 3), (2, 1))):
        check(row_input_ops, name, row, rows, 0)


def test_they_take_no_room_of_tiles(row_input_ops: GeneratedOps) -> None:
    plans = row_input_ops.plans
    assert [name for name, _ in plans["Given"].given] == ["r", "m"]  # n is computed in int32 first
    assert [name for name, _ in plans["KeepingGrad"].given] == ["grad_rstd", "rstd"]
    assert plans["KeepingGrad"].whole.buffers == 2
    assert plans["Scaled"].whole.bytes_per_element(0) == plans["Alone"].whole.bytes_per_element(0)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("length", [1, 130, 4100])
def test_a_missing_value_of_rows(row_input_ops: GeneratedOps, dtype: str, length: int) -> None:
    """Rows in tiles and in parts: each has the number that stands for it."""
    op = row_input_ops.ops["Optional"]
    row = next(row for row in combinations(op) if row[0] == dtype)
    for count in (1, 5, 131):
        shapes = {("...", "H"): (count, length), ("...", "1"): (count, 1), ("H",): (length,)}
        inputs = [tensor(shapes[t.dims], d, seed) for seed, (t, d) in enumerate(zip(op.inputs, row, strict=False))]
        given = {t.name: None if t.optional else i for t, i in zip(op.inputs, inputs, strict=True)}
        dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
        wanted = evaluate(
            row_input_ops.graphs["Optional"], {k: v for k, v in given.items() if v is not None}, {}, dtypes
        )
        results = row_input_ops.run("Optional", list(given.values()), ROW_CHIPS[1], {}, row)
        for output, result in zip(op.outputs, results, strict=True):
            tolerance = RELATIVE[result.dtype]
            scale = max(1.0, float(wanted[output.name].abs().max()))
            torch.testing.assert_close(result, wanted[output.name], rtol=tolerance, atol=tolerance * scale)
