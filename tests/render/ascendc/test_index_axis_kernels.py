"""Kernels that find the number of an extreme along other dimensions than the last one: ties, NaN, every dimension."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, SPREAD, SPREAD_ACROSS, Chip, GeneratedOps, TilingRefusedError
from index_axis_ops import INDEX_AXES, IndexOp
from test_index_kernels import tile_of

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations
from tests.parsed import graph_of

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS
WHOLE = Chip(48, 72 * 1024)
INF, NAN = float("inf"), float("nan")
BY_NAME = {each.op.type: each for each in INDEX_AXES}
# The extents of B, A, C and H; B and A are also those of "...". One element, primes, more columns than a tile has,
# columns that leave a narrower tile at the end, more planes than cores.
SIZES = (
    (1, 1, 1, 1),
    (3, 2, 5, 7),
    (2, 3, 64, 130),
    (7, 2, 300, 3),
    (3, 1, 2, 1500),
    (11, 1, 17, 257),
    (2, 2, 1009, 33),
    (2, 1, 13, 65),
    (0, 1, 3, 5),
    (2, 2, 3, 0),
)
# Ranks 0 to 4, for ops of any rank.
SHAPES = ((), (1,), (7,), (5, 3), (2, 257), (257, 2), (3, 64, 65), (2, 1009, 3), (1009, 1, 2), (3, 5, 2, 7), (0, 5))


def drawn(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Few values, so that many are equal, among them zeros of both signs, infinities and some NaN."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(-3, 4, tuple(shape), generator=generator) / 2
    x = torch.where(torch.rand(x.shape, generator=generator) > 0.5, x, -x)
    x[torch.rand(x.shape, generator=generator) > 0.999] = NAN
    x[torch.rand(x.shape, generator=generator) > 0.999] = INF
    return x.to(getattr(torch, dtype))


def inputs_of(each: IndexOp, row: Sequence[str], sizes: Sequence[int]) -> list[torch.Tensor]:
    """Tensors of the extents of B, A, C and H, or, of an op of any rank, of this shape."""
    made = []
    for seed, (spec, dtype) in enumerate(zip(each.op.inputs, row, strict=False)):
        shape = list(sizes)
        if spec.dims != ("...",):
            extents = dict(zip("BACH", sizes, strict=True)) | {"1": 1}
            leading = [] if "..." not in spec.dims else sizes[:1] if "A" in spec.dims else sizes[:2]
            shape = [*leading, *(extents[dim] for dim in spec.dims if dim != "...")]
        made.append(drawn(shape, dtype, seed + sum(shape)))
    return made


def dims_of(each: IndexOp, sizes: Sequence[int]) -> Iterator[dict[str, float]]:
    """The attributes of calls: every dimension, counted from either end."""
    rank = max(len(sizes), 1)
    yield from ({"dim": dim} for dim in range(-rank, rank)) if each.op.attrs else ({},)


def wanted(
    each: IndexOp, row: Sequence[str], inputs: Sequence[torch.Tensor], attrs: dict[str, float]
) -> list[torch.Tensor]:
    found = each.meaning(*(value.float() for value in inputs), **attrs)
    return [value.to(getattr(torch, dtype)) for value, dtype in zip(found, row[len(inputs) :], strict=True)]


def check(  # noqa: PLR0917
    ops: GeneratedOps,
    each: IndexOp,
    row: tuple[str, ...],
    inputs: Sequence[torch.Tensor],
    attrs: dict[str, float],
    chip: Chip,
) -> None:
    """The results are torch's to the bit."""
    results = ops.run(each.op.type, inputs, chip, attrs, row)
    for found, golden in zip(results, wanted(each, row, inputs, attrs), strict=True):
        torch.testing.assert_close(
            found, golden, rtol=0, atol=0, equal_nan=True,
            msg=lambda text: f"{each.op.type} {row} {[tuple(i.shape) for i in inputs]} {attrs} on {chip}\n{text}",
        )  # fmt: skip


def sizes_of(each: IndexOp) -> Sequence[Sequence[int]]:
    return SHAPES if each.op.inputs[0].dims == ("...",) else SIZES


def has_elements(each: IndexOp, inputs: Sequence[torch.Tensor], attrs: dict[str, float]) -> bool:
    """Whether torch finds an element in each row."""
    try:
        each.meaning(*inputs, **attrs)
    except (IndexError, RuntimeError):
        return False
    return True


def test_the_graph_means_what_torch_means() -> None:
    for each in INDEX_AXES:
        graph = graph_of(each.op)
        row = row_of_op(each, "float32")
        for sizes in sizes_of(each):
            inputs = inputs_of(each, row, sizes)
            for attrs in dims_of(each, sizes):
                if not has_elements(each, inputs, attrs):
                    continue
                given = {tensor.name: value for tensor, value in zip(each.op.inputs, inputs, strict=True)}
                dtypes = {t.name: getattr(torch, d) for t, d in zip(each.op.outputs, row[len(inputs) :], strict=True)}
                found = evaluate(graph, given, attrs, dtypes)
                for name, golden in zip(dtypes, wanted(each, row, inputs, attrs), strict=True):
                    torch.testing.assert_close(found[name], golden, rtol=0, atol=0, equal_nan=True)


def row_of_op(each: IndexOp, dtype: str) -> tuple[str, ...]:
    return next(row for row in combinations(each.op) if dtype in row)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_channels(some_index_axis_ops: GeneratedOps, sizes: Sequence[int]) -> None:
    each = BY_NAME["ArgMaxOfChannels"]
    row = row_of_op(each, "float16")
    check(some_index_axis_ops, each, row, inputs_of(each, row, sizes), {}, ODD)


def rows_of_tile(ops: GeneratedOps, name: str, dtype: str) -> int:
    """The elements of a row that a tile has room for."""
    return tile_of(ops, name, dtype, SMALL) // 256


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["a_sample", "all"])
def test_borders(some_index_axis_ops: GeneratedOps, *, every: bool) -> None:
    """Of tiles, in both directions, and of the share of a core: rows in tiles and in parts."""
    each, chance = BY_NAME["ArgMaxOfChannels"], random.Random(3)
    for dtype in ALL if every else ("float16",):
        tile = rows_of_tile(some_index_axis_ops, "ArgMaxOfChannels", dtype)
        lengths = (1, 2, 3, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 5 * tile + 1)
        widths = (1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 513)
        for length in lengths:
            for width in widths if every else chance.sample(widths, 2):
                row = row_of_op(each, dtype)
                inputs = inputs_of(each, row, (chance.choice((1, 2, 9)), 1, length, width))
                check(some_index_axis_ops, each, row, inputs, {}, chance.choice((SMALL, ODD)))


@pytest.mark.parametrize("length", [5, 64, 40_000])
def test_first_ones(some_index_axis_ops: GeneratedOps, length: int) -> None:
    """Of equal elements and of NaN, at the ends of tiles and parts; zeros of either sign are equal."""
    each, row = BY_NAME["ArgMaxOfChannels"], ("float32", "int64")
    x = torch.zeros(1, length, 10)
    x[0, -1, 1] = x[0, length // 2, 2] = x[0, 0, 3] = NAN
    x[0, -1, 3] = x[0, length // 2, 4] = x[0, -1, 4] = INF
    x[0, :, 5], x[0, :, 6] = INF, -INF
    x[0, :, 7] = torch.arange(length) % 3
    x[0, length // 3, 8] = x[0, -2, 8] = NAN
    x[0, : length // 2, 9] = -0.0
    keys = set()
    for chip in (SMALL, ODD, WHOLE):
        check(some_index_axis_ops, each, row, [x], {}, chip)
        keys.add(some_index_axis_ops.tiling(each.op.type, [list(x.shape), [1, 10]], row, chip, {}).key)
    assert keys == ({0} if length <= 16 else {1, SPREAD} if length == 40_000 else {1}), keys


def test_rows_that_float32_cannot_number_are_refused(some_index_axis_ops: GeneratedOps) -> None:
    row, longest = ("float16", "int64"), 2**24
    assert some_index_axis_ops.tiling("ArgMaxOfChannels", [[1, longest, 3], [1, 3]], row, ODD, {}).key == SPREAD
    with pytest.raises(TilingRefusedError):
        some_index_axis_ops.tiling("ArgMaxOfChannels", [[1, longest + 1, 3], [1, 3]], row, ODD, {})


def test_inferred_shapes(some_index_axis_ops: GeneratedOps) -> None:
    assert some_index_axis_ops.infer_shape("ArgMaxOfChannels", [[2, 3, 7]]) == [[2, 7]]
    assert some_index_axis_ops.infer_shape("ArgMaxOfChannels", [[-1, 3, -1]]) == [[-1, -1]]


# What an author of such a kernel may get wrong: the file, and the right texts with the wrong ones.
KERNEL, MATH = "arg_max_of_channels_kernel.h", "opforge/row_math.h"
MISTAKES = {
    "numbers_begin_again_in_each_part": (KERNEL, {"static_cast<float>(origin.row)": "0.0f"}),
    "the_last_of_equal_ones": (KERNEL, {"Min>": "Max>", "16777216.0f, AscendC::SEL": "-1.0f, AscendC::SEL"}),
    "numbers_of_another_pitch": (KERNEL, {"numberedPitch != tile.pitch": "numberedPitch == 0"}),
    "nan_is_not_found": (KERNEL, {"CMPMODE::NE": "CMPMODE::LT"}),
    "all_that_is_not_larger": (KERNEL, {"CMPMODE::EQ": "CMPMODE::LE"}),
    "numbers_of_a_power_of_two_of_rows": (MATH, {"static_cast<int32_t>(done)": "static_cast<int32_t>(rows)"}),
    "the_number_of_the_column": (KERNEL, {"static_cast<float>(origin.row)": "static_cast<float>(origin.column)"}),
    "parts_of_other_rows": (KERNEL, {"Partial(slot, group * tiling->partCount)": "Partial(slot, 0)"}),
    "one_part_less": (MATH, {"part < copy.blockCount": "part + 1 < copy.blockCount"}),
}
FEW = 2  # each compiles a kernel


@pytest.mark.parametrize(
    "mistake", [*list(MISTAKES)[:FEW], *(pytest.param(each, marks=pytest.mark.slow) for each in list(MISTAKES)[FEW:])]
)
def test_mistakes_are_caught(some_index_axis_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    broken = some_index_axis_ops.with_mistake(tmp_path, *MISTAKES[mistake])
    each, row = BY_NAME["ArgMaxOfChannels"], ("float32", "int64")
    calls = [
        (inputs_of(each, row, sizes), chip)
        for sizes in ((2, 1, 5, 300), (1, 1, 200, 70), (1, 1, 40_000, 70))
        for chip in (SMALL, WHOLE)
    ]
    found = (broken.run(each.op.type, inputs, chip, {}, row) for inputs, chip in calls)
    assert any(not torch.equal(index, inputs[0].argmax(1)) for (index,), (inputs, _) in zip(found, calls, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_every_op(index_axis_ops: GeneratedOps, name: str) -> None:
    """Of every dtype, size and dimension."""
    each, chance = BY_NAME[name], random.Random(11)
    for dtype in ALL:
        row = row_of_op(each, dtype)
        for sizes in sizes_of(each):
            inputs = inputs_of(each, row, sizes)
            for attrs in dims_of(each, sizes):
                if has_elements(each, inputs, attrs):
                    check(index_axis_ops, each, row, inputs, attrs, chance.choice((SMALL, ODD, WHOLE)))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, each in BY_NAME.items() if each.op.outputs[0].name != "i"])
def test_gradients(index_axis_ops: GeneratedOps, name: str) -> None:
    """Those of autograd to the bit: the first of equal elements has the gradient."""
    chance = random.Random(13)
    for dtype in ALL:
        for sizes in sizes_of(BY_NAME[name]):
            for attrs in dims_of(BY_NAME[name], sizes):
                check_gradient(index_axis_ops, BY_NAME[name], dtype, sizes, attrs, chance.choice((SMALL, ODD, WHOLE)))


def check_gradient(  # noqa: PLR0917
    ops: GeneratedOps, each: IndexOp, dtype: str, sizes: Sequence[int], attrs: dict[str, float], chip: Chip
) -> None:
    gradient = ops.ops[f"{each.op.type}Grad"]
    inputs = inputs_of(each, row_of_op(each, dtype), sizes)
    whole = torch.broadcast_shapes(*(value.shape for value in inputs))
    if not has_elements(each, inputs, attrs):
        return
    wide = [value.float().expand(whole).clone().requires_grad_() for value in inputs]
    result = each.meaning(*wide, **attrs)[0]
    up = drawn(result.shape, dtype, 5).nan_to_num()
    grads = torch.autograd.grad(result, wide, up.float())
    axes = ops.graphs[each.op.type].axes.given(attrs, len(whole)).of(len(whole))
    kept = torch.Size(1 if i - len(whole) in axes else extent for i, extent in enumerate(whole))
    by_name = {tensor.name: value for tensor, value in zip(each.op.inputs, inputs, strict=True)}
    by_name[f"grad_{each.op.outputs[0].name}"] = up if up.shape == whole else up.reshape(kept)
    given = [by_name[tensor.name] for tensor in gradient.inputs]
    for found, golden in zip(ops.run(gradient.type, given, chip, attrs), grads, strict=True):
        torch.testing.assert_close(
            found, golden.to(found.dtype), rtol=0, atol=0, equal_nan=True,
            msg=lambda text: f"{gradient.type} {dtype} {sizes} {attrs} on {chip}\n{text}",
        )  # fmt: skip


@pytest.mark.slow
def test_a_row_has_the_same_bits_in_every_batch(index_axis_ops: GeneratedOps) -> None:
    """Whatever the other sizes, the split and the number of cores; by both kernels of an op."""
    each, keys = BY_NAME["MaxOver"], set()
    types = row_of_op(each, "float32")
    for length in (5, 65, 1009, 40_000):
        row = drawn((length,), "float32", length)
        golden = row.max(0)
        for shape, dim in (
            ((length,), 0),
            ((3, length), -1),
            ((length, 1), 0),
            ((length, 5), 0),
            ((2, length, 300), 1),
        ):
            spread = [-1 if i == dim % len(shape) else 1 for i in range(len(shape))]
            many = row.reshape(spread).expand(shape).contiguous()
            for chip in (SMALL, ODD, WHOLE):
                value, index = index_axis_ops.run(each.op.type, [many], chip, {"dim": dim}, types)
                assert bool((index == golden.indices).all()), (length, shape, dim, chip)
                torch.testing.assert_close(value, golden.values.expand(value.shape), rtol=0, atol=0, equal_nan=True)
                shapes = [list(shape), list(value.shape), list(value.shape)]
                keys.add(index_axis_ops.tiling(each.op.type, shapes, types, chip, {"dim": dim}).key)
    assert keys == {0, 1, SPREAD, 3, 4, SPREAD_ACROSS}
