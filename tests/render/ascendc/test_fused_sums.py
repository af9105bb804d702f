"""Kernels whose cores share the sums of products that an epilogue uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from generated_ops import ALL, GeneratedOps, harness
from test_matmul_kernels import check, swiglu
from test_shared_sums import LINE, PARTS, WHOLE

pytestmark = [pytest.mark.compiler, pytest.mark.torch]


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_tiles_and_parts(fused_sum_ops: GeneratedOps, dtype: str) -> None:
    """One row or column, a tile, one less, one more, primes; K that the parts do not divide, short, and none."""
    inner = 16 * LINE[dtype]
    for m, k, n in (
        (1, inner, 129), (16, inner - 1, 64), (17, inner + 1, 31), (127, inner, 257), (5, 4099, 127), (13, 7919, 128),
        (3, 1, 7), (5, 0, 33), (0, 4096, 7), (5, 5000, 0),
    ):  # fmt: skip
        check(fused_sum_ops, "SharedSwiGLU", swiglu([m], k, n), dtype, WHOLE)
    shapes = swiglu([5], 4099, 127)
    tiling = fused_sum_ops.tiling("SharedSwiGLU", [*shapes, [5, 127]], [dtype] * 4, WHOLE, {})
    assert tiling.key == PARTS
    assert tiling.together


def test_every_kind_of_operand(fused_sum_ops: GeneratedOps) -> None:
    """Transposed operands, two left ones, two results, a residual, an optional row, a bias, a number of the host."""
    for m, k, n in ((7, 5003, 3), (29, 8192, 131)):
        shapes = [[k, m], [k, n], [k, m], [m, n]]
        check(fused_sum_ops, "SharedEverything", [*shapes, [n]], "float32", WHOLE, {"alpha": -0.75})
        check(fused_sum_ops, "SharedEverything", [*shapes, None], "float32", WHOLE)
        check(fused_sum_ops, "SharedLinear", [[m, k], [n, k], [n]], "bfloat16", WHOLE)


MISTAKES = {
    "a part left out": ("opforge/summed_queue.h", "part = 1; part", "part = 2; part"),
    "parts that overlap": ("opforge/summed_queue.h", "part * partDistance", "part"),
    "no wait for its own cube core": ("opforge/product_parts.h", "    AscendC::CrossCoreWaitFlag(kMultiplied);\n", ""),
    "no wait for the others": ("opforge/product_parts.h", "    AscendC::SyncAll();\n", ""),
    "one product over the other": ("opforge/product_parts.h", "product * tiling.partCount + part", "part"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_sums_are_seen(fused_sum_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    file, right, wrong = MISTAKES[mistake]
    broken = fused_sum_ops.with_mistake(tmp_path, file, {right: wrong}, once=True)
    with pytest.raises((AssertionError, harness.LaunchError)):
        check(broken, "SharedSwiGLU", swiglu([16], 5003, 64), "float32", WHOLE)
