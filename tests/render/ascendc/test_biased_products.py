"""Products to which the cube cores add a bias: no vector core follows, and in bfloat16 they widen it first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, GeneratedOps, ascendc_files, harness, program_of
from test_matmul_kernels import LITTLE_UB, SMALL, WHOLE, check, tensor

from opforge.spec.model import OpSpec, TensorSpec

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

CHUNK = 2048  # kChunk in bias_rows.h


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_tiles(biased_ops: GeneratedOps, dtype: str) -> None:
    """One row or column, a tile, one less, one more, primes, several tiles a core, a bias of several chunks."""
    for m, k, n in ((1, 1, 1), (127, 64, 257), (128, 16, 256), (129, 33, 255), (13, 1031, 17), (1, 5, 2 * CHUNK + 3)):
        check(biased_ops, "Linear", [[m, k], [n, k], [n]], dtype, WHOLE)
        check(biased_ops, "Linear", [[m, k], [n, k], None], dtype, WHOLE)
        check(biased_ops, "TwoBiases", [[k, m], [n, k], [n, k], [n], [n]], dtype, SMALL)
    check(biased_ops, "OneBiasTwice", [[2, 150, 40], [40, 1291], [40, 1291], [1291]], dtype, SMALL)
    check(biased_ops, "OneBiasTwice", [[300, 40], [40, 1291], [40, 1291], [1291]], dtype, WHOLE)


@pytest.mark.parametrize("dtype", ALL)
def test_rows_without_products_are_the_bias(biased_ops: GeneratedOps, dtype: str) -> None:
    for m, n in ((1, 1), (5, 7), (300, 301), (3, CHUNK - 1), (2, 2 * CHUNK + 1)):
        check(biased_ops, "Linear", [[m, 0], [n, 0], [n]], dtype, SMALL)
        check(biased_ops, "Linear", [[m, 0], [n, 0], None], dtype, SMALL)
        check(biased_ops, "TwoBiases", [[0, m], [n, 0], [n, 0], [n], [n]], dtype, WHOLE)
    for m, k, n in ((0, 5, 7), (5, 7, 0), (0, 0, 0)):
        check(biased_ops, "Linear", [[m, k], [n, k], [n]], dtype, WHOLE)


@pytest.mark.parametrize("dtype", ALL[:2])
def test_a_wide_result_of_narrow_operands(biased_ops: GeneratedOps, dtype: str) -> None:
    for k in (29, 0):
        check(biased_ops, "WideLinear", [[37, k], [k, 300], [300]], dtype, SMALL)


@pytest.mark.parametrize("dtype", ALL)
def test_a_row_does_not_depend_on_the_others(biased_ops: GeneratedOps, dtype: str) -> None:
    """The bits of a row are the same alone and among others, as for products without a bias."""
    inputs = [tensor([300, 777], dtype, 1), tensor([333, 777], dtype, 2), tensor([333], dtype, 3)]
    all_rows = biased_ops.run_products("Linear", inputs, WHOLE, {})[0]
    for first, last in ((0, 1), (17, 33), (100, 300)):
        some = biased_ops.run_products("Linear", [inputs[0][first:last], *inputs[1:]], WHOLE, {})[0]
        assert torch.equal(some, all_rows[first:last])


def test_only_bfloat16_needs_a_workspace(biased_ops: GeneratedOps) -> None:
    sizes = {
        dtype: biased_ops.tiling("Linear", [[64, 32], [1000, 32], [1000], [64, 1000]], [dtype] * 4, WHOLE, {})
        for dtype in ALL
    }
    blocks = sizes["bfloat16"].blocks
    assert sizes["float16"].workspace == sizes["float32"].workspace
    assert sizes["bfloat16"].workspace - sizes["float16"].workspace == blocks * 1024 * 4


MISTAKES = {
    "the bias of another tile": ("linear_kernel.h", "biasGmInCube[column]", "biasGmInCube[0]"),
    "no wait for the widened bias": ("linear_kernel.h", "AscendC::CrossCoreWaitFlag(bias_rows::kWidened);", ""),
    "a bias that is not given": (
        "linear_kernel.h",
        "if (tiling->biasGiven != 0) {\n            matmulObj",
        "{ matmulObj",
    ),
    "a part not widened": ("opforge/bias_rows.h", "+= AscendC::GetTaskRation() * kChunk", "+= 4 * kChunk"),
    "the slot of another block": ("opforge/bias_rows.h", "block /= AscendC::GetTaskRation();", ""),
    "the slot of another bias": ("opforge/bias_rows.h", "(block * count + number)", "(block * count)"),
    "rows at a wrong distance": ("opforge/bias_rows.h", "[row * columnCount + column]", "[row * kChunk + column]"),
}


def _check_some(ops: GeneratedOps) -> None:
    columns = 2 * CHUNK + 3
    check(ops, "Linear", [[3, 0], [columns, 0], [columns]], "bfloat16", SMALL)
    check(ops, "Linear", [[40, 16], [columns, 16], None], "bfloat16", SMALL)
    check(ops, "Linear", [[40, 16], [columns, 16], [columns]], "bfloat16", LITTLE_UB)
    check(ops, "TwoBiases", [[8, 40], [99, 8], [99, 8], [99], [99]], "bfloat16", SMALL)


def test_right_biases(biased_ops: GeneratedOps) -> None:
    _check_some(biased_ops)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_biases_are_seen(biased_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    file, right, wrong = MISTAKES[mistake]
    broken = biased_ops.with_mistake(tmp_path, file, {right: wrong}, once=True)
    with pytest.raises((AssertionError, harness.LaunchError)):
        _check_some(broken)


def _multiplied(compute: str, bias: tuple[str, ...] = ("N",), **changes: object) -> OpSpec:
    inputs = (TensorSpec("a", ALL, ("M", "K")), TensorSpec("b", ALL, ("K", "N")), TensorSpec("p", ALL, bias))
    return replace(OpSpec("Multiplied", inputs, (), (TensorSpec("y", ALL, ("M", "N")),), compute), **changes)


@pytest.mark.parametrize(
    ("op", "socs", "alone"),
    [
        (_multiplied("y = a @ b + p"), ("ascend910b",), True),
        (_multiplied("y = p + a @ b"), ("ascend910b", "ascend910_93"), True),
        (_multiplied("y = a @ b - p"), ("ascend910b",), False),
        (_multiplied("y = a @ b + p * 2"), ("ascend910b",), False),
        (_multiplied("y = relu(a @ b + p)"), ("ascend910b",), False),
        (_multiplied("y = a @ b + p", ("M", "N")), ("ascend910b",), False),
        (_multiplied("y = a @ b + p", batch_invariant=False), ("ascend910b",), False),
    ],
)
def test_only_a_bias_stays_on_the_cube_cores(op: OpSpec, socs: tuple[str, ...], alone: bool) -> None:
    kernel = {str(f.path): f.text for f in ascendc_files(program_of((op,), socs))}["op_kernel/multiplied_kernel.h"]
    assert ("SetBias" in kernel) == alone
    assert ("ASCENDC_CUBE_ONLY" in kernel) == alone
