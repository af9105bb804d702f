"""Generated kernels with rows of products compute what torch computes: odd sizes, every dtype, all operands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, PRODUCT_ROW_CHIPS, Chip, GeneratedOps
from test_matmul_kernels import check, tensor

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

# One with the fast tests, the others with the slow ones.
DTYPES = pytest.mark.parametrize("dtype", [ALL[0], *(pytest.param(dtype, marks=pytest.mark.slow) for dtype in ALL[1:])])

WHOLE = Chip(48)
SMALL = Chip(2)  # one cube core, two vector cores: each has many tiles
(LITTLE_UB,) = PRODUCT_ROW_CHIPS  # rows of thousands are read in parts


def norm(m: Sequence[int], k: int, n: int) -> list[list[int]]:
    return [[*m, k], [k, n], [n]]


@DTYPES
def test_sizes_around_a_tile(product_row_ops: GeneratedOps, dtype: str) -> None:
    """Fewer rows than cores and more; one tile of a product, a tile and a bit, primes."""
    for m, n in itertools.product((1, 2, 15, 17, 129), (1, 3, 16, 31, 257)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], 19, n), dtype, SMALL)
    for m, k, n in ((128, 64, 256), (129, 1, 257), (13, 1031, 17), (1, 5, 4099), (1009, 3, 5)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], k, n), dtype, WHOLE)


@DTYPES
def test_rows_in_parts(product_row_ops: GeneratedOps, dtype: str) -> None:
    """Rows longer than a tile, which stay in UB or are read again."""
    for m, k, n in ((1, 3, 2500), (7, 16, 3001), (3, 5, 20011)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], k, n), dtype, LITTLE_UB)
        check(product_row_ops, "MatmulSoftmax", [[m, k], [k, n]], dtype, LITTLE_UB, {"scale": 2.0})


@DTYPES
def test_nothing_to_multiply(product_row_ops: GeneratedOps, dtype: str) -> None:
    """No inner dimension gives rows of zeros; no rows or columns give no results, or those of empty rows."""
    for m, k, n in ((5, 0, 7), (300, 0, 300), (3, 0, 20011), (0, 5, 7), (5, 7, 0), (0, 0, 0)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], k, n), dtype, LITTLE_UB)
        check(product_row_ops, "MatmulLayerNorm", [[m, k], [n, k], [m, n], [n], [n]], dtype, SMALL)


@DTYPES
def test_every_kind_of_operand(product_row_ops: GeneratedOps, dtype: str) -> None:
    for m, k, n in ((1, 1, 1), (17, 31, 13), (131, 64, 300), (4, 9, 3001)):
        for chip in (SMALL, LITTLE_UB):
            check(product_row_ops, "MatmulLayerNorm", [[m, k], [n, k], [m, n], [n], [n]], dtype, chip)
            check(product_row_ops, "GatedNorm", [[m, k], [k, n], [k, n], [n]], dtype, chip)
            check(product_row_ops, "MatmulLogSumExp", [[k, m], [k, n]], dtype, chip)
    check(product_row_ops, "GatedNorm", [[7, 5], [5, 33], [5, 33], None], dtype, SMALL)


def test_leading_dimensions_are_rows(product_row_ops: GeneratedOps) -> None:
    for leading in ([], [1], [2, 3], [2, 1, 3, 5], [2, 0, 3]):
        check(product_row_ops, "GatedNorm", [[*leading, 7], [7, 33], [7, 33], [33]], "float32", SMALL)


@DTYPES
def test_a_row_has_the_same_bits_in_every_batch(product_row_ops: GeneratedOps, dtype: str) -> None:
    """Alone, and among 7 and 300 rows, which other cores and other tiles of the products compute.

    The simulated cube core sums the terms of a product in order, however CANN's tiling cuts them.
    """
    x, w, gamma = tensor([300, 67], dtype, 1), tensor([67, 1031], dtype, 2), tensor([1031], dtype, 3)
    for chip in (WHOLE, LITTLE_UB):
        alone, few, many = (
            product_row_ops.run_products("MatmulRMSNorm", [x[:rows], w, gamma], chip, {})[0] for rows in (1, 7, 300)
        )
        assert torch.equal(alone[0], few[0])
        assert torch.equal(few, many[:7])


@pytest.mark.slow
@pytest.mark.parametrize("n", [4096, 11008])
def test_rows_as_long_as_in_models(product_row_ops: GeneratedOps, n: int) -> None:
    for dtype in ("float16", "bfloat16"):
        check(product_row_ops, "MatmulRMSNorm", norm([130], 64, n), dtype, WHOLE)
        check(product_row_ops, "MatmulSoftmax", [[130, 64], [64, n]], dtype, WHOLE)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 17))])
def test_any_legal_tiling_of_the_library(
    product_row_ops: GeneratedOps, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The kernels take what the library chooses for what they do not fix: order, steps, depths, baseK, L0."""
    monkeypatch.setenv("OPFORGE_SIM_TILING", f"legal:{seed}")
    for dtype in ALL:
        check(product_row_ops, "MatmulRMSNorm", norm([129], 67, 257), dtype, SMALL)
        check(product_row_ops, "MatmulLogSumExp", [[70, 131], [70, 301]], dtype, WHOLE)


def test_all_cores_start_at_once(product_row_ops: GeneratedOps, matmul_ops: GeneratedOps) -> None:
    """Where cores wait for each other, CANN must not start some of them while others are taken."""
    for name in ("matmul_rms_norm", "gated_norm"):
        assert "context->SetScheduleMode(1);" in (product_row_ops.folder / "op_host" / f"{name}.cpp").read_text()
    assert "SetScheduleMode" not in (matmul_ops.folder / "op_host" / "swi_glu.cpp").read_text()


MISTAKES = {
    "no SyncAll": ("AscendC::SyncAll();", ""),
    "no wait for the last tile": ("matmulObj.WaitIterateAll();", ""),
    "tiles without gaps": ("0, false,", "0, true,"),  # they overwrite each other
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_products_is_found(product_row_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    """The simulated device reports accesses without order, even if the values happen to be right."""
    right, wrong = MISTAKES[mistake]
    ops = product_row_ops.with_mistake(tmp_path, "opforge/whole_products.h", {right: wrong})
    with pytest.raises(Exception, match=r"bytes at offset \d+ of workspace that block \d+, A"):
        check(ops, "MatmulRMSNorm", norm([300], 19, 513), "float32", WHOLE)
