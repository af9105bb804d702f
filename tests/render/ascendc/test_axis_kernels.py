"""Kernels that reduce other dimensions than the last one alone compute what the graph means."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
import torch
from generated_ops import ROW_CHIPS, Chip, GeneratedOps
from row_ops import AXES

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
# The extents of B, M, N and H; B and M are also those of "...". Rows in tiles and in parts, along and across tiles; one
# element, none, primes, more columns than a tile has, more rows than a tile has.
SIZES = (
    (3, 2, 5, 7),
    (1, 1, 1, 1),
    (2, 3, 64, 130),
    (7, 2, 300, 3),
    (3, 1, 2, 1500),
    (40, 1, 17, 257),
    (2, 2, 1009, 33),
    (0, 1, 3, 5),
    (2, 2, 0, 5),
    (2, 2, 3, 0),
)


def drawn(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(tuple(shape), generator=generator) + 0.25).to(getattr(torch, dtype))


def inputs_of(ops: GeneratedOps, name: str, row: tuple[str, ...], sizes: Mapping[str, int]) -> list[torch.Tensor]:
    made = []
    for seed, (spec, dtype) in enumerate(zip(ops.ops[name].inputs, row, strict=False)):
        leading = (sizes["B"], sizes["M"]) if "..." in spec.dims else ()
        named = (int(dim) if dim.isdigit() else sizes[dim] for dim in spec.dims if dim != "...")
        made.append(drawn((*leading, *named), dtype, seed))
    return made


def check(ops: GeneratedOps, name: str, row: tuple[str, ...], extents: Sequence[int], chip: Chip) -> None:
    op = ops.ops[name]
    inputs = inputs_of(ops, name, row, dict(zip("BMNH", extents, strict=True)))
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    try:
        wanted = evaluate(ops.graphs[name], {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}, {}, dtypes)
    except (IndexError, RuntimeError):
        assert not all(extents)  # torch has no largest element of none
        return
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, {}, row), strict=True):
        golden = wanted[output.name]
        scale = max(1.0, float(golden.nan_to_num().abs().max())) if golden.numel() else 1.0
        torch.testing.assert_close(
            result, golden, rtol=RELATIVE[result.dtype], atol=RELATIVE[result.dtype] * scale, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {row[0]} {extents} on {chip}\n{text}",
        )  # fmt: skip


@pytest.mark.parametrize("extents", SIZES, ids=str)
@pytest.mark.parametrize("name", ["Moments", "SoftmaxAcross"])
def test_a_sample(some_axis_ops: GeneratedOps, name: str, extents: Sequence[int]) -> None:
    check(some_axis_ops, name, combinations(some_axis_ops.ops[name])[0], extents, ROW_CHIPS[0])


@pytest.mark.slow
@pytest.mark.parametrize("op", AXES, ids=lambda op: op.type)
def test_every_op(axis_ops: GeneratedOps, op: object) -> None:
    """And its gradient, in each dtype."""
    chance = random.Random(11)
    for name in (op.type, f"{op.type}Grad"):  # type: ignore[attr-defined]
        for row in combinations(axis_ops.ops[name]):
            for extents in SIZES:
                check(axis_ops, name, row, extents, chance.choice(ROW_CHIPS))


@pytest.mark.slow
def test_a_row_has_the_same_bits_in_every_batch(axis_ops: GeneratedOps) -> None:
    """Across tiles, whatever the number of columns, of planes and of cores; along them as well."""
    for name, batch in (("SoftmaxAcross", (0, -1)), ("NormAcross", (0, -1)), ("LastTwo", (0,)), ("BatchNorm", (-2,))):
        row = combinations(axis_ops.ops[name])[2]
        for length in (5, 20, 1009):
            sizes = {"B": 9, "M": 2, "N": 7 if name == "BatchNorm" else length, "H": 300}
            many = inputs_of(axis_ops, name, row, sizes)
            whole = axis_ops.run(name, many, ROW_CHIPS[1], {}, row)
            for axis in batch:
                extent = whole[0].shape[axis]
                few = [part(value, axis, extent) for value in many]
                for chip in ROW_CHIPS:
                    for found, all_rows in zip(axis_ops.run(name, few, chip, {}, row), whole, strict=True):
                        assert torch.equal(found, part(all_rows, axis, extent)), (name, length, axis)


def part(value: torch.Tensor, axis: int, extent: int) -> torch.Tensor:
    """Elements 3 and 4 of a dimension, where the tensor has it whole."""
    has = -value.dim() <= axis < value.dim() and value.shape[axis] == extent
    return value.narrow(axis, 3, 2).clone() if has else value
