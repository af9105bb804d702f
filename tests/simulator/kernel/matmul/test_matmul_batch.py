"""Products in batches: the layouts of heads, batches of batches, and where the results go."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cube_tiling import CubeTiling
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE, Float64

SOURCE = SOURCES / "matmul_batch.cpp"
PAGE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
BSNGD, SBNGD, NEITHER, MIXED, IN_UB, MANY, MANY_ASYNC, FULL, LARGE, CUBE, NO_ROOM = range(1, 12)

Axes = tuple[int, int, int, int, int]  # B, S, N, G, D


@pytest.fixture(scope="session")
def batches(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root,
        SOURCE,
        "matmul_batch",
        {"a": "float16", "b": "float16", "bias": "float32"},
        {"z": "float32"},
        tmp_path_factory.mktemp("matmul_batch"),
        include_dirs=[HOST_HEADERS],
    )


def halves(*shape: int) -> Array:
    return np.random.default_rng([3, *shape]).uniform(-1, 1, shape).astype(np.float16)


def tiled(m: int, n: int, k: int, *, bias: bool = False) -> CubeTiling:
    return CubeTiling(1, m, n, k, k, m, n, k, 16, 16, 16, isBias=int(bias))


def launch(
    kernel: Kernel,
    key: int,
    tiling: CubeTiling,
    operands: Sequence[Array],
    z: Array,
    *,
    axes: tuple[Axes, Axes, Axes] = ((0,) * 5,) * 3,  # type: ignore[assignment]
    numbers: tuple[int, int],
    loops: int = 1,
    sequential: bool = False,
) -> Array:
    nothing = np.zeros(1, np.float32)
    packed = bytearray(tiling.packed())
    packed[33 * 4 : 48 * 4] = struct.pack("<15i", *(length for side in axes for length in side))
    run(
        kernel,
        [*operands, nothing][:3],
        [z],
        tiling=bytes(packed) + struct.pack("<4I", *numbers, loops, sequential),
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE + 4 * z.size,
    )
    return z


def planes(heads: Array, layout: int) -> Array:
    """[B, N, G, S, D] as a layout has it."""
    order = {BSNGD: (0, 3, 1, 2, 4), SBNGD: (3, 0, 1, 2, 4)}.get(layout, (0, 1, 2, 3, 4))
    return np.ascontiguousarray(heads.transpose(order))


def products(a: Array, b: Array, bias: Array | None = None) -> Float64:
    """[..., S, D] @ [..., S, D].T of each head; one of A or B serves all of G."""
    result = a.astype(np.float64) @ np.swapaxes(b.astype(np.float64), -1, -2)
    return result if bias is None else result + bias[..., None, :]


LAYOUTS = {BSNGD: (BSNGD, BSNGD), SBNGD: (SBNGD, SBNGD), NEITHER: (NEITHER, BSNGD), MIXED: (BSNGD, NEITHER)}


@pytest.mark.parametrize("groups", [(3, 3), (1, 3), (4, 1), (1, 1)])
@pytest.mark.parametrize("key", LAYOUTS)
def test_heads(batches: Kernel, key: int, groups: tuple[int, int]) -> None:
    ins, out = LAYOUTS[key]
    m, n, k, most = 17, 31, 13, max(groups)
    a, b = halves(1, 1, groups[0], m, k), halves(1, 1, groups[1], n, k)
    bias = np.random.default_rng(5).uniform(-1, 1, (1, 1, most, n)).astype(np.float32)
    axes = ((1, m, 1, groups[0], k), (1, n, 1, groups[1], k), (1, m, 1, most, n))
    z = launch(batches, key, tiled(m, n, k, bias=True), (planes(a, ins), planes(b, ins), bias),
               aligned(most * m * n, np.float32), axes=axes, numbers=groups)  # fmt: skip
    expected = planes(products(a, b, bias), out)
    np.testing.assert_allclose(z.reshape(expected.shape), expected, rtol=1e-5, atol=1e-5)


def test_heads_of_several_lines(batches: Kernel) -> None:
    """B and N above 1: a batch of SBNGD goes over all of B, N and G, one of BSNGD over N and G of one B."""
    m, n, k = 16, 8, 32
    a, b = halves(2, 3, 2, m, k), halves(2, 3, 2, n, k)
    axes = ((2, m, 3, 2, k), (2, n, 3, 2, k), (2, m, 3, 2, n))
    z = launch(batches, SBNGD, tiled(m, n, k), (planes(a, SBNGD), planes(b, SBNGD)), aligned(12 * m * n, np.float32),
               axes=axes, numbers=(12, 12))  # fmt: skip
    expected = planes(products(a, b), SBNGD)
    np.testing.assert_allclose(z.reshape(expected.shape), expected, rtol=1e-5, atol=1e-5)
    z = launch(batches, BSNGD, tiled(m, n, k), (planes(a, BSNGD), planes(b, BSNGD)),
               np.zeros(12 * m * n, np.float32), axes=axes, numbers=(6, 6))  # fmt: skip
    expected = planes(products(a, b), BSNGD)
    np.testing.assert_allclose(z.reshape(expected.shape)[0], expected[0], rtol=1e-5, atol=1e-5)
    assert not z.reshape(expected.shape)[1].any()


def test_into_the_unified_buffer(batches: Kernel) -> None:
    m, n, k = 15, 24, 7
    a, b = halves(3, m, k), halves(1, n, k)
    z = launch(batches, IN_UB, tiled(m, n, k), (a, b), aligned(3 * m * n, np.float32), numbers=(3, 1))
    np.testing.assert_allclose(z.reshape(3, m, n), products(a, b) + 1, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("key", [MANY, MANY_ASYNC])
@pytest.mark.parametrize("bias", [False, True])
def test_batches_of_batches(batches: Kernel, key: int, bias: bool) -> None:
    m, n, k, loops, each = 16, 24, 40, 4, 3
    a, b = halves(2, loops * each // 2, 1, m, k), halves(2, loops * each // 2, 1, n, k)
    added = np.random.default_rng(6).uniform(-1, 1, (2, loops * each // 2, 1, n)).astype(np.float32)
    axes = ((2, m, 6, 1, k), (2, n, 6, 1, k), (2, m, 6, 1, n))
    z = launch(batches, key, tiled(m, n, k, bias=bias), (planes(a, BSNGD), planes(b, BSNGD), added),
               aligned(loops * each * m * n, np.float32), axes=axes, numbers=(each, each), loops=loops)  # fmt: skip
    expected = products(a, b, added if bias else None)
    np.testing.assert_allclose(z.reshape(expected.shape), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("numbers", [(1, 1), (3, 3), (4, 2), (1, 5)])
def test_on_a_cube_core_set_batch_num_says_how_many(batches: Kernel, numbers: tuple[int, int]) -> None:
    m, n, k, most = 17, 31, 13, max(numbers)
    a, b = halves(numbers[0], m, k), halves(numbers[1], n, k)
    z = launch(batches, CUBE, tiled(m, n, k), (a, b), aligned(most * m * n, np.float32), numbers=numbers)
    left, right = (np.repeat(x, most // len(x), axis=0) for x in (a, b))
    np.testing.assert_allclose(z.reshape(most, m, n), products(left, right), rtol=1e-5, atol=1e-5)


def test_more_than_l1_has(batches: Kernel) -> None:
    m, n, k, each = 128, 64, 256, 8
    a, b = halves(each, m, k), halves(each, n, k)
    tiling = replace(tiled(m, n, k), baseM=128, baseN=64, baseK=64)
    z = launch(batches, LARGE, tiling, (a, b), aligned(each * m * n, np.float32), numbers=(each, each))
    np.testing.assert_allclose(z.reshape(each, m, n), products(a, b), rtol=1e-4, atol=1e-4)
    assert refusal(batches, FULL, tiling, (a, b), numbers=(each, each)) == (
        "too many",
        "IterateBatch: 8 of A take 524288 bytes, 8 of B 262144, L1 has 524288\n  rule: the batches of A and B, filled"
        " up to fractals, fit into L1 together: with NORMAL say BATCH_LARGE_THAN_L1 where they do not"
        f" [{PAGE}/IterateBatch]",
    )


def refusal(kernel: Kernel, key: int, tiling: CubeTiling, operands: Sequence[Array], **how: object) -> tuple[str, str]:
    """The mark of the line, and the message from the function's name on."""
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, tiling, operands, np.zeros(1 << 18, np.float32), **how)  # type: ignore[arg-type]
    place, message = refused.value.report.split(": ", 2)[2].split(": ", 1)
    line = SOURCE.read_text(encoding="utf-8").splitlines()[int(place.rsplit(":", 1)[1]) - 1]
    return line.split("// <- ")[1], message


HEADS: tuple[Axes, Axes, Axes] = ((1, 16, 2, 3, 32), (1, 16, 2, 3, 32), (1, 16, 2, 3, 16))
# fmt: off
WRONG: dict[str, tuple[int, dict[str, object], str, str]] = {
    "no axes": (BSNGD, {"axes": (HEADS[0], (1, 16, 2, 0, 32), HEADS[2])}, "heads", "IterateBatch: the axes of B are B 1, S 16, N 2, G 0, D 32\n  rule: the layouts BSNGD, SBNGD and BNGS1S2 need SetALayout, SetBLayout and SetCLayout in the tiling"),  # noqa: E501
    "groups": (SBNGD, {"axes": (HEADS[0], (1, 16, 2, 1, 32), HEADS[2])}, "heads", "IterateBatch: G is 3 of A and 1 of B, batchA 3, batchB 3\n  rule: ALayoutInfoG / batchA is BLayoutInfoG / batchB"),  # noqa: E501
    "lines": (BSNGD, {"numbers": (4, 4)}, "heads", "IterateBatch: they are 6 and 6, batchA is 4, batchB 4\n  rule: with BSNGD, N * G of A is a multiple of batchA and N * G of B of batchB"),  # noqa: E501
    "broadcast": (BSNGD, {"axes": ((1, 16, 1, 3, 32), *HEADS[1:])}, "heads", "IterateBatch: B, N and G are 1, 1 and 3 of A, 1, 2 and 3 of B, 1, 2 and 3 of C\n  rule: of the layouts' axes G may differ between A and B, with C's the larger: other broadcasts and sums over G are not simulated"),  # noqa: E501
    "reduced": (BSNGD, {"axes": (*HEADS[:2], (1, 16, 2, 1, 16))}, "heads", "IterateBatch: B, N and G are 1, 2 and 3 of A, 1, 2 and 3 of B, 1, 2 and 1 of C\n  rule: of the layouts' axes G may differ between A and B, with C's the larger: other broadcasts and sums over G are not simulated"),  # noqa: E501
    "sequential": (BSNGD, {"sequential": True}, "heads", "IterateBatch: enSequentialWrite is true\n  rule: with BSNGD and SBNGD nothing is written one behind the other (enSequentialWrite)"),  # noqa: E501
}
# fmt: on


@pytest.mark.parametrize("case", WRONG)
def test_wrong_layouts_are_refused(batches: Kernel, case: str) -> None:
    key, change, mark, message = WRONG[case]
    how = {"axes": HEADS, "numbers": (3, 3), **change}
    assert refusal(batches, key, tiled(16, 16, 32), (halves(6, 16, 32), halves(6, 16, 32)), **how) == (
        mark,
        f"{message} [{PAGE}/IterateBatch]",
    )


def test_batches_of_batches_need_a_workspace_and_are_taken_once(batches: Kernel) -> None:
    operands = (halves(6, 16, 32), halves(6, 16, 32))
    how = {"axes": HEADS, "numbers": (3, 3), "loops": 2}
    assert refusal(batches, NO_ROOM, tiled(16, 16, 32), operands, **how) == (
        "many",
        f"IterateNBatch: no workspace has been set\n  rule: IterateNBatch needs SetWorkspace before it"
        f" [{PAGE}/IterateNBatch]",
    )
    assert refusal(batches, MANY_ASYNC, tiled(16, 16, 32), operands, **how, sequential=True) == (
        "next",
        "GetBatchTensorC: 2 of 2 batches have been taken\n  rule: GetBatchTensorC takes what an IterateNBatch has"
        f" computed, once for each of its batches [{PAGE}/GetBatchTensorC]",
    )
