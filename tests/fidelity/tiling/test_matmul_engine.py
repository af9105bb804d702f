"""What CANN's library answers, the simulated Matmul object takes: every measured tiling, and small products of them.

A tiling that Init refuses though the public library gives it is a mistake of the simulator.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1]))

from engine_kernel import Row, compiled, launch, measured, numbers
from harness import Kernel

pytestmark = [pytest.mark.compiler, pytest.mark.slow]

MOST_PRODUCTS = 1 << 25


def is_computed(row: Row) -> bool:
    """A small product of matrices in global memory, in rows and columns that they have, without scales."""
    m, n, k = row.shape
    a, b, c = (row.asked[name] for name in "abc")
    _, whole_m, whole_n, ka, kb = row.tiling[:5]
    scaled = c[2] == "i8" or (a[2] == "i8" and c[2] != "i32")
    return (
        m * n * k <= MOST_PRODUCTS
        and row.kind != "batches"
        and a[:2] == b[:2] == c[:2] == ["gm", "nd"]
        and not scaled
        and m <= whole_m
        and n <= whole_n
        and k <= min(ka, kb)
    )


def check_product(kernel: Kernel, key: int, row: Row) -> None:
    """Row by row against NumPy in float64."""
    m, n, k = row.shape
    _, whole_m, whole_n, ka, kb = row.tiling[:5]
    a, b, c, bias = (words.split(",") for words in row.types)
    memory_a, left = numbers(a[2], *((ka, whole_m) if row.across[0] else (whole_m, ka)))
    memory_b, right = numbers(b[2], *((whole_n, kb) if row.across[1] else (kb, whole_n)))
    memory_bias, added = numbers(bias[2], whole_n)
    left, right = left.T if row.across[0] else left, right.T if row.across[1] else right
    z = np.zeros((whole_m, whole_n), {"i32": np.int32, "f16": np.float16, "bf16": np.uint16}.get(c[2], np.float32))
    launch(kernel, key, row, [memory_a, memory_b, memory_bias], z, compute=True)
    expected = left[:m, :k] @ right[:k, :n] + (added[:n] if row.tiling[15] else 0)
    found = (z.astype(np.uint32) << 16).view(np.float32) if c[2] == "bf16" else z
    near = {"f16": 2e-3, "bf16": 1e-2}.get(c[2], 1e-4)
    np.testing.assert_allclose(found[:m, :n].astype(np.float64), expected, rtol=near, atol=near * 8)
    assert not z[m:].any(), "written below the product"
    assert not z[:, n:].any(), "written beside the product"


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend310P3"])
def test_the_object_takes_every_tiling_of_the_public_library(toolkit_root: Path, tmp_path: Path, soc: str) -> None:
    table = measured(coupled="310P" in soc)
    types = sorted({row.types for row in table})
    kernel = compiled(toolkit_root, tmp_path, types, soc)
    nothing = np.zeros(64, np.int8)
    computed = 0
    for row in table:
        for mdl in (0, 1):
            key = 2 * types.index(row.types) + mdl
            launch(kernel, key, row, [nothing, nothing, nothing], nothing.copy(), compute=False)
            if "310P" not in soc and is_computed(row):
                check_product(kernel, key, row)
                computed += 1
    assert len(table) > (20 if "310P" in soc else 600)
    assert "310P" in soc or computed > 200
