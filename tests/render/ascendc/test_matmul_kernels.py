"""Generated kernels with products compute what torch computes: odd sizes, every dtype, every kind of operand."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
import torch
from generated_ops import ALL, Chip, GeneratedOps

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
SMALL = Chip(2)  # one cube core, two vector cores: each has many tiles
LITTLE_UB = Chip(6, 20 * 1024)
# Beside the rounding of results: float32 sums of so many products in another order, and exp of the vector unit.
RELATIVE = {"float32": 2e-5, "float16": 2**-10, "bfloat16": 2**-7}


def tensor(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Small numbers of either sign: sums of many products stay small. Random truth values."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.randint(0, 2, tuple(shape), generator=generator) == 1
    return (torch.rand(tuple(shape), generator=generator) - 0.5).to(getattr(torch, dtype))


def check(  # noqa: PLR0917 - they read in the order of the call
    ops: GeneratedOps,
    name: str,
    shapes: Sequence[Sequence[int] | None],
    dtype: str,
    chip: Chip,
    attrs: Mapping[str, float] | None = None,
) -> None:
    """Runs the op on random inputs of these shapes, None for one not given, and compares with the graph's meaning."""
    op = ops.ops[name]
    row = next(row for row in combinations(op) if row[0] == dtype)
    inputs = [
        None if shape is None else tensor(shape, d, seed)
        for seed, (shape, d) in enumerate(zip(shapes, row, strict=False))
    ]
    values = {a.name: float(a.default or 0) for a in op.attrs} | dict(attrs or {})
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True) if i is not None}
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    wanted = evaluate(ops.graphs[name], given, values, dtypes)
    for output, result in zip(op.outputs, ops.run_products(name, inputs, chip, values), strict=True):
        torch.testing.assert_close(
            result, wanted[output.name], rtol=RELATIVE[dtype], atol=RELATIVE[dtype],
            msg=lambda text, output=output: f"{name}.{output.name} {shapes} {dtype} on {chip}\n{text}",
        )  # fmt: skip


def swiglu(m: Sequence[int], k: int, n: int) -> list[list[int]]:
    return [[*m, k], [k, n], [k, n]]


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_a_tile(matmul_ops: GeneratedOps, dtype: str) -> None:
    """One tile, a tile and a bit, primes; with 2 and 48 vector cores tiles differ."""
    for m, n in itertools.product((1, 2, 15, 17, 127, 129), (1, 3, 16, 31, 257)):
        check(matmul_ops, "SwiGLU", swiglu([m], 19, n), dtype, SMALL)
    for m, k, n in ((128, 64, 256), (129, 1, 257), (255, 67, 511), (13, 1031, 17), (1, 5, 4099), (1009, 3, 5)):
        check(matmul_ops, "SwiGLU", swiglu([m], k, n), dtype, WHOLE)


def test_leading_dimensions_are_rows(matmul_ops: GeneratedOps) -> None:
    for leading in ([], [1], [2, 3], [2, 1, 3, 5]):
        check(matmul_ops, "SwiGLU", swiglu(leading, 7, 33), "float32", SMALL)


def test_many_tiles_reuse_both_slots(matmul_ops: GeneratedOps) -> None:
    """Every vector core goes through its two slots several times, with ragged last tiles."""
    check(matmul_ops, "SwiGLU", swiglu([517], 40, 1291), "float16", SMALL)
    check(matmul_ops, "SwiGLU", swiglu([300], 33, 2000), "bfloat16", LITTLE_UB)


def test_few_tiles_leave_vector_cores_without_work(matmul_ops: GeneratedOps) -> None:
    for m, n in ((16, 16), (16, 48), (16, 16 * 25), (48, 256)):
        check(matmul_ops, "SwiGLU", swiglu([m], 32, n), "float16", WHOLE)


@pytest.mark.parametrize("dtype", ALL)
def test_nothing_to_multiply(matmul_ops: GeneratedOps, dtype: str) -> None:
    """No inner dimension gives zero products; no rows or columns give no results."""
    for m, k, n in ((5, 0, 7), (300, 0, 300), (0, 5, 7), (5, 7, 0), (0, 0, 0)):
        check(matmul_ops, "SwiGLU", swiglu([m], k, n), dtype, SMALL)
        check(matmul_ops, "Linear", [[m, k], [n, k], [n]], dtype, SMALL)


@pytest.mark.parametrize("dtype", ALL)
def test_optional_bias_and_transposed_weight(matmul_ops: GeneratedOps, dtype: str) -> None:
    for m, k, n in ((1, 1, 1), (17, 31, 13), (131, 64, 300)):
        check(matmul_ops, "Linear", [[m, k], [n, k], [n]], dtype, SMALL)
        check(matmul_ops, "Linear", [[m, k], [n, k], None], dtype, SMALL)
    check(matmul_ops, "Linear", [[1009, 17], [131, 17], [131]], dtype, SMALL)  # tiles of more than 128 rows


@pytest.mark.parametrize("dtype", ALL)
def test_every_kind_of_operand(matmul_ops: GeneratedOps, dtype: str) -> None:
    """A transposed left operand, two left operands, two results, a residual, an optional row, a number of the host."""
    for m, k, n in ((7, 5, 3), (130, 17, 259)):
        shapes = [[k, m], [k, n], [k, m], [m, n]]
        check(matmul_ops, "Everything", [*shapes, [n]], dtype, SMALL, {"alpha": -0.75})
        check(matmul_ops, "Everything", [*shapes, None], dtype, LITTLE_UB)


def test_attribute_and_row_vector(matmul_ops: GeneratedOps) -> None:
    check(matmul_ops, "MatmulLeakyRelu", [[33, 20], [20, 47], [47]], "float32", SMALL, {"negative_slope": 0.3})


@pytest.mark.parametrize("dtype", ALL)
def test_truth_values_and_functions(matmul_ops: GeneratedOps, dtype: str) -> None:
    for m, k, n in ((1, 1, 1), (17, 31, 13), (131, 64, 301)):
        for chip in (SMALL, LITTLE_UB):
            check(matmul_ops, "Gated", [[m, k], [k, n], [m, n]], dtype, chip)
    check(matmul_ops, "Gated", [[5, 0], [0, 7], [5, 7]], dtype, SMALL)


@pytest.mark.parametrize("dtype", ALL)
def test_products_and_nothing_else(matmul_ops: GeneratedOps, dtype: str) -> None:
    """The cube cores write the results themselves: one tile, a tile and a bit, primes, several tiles a core."""
    for m, k, n in ((1, 1, 1), (3 * 37, 29, 300), (127, 64, 256), (129, 1, 257), (1, 5, 4099), (1009, 3, 5)):
        check(matmul_ops, "PlainMatmul", [[m, k], [k, n]], dtype, WHOLE)
        check(matmul_ops, "PlainMatmul", [[m, k], [k, n]], dtype, SMALL)
        check(matmul_ops, "TwoProducts", [[k, m], [n, k], [n, k]], dtype, SMALL)
    for m, k, n in ((5, 0, 7), (300, 0, 301), (0, 5, 7), (5, 7, 0), (0, 0, 0), (2, 0, 1)):
        check(matmul_ops, "PlainMatmul", [[m, k], [k, n]], dtype, WHOLE)
        check(matmul_ops, "TwoProducts", [[k, m], [n, k], [n, k]], dtype, SMALL)


def test_a_wide_result_of_narrow_operands(matmul_ops: GeneratedOps) -> None:
    check(matmul_ops, "WideProduct", [[37, 29], [29, 300]], "float16", SMALL)


def test_inner_axes_beyond_65535(matmul_ops: GeneratedOps) -> None:
    """Rows of a matrix that lie further apart than one load instruction can say."""
    check(matmul_ops, "SwiGLU", swiglu([3], 2, 65537), "float16", WHOLE)
    check(matmul_ops, "Linear", [[2, 65536], [3, 65536], [3]], "float16", SMALL)
    check(matmul_ops, "Everything", [[2, 65539], [2, 5], [2, 65539], [65539, 5], [5]], "float16", WHOLE)


def test_the_size_that_the_speed_is_said_for(matmul_ops: GeneratedOps) -> None:
    """x [4, 512, 1024] with 4096 columns in float16, in a smaller copy: all cores, several tiles each."""
    check(matmul_ops, "SwiGLU", swiglu([2, 256], 64, 1024), "float16", WHOLE)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 33))])
def test_any_legal_tiling_of_the_library(matmul_ops: GeneratedOps, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The kernels take what the library chooses for what they do not fix: order, steps, depths, baseK, L0."""
    monkeypatch.setenv("OPFORGE_SIM_TILING", f"legal:{seed}")
    for dtype in ALL:
        check(matmul_ops, "SwiGLU", swiglu([129], 67, 257), dtype, SMALL)
        check(matmul_ops, "Linear", [[131, 300], [64, 300], [64]], dtype, SMALL)
        check(matmul_ops, "Everything", [[97, 70], [97, 59], [97, 70], [70, 59], [59]], dtype, WHOLE)
    check(matmul_ops, "MatmulLeakyRelu", [[33, 20], [20, 47], [47]], "float32", SMALL, {"negative_slope": 0.3})
    for dtype in ALL:
        check(matmul_ops, "PlainMatmul", [[111, 29], [29, 300]], dtype, SMALL)
