"""Kernels that reduce a dimension that only a call knows: every rank, every dimension, counted from either end."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import torch
from attribute_axis_ops import ATTRIBUTE_AXES, KEPT
from generated_ops import ROW_CHIPS, SPREAD, SPREAD_ACROSS, Chip, GeneratedOps, TilingRefusedError

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec
from tests.parsed import graph_of

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
# Ranks 0 to 4: one element, none, primes; rows in tiles and in parts, more columns than a tile has.
SHAPES = (
    (),
    (1,),
    (7,),
    (0,),
    (5, 3),
    (2, 257),
    (257, 2),
    (0, 5),
    (5, 0),
    (3, 64, 65),
    (2, 1009, 3),
    (1009, 1, 2),
    (2, 1, 3, 5),
    (3, 5, 2, 7),
    (1, 2, 0, 3),
)
SMALL_CHIP = Chip(1, 72 * 1024)


def dims_of(shape: Sequence[int]) -> range:
    """Every dimension, counted from either end."""
    rank = max(len(shape), 1)
    return range(-rank, rank)


def inputs_of(op: OpSpec, row: Sequence[str], shape: Sequence[int], dim: int = 0) -> list[torch.Tensor]:
    """Those with one element for each row have extent 1 in dimension ``dim``."""
    made = []
    for seed, (tensor, dtype) in enumerate(zip(op.inputs, row, strict=False)):
        generator = torch.Generator().manual_seed(seed)
        own = list(shape)
        if tensor.dims == (KEPT,) and own:
            own[dim] = 1
        made.append((torch.randn(own, generator=generator) + 0.25).to(getattr(torch, dtype)))
    return made


def check(ops: GeneratedOps, name: str, column: int, shape: Sequence[int], dim: int, chip: Chip = SMALL_CHIP) -> None:  # noqa: PLR0917
    op = ops.ops[name]
    row = combinations(op)[column]
    inputs = inputs_of(op, row, shape, dim)
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
    wanted = evaluate(ops.graphs[name], given, {"dim": dim}, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, {"dim": dim}, row), strict=True):
        golden = wanted[output.name]
        scale = max(1.0, float(golden.nan_to_num().abs().max())) if golden.numel() else 1.0
        torch.testing.assert_close(
            result, golden, rtol=RELATIVE[result.dtype], atol=RELATIVE[result.dtype] * scale, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {row[0]} {shape} dim {dim} on {chip}\n{text}",
        )  # fmt: skip


def test_the_graph_means_what_torch_means() -> None:
    ops = {op.type: graph_of(op) for op in ATTRIBUTE_AXES}
    for shape in SHAPES:
        x = inputs_of(ATTRIBUTE_AXES[0], ("float32",), shape)[0]
        for dim in dims_of(shape):
            for name, function in (("SoftmaxOver", torch.softmax), ("LogSoftmaxOver", torch.log_softmax)):
                found = evaluate(ops[name], {"x": x}, {"dim": dim})["y"]
                torch.testing.assert_close(found, function(x, dim), msg=f"{name} {shape} dim {dim}")
        found = evaluate(ops["CentredOnFirst"], {"x": x}, {})["y"]
        torch.testing.assert_close(found, x - x.mean(0, keepdim=True), equal_nan=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_softmax(some_attribute_axis_ops: GeneratedOps, shape: Sequence[int]) -> None:
    for dim in dims_of(shape):
        check(some_attribute_axis_ops, "SoftmaxOver", 2, shape, dim)


def test_a_dimension_that_the_tensor_does_not_have(some_attribute_axis_ops: GeneratedOps) -> None:
    """op_host says so; torch, the Meta function and the adapter do before."""
    ops = some_attribute_axis_ops
    for shape in ([], [5], [2, 3], [4, 1, 2]):
        rank = max(len(shape), 1)
        for dim in (-rank - 1, rank, 2**40, -(2**40)):
            with pytest.raises(TilingRefusedError):
                ops.tiling("SoftmaxOver", [shape, shape], ("float32",) * 2, ROW_CHIPS[0], {"dim": dim})
        for dim in (-rank, rank - 1):
            ops.tiling("SoftmaxOver", [shape, shape], ("float32",) * 2, ROW_CHIPS[0], {"dim": dim})


@pytest.mark.slow
def test_inferred_shapes(attribute_axis_ops: GeneratedOps) -> None:
    """Of one element for each row with the dimension, without it, and of a whole result; sizes may be unknown."""

    def inferred(shape: list[int], dim: int) -> list[list[int]]:
        return attribute_axis_ops.infer_shape("MomentsOver", [shape, shape], {"dim": dim})

    for dim in (-2, 1):
        assert inferred([2, 3, 5], dim) == [[2, 1, 5], [2, 5], [2, 3, 5]]
    assert inferred([2, -1, 5], 0) == [[1, -1, 5], [-1, 5], [2, -1, 5]]
    assert inferred([], -1) == [[], [], []]
    assert inferred([-2], 7) == [[-2]] * 3
    for dim in (3, -4, 2**40, -(2**40)):
        with pytest.raises(TilingRefusedError):
            inferred([2, 3, 5], dim)
    assert attribute_axis_ops.infer_shape("LargestOfFirst", [[2, 3, 5]]) == [[3, 5]]


@pytest.mark.slow
@pytest.mark.parametrize("op", ATTRIBUTE_AXES, ids=lambda op: op.type)
def test_every_op(attribute_axis_ops: GeneratedOps, op: OpSpec) -> None:
    """And the kernel of its gradient, if it has one, in each dtype."""
    chance = random.Random(11)
    for name in (each for each in (op.type, f"{op.type}Grad") if each in attribute_axis_ops.ops):
        for column in range(3):
            for shape in SHAPES:
                for dim in dims_of(shape) if op.attrs else (0,):
                    check(attribute_axis_ops, name, column, shape, dim, chance.choice(ROW_CHIPS))


@pytest.mark.slow
def test_a_row_has_the_same_bits_in_every_batch(attribute_axis_ops: GeneratedOps) -> None:
    """Whatever the other sizes and the number of cores. The innermost dimension has a kernel of its own."""
    op = attribute_axis_ops.ops["SoftmaxOver"]
    keys = set()
    for length in (5, 65, 1009, 40_000):
        (row,) = inputs_of(op, ("float32",), (length,))
        for alone, batches in (
            ((length,), (((3, length), -1), ((2, 5, length), 2))),
            ((length, 1), (((length, 5), 0), ((2, length, 300), 1))),
        ):
            wanted = attribute_axis_ops.run(op.type, [row.reshape(alone)], ROW_CHIPS[0], {"dim": 0})[0].flatten()
            for chip in ROW_CHIPS:
                for shape, dim in ((alone, 0), *batches):
                    spread = [-1 if i == dim % len(shape) else 1 for i in range(len(shape))]
                    many = row.reshape(spread).expand(shape).contiguous()
                    (found,) = attribute_axis_ops.run(op.type, [many], chip, {"dim": dim})
                    assert torch.equal(found, wanted.reshape(spread).expand(shape)), (length, shape, dim, chip)
                    shapes = [list(shape)] * 2
                    keys.add(attribute_axis_ops.tiling(op.type, shapes, ("float32",) * 2, chip, {"dim": dim}).key)
    assert keys == {0, 1, SPREAD, 3, 4, SPREAD_ACROSS}
