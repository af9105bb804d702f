"""Kernels whose cores share the sums of products that an epilogue uses."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from generated_ops import ALL, Chip, GeneratedOps, harness
from test_matmul_kernels import SMALL, check, swiglu, tensor
from test_shared_sums import LINE, PARTS, WHOLE

pytestmark = [pytest.mark.compiler, pytest.mark.torch]


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_tiles_and_parts(fused_sum_ops: GeneratedOps, dtype: str) -> None:
    """One row or column, a tile, one less, one more, primes; K that the parts do not divide, short, and none."""
    inner = 16 * LINE[dtype]
    for m, k, n in (
        (1, inner, 129), (16, inner - 1, 64), (17, inner + 1, 31), (127, inner, 257), (3, 1, 7), (5, 0, 33),
        (0, 4096, 7), (5, 5000, 0),
    ):  # fmt: skip
        check(fused_sum_ops, "SharedSwiGLU", swiglu([m], k, n), dtype, WHOLE)
    for m, k, n in ((5, 4099, 127), (13, 7919, 128), (16, 16384, 64)):
        check(fused_sum_ops, "SharedMatmulLeakyRelu", [[m, k], [k, n], [n]], dtype, WHOLE, {"negative_slope": 0.3})
    shapes = swiglu([5], 4099, 127)
    tiling = fused_sum_ops.tiling("SharedSwiGLU", [*shapes, [5, 127]], [dtype] * 4, WHOLE, {})
    assert tiling.key == PARTS
    assert tiling.together


def test_other_operands(fused_sum_ops: GeneratedOps) -> None:
    """A transposed weight with a bias and without; a transposed left operand with a residual."""
    for m, k, n in ((7, 5003, 3), (29, 8192, 131)):
        check(fused_sum_ops, "SharedLinear", [[m, k], [n, k], [n]], "bfloat16", WHOLE)
        check(fused_sum_ops, "SharedLinear", [[m, k], [n, k], None], "bfloat16", WHOLE)
        check(fused_sum_ops, "SharedResidual", [[k, m], [k, n], [m, n]], "float32", WHOLE)


def test_little_room(fused_sum_ops: GeneratedOps) -> None:
    """Few cubes, and buffers that hold few rows."""
    for chip in (Chip(4, 72 * 1024), Chip(6, 20 * 1024)):
        check(fused_sum_ops, "SharedMatmulLeakyRelu", [[37, 8192], [8192, 64], [64]], "float16", chip)


def test_tall_tiles(fused_sum_ops: GeneratedOps) -> None:
    """A weight along K has tiles of more than 128 rows, of which the epilogue takes some at once."""
    for chip in (SMALL, Chip(6, 20 * 1024)):
        check(fused_sum_ops, "SharedLinear", [[1009, 1031], [131, 1031], [131]], "float16", chip)


def test_the_same_shapes_give_the_same_bits(fused_sum_ops: GeneratedOps) -> None:
    inputs = [tensor([29, 5003], "float32", 1), tensor([5003, 70], "float32", 2), tensor([70], "float32", 3)]
    runs = [
        fused_sum_ops.run_products("SharedMatmulLeakyRelu", inputs, WHOLE, {"negative_slope": 0.1})[0] for _ in "12"
    ]
    assert torch.equal(*runs)


@pytest.mark.slow
def test_shared_sums_are_not_less_precise(fused_sum_ops: GeneratedOps, matmul_ops: GeneratedOps) -> None:
    inputs = [tensor([16, 16384], "float32", 1), tensor([16384, 64], "float32", 2), tensor([16384, 64], "float32", 3)]
    gate, up = (inputs[0].double() @ each.double() for each in inputs[1:])
    wanted = torch.nn.functional.silu(gate) * up
    errors = [
        (ops.run_products(name, inputs, WHOLE, {})[0].double() - wanted).square().mean()
        for ops, name in ((fused_sum_ops, "SharedSwiGLU"), (matmul_ops, "SwiGLU"))
    ]
    assert errors[0] <= errors[1]


MISTAKES = {
    "a part left out": ("opforge/summed_queue.h", "part = 1; part", "part = 2; part"),
    "parts that overlap": ("opforge/summed_queue.h", "part * partDistance", "part"),
    "no wait for its own cube core": ("opforge/product_parts.h", "    AscendC::CrossCoreWaitFlag(kMultiplied);\n", ""),
    "no wait for the others": ("opforge/product_parts.h", "    AscendC::SyncAll();\n", ""),
    "one product over the other": ("opforge/product_parts.h", "product * tiling.partCount + part", "part"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_sums_are_seen(fused_sum_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    file, right, wrong = MISTAKES[mistake]
    broken = fused_sum_ops.with_mistake(tmp_path, file, {right: wrong}, once=True)
    with pytest.raises((AssertionError, harness.LaunchError)):
        check(broken, "SharedSwiGLU", swiglu([16], 5003, 64), "float32", WHOLE)
