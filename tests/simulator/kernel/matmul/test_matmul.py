"""The Matmul object against NumPy in float64: the patterns of public kernels, odd sizes, all data types."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(1, str(Path(__file__).parents[3] / "fidelity" / "tiling"))

from cube_tiling import CubeTiling
from engine_kernel import measured
from harness import Kernel, run
from matmul_kernels import (
    CACHED,
    GATED,
    LEAKY,
    LEAKY_WHOLE,
    LONG_AXES,
    PARTIAL,
    PLAIN,
    PLAIN_ADD,
    PLAIN_WHOLE,
    SYSTEM_WORKSPACE,
    launch,
    parts,
    random,
    stored,
    value,
    whole_tiles,
)

pytestmark = pytest.mark.compiler
SIZES = [(1, 1, 1), (16, 16, 16), (17, 15, 13), (37, 53, 29), (64, 3, 97), (5, 131, 31)]


LAYOUTS = [
    *(("half", transposed) for transposed in range(4)),
    *(("bfloat16_t", transposed) for transposed in range(4)),
    ("float", 0),
    ("float transposed", 3),  # the type alone decides: one kernel each
    ("half 1:1", 0),
]


@pytest.mark.parametrize(("kind", "transposed"), LAYOUTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_two_products_in_slots_while_the_last_are_multiplied(
    mix: dict[str, Kernel], kind: str, size: tuple[int, int, int], transposed: int
) -> None:
    m, n, k = size
    memory = [
        stored(random(*shape, seed=i), kind.split(maxsplit=1)[0]) for i, shape in enumerate([(m, k), (k, n), (k, n)])
    ]
    a, b, c = (value(x) for x in memory)
    if transposed & 1:
        memory[0] = np.ascontiguousarray(memory[0].T)
    if transposed & 2:
        memory[1:] = [np.ascontiguousarray(x.T) for x in memory[1:]]
    tiling = whole_tiles(m, n, k, cores=3)
    z = np.zeros((m, n), np.float32)
    launch(mix[kind], GATED, tiling, memory[0], memory[1], memory[2], np.zeros(n, np.float32), z,
           transposed=transposed, workspace=3 * 4 * 16 * 16 * 4, vectors=1 if "1:1" in kind else 2)  # fmt: skip
    np.testing.assert_allclose(z, (a @ b) * (a @ c), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("size", [(16, 16, 16), (37, 56, 29), (33, 104, 7)], ids=str)
def test_blocks_into_the_unified_buffer(mix: dict[str, Kernel], size: tuple[int, int, int], order: int) -> None:
    m, n, k = size
    a, b = stored(random(m, k), "half"), stored(random(k, n), "half")
    bias = random(n).astype(np.float32)
    z = np.zeros((m, n), np.float32)
    tiling = replace(parts(m, n, k, (32, 32)), isBias=1, iterateOrder=order)
    launch(mix["half"], LEAKY, tiling, a, b, b, bias, z)
    expected = value(a) @ value(b) + bias
    np.testing.assert_allclose(z, np.where(expected > 0, expected, expected * 0.5), rtol=1e-5, atol=1e-5)


def test_bias_is_left_out_where_the_tiling_has_none(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(16, 16), "half"), stored(random(16, 16), "half")
    z = np.zeros((16, 16), np.float32)
    launch(mix["half"], LEAKY_WHOLE, parts(16, 16, 16, (16, 16)), a, b, b, np.ones(16, np.float32), z)
    expected = value(a) @ value(b)
    np.testing.assert_allclose(z, np.where(expected > 0, expected, expected * 0.5), rtol=1e-5, atol=1e-5)


def test_tilings_of_the_public_library(mix: dict[str, Kernel]) -> None:
    """A sample of what it answered; tests/fidelity/tiling/test_matmul_engine.py takes all."""
    done = 0
    for row in measured(coupled=False):
        m, n, k = row.shape
        a = row.asked["a"]
        whole = row.tiling[1:4] == row.shape and row.tiling[3] == row.tiling[4]
        kept = row.tiling[15] or row.kind not in {"one_core", "many_cores", "known"}
        if m * n * k > 1 << 21 or a[2] not in {"f16", "bf16"} or not whole or kept:
            continue
        kind = {"f16": "half", "bf16": "bfloat16_t"}[a[2]]
        left, right = stored(random(m, k), kind), stored(random(k, n), kind)
        across = sum(bit for bit, turned in zip((1, 2), row.across, strict=True) if turned)
        turned_left = np.ascontiguousarray(left.T) if row.across[0] else left
        turned_right = np.ascontiguousarray(right.T) if row.across[1] else right
        z = np.zeros((m, n), np.float32)
        launch(mix[kind], PLAIN, CubeTiling(*row.tiling[:33]), turned_left, turned_right, turned_right,
               np.zeros(n, np.float32), z, transposed=across)  # fmt: skip
        np.testing.assert_allclose(z, value(left) @ value(right), rtol=1e-4, atol=1e-4)
        done += 1
    assert done > 10


@pytest.mark.parametrize(("key", "start"), [(PLAIN, 0), (PLAIN_ADD, 3), (LONG_AXES, 0)])
@pytest.mark.parametrize("size", [(1, 1, 1), (37, 53, 29), (40, 33, 71)], ids=str)
def test_all_at_once_into_global_memory(
    mix: dict[str, Kernel], size: tuple[int, int, int], key: int, start: float
) -> None:
    m, n, k = size
    a, b = stored(random(m, k), "half"), stored(random(k, n), "half")
    z = np.full((m, n), start, np.float32)
    launch(mix["half"], key, parts(m, n, k, (32, 16)), a, b, b, np.zeros(n, np.float32), z)
    np.testing.assert_allclose(z, value(a) @ value(b) + start, rtol=1e-5, atol=1e-5)


def test_tails_are_not_needed_where_nothing_is_ragged(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(64, 29), "half"), stored(random(29, 48), "half")
    z = np.zeros((64, 48), np.float32)
    launch(mix["half"], PLAIN_WHOLE, parts(64, 48, 29, (32, 48)), a, b, b, np.zeros(48, np.float32), z)
    np.testing.assert_allclose(z, value(a) @ value(b), rtol=1e-5, atol=1e-5)


def test_inner_axes_of_65535_elements_with_the_check_of_intrinsics(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(1, 65535), "half"), stored(random(65535, 1), "half")
    z = np.zeros((1, 1), np.float32)
    launch(mix["half"], LONG_AXES, parts(1, 1, 65535, (16, 16)), a, b, b, np.zeros(1, np.float32), z)
    np.testing.assert_allclose(z, value(a) @ value(b), atol=2e-3)


def test_asynchronous_blocks_lie_in_the_workspace(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(64, 29), "half"), stored(random(29, 64), "half")
    z = np.zeros((64, 64), np.float32)
    launch(mix["half"], CACHED, parts(64, 64, 29, (32, 32)), a, b, b, np.zeros(64, np.float32), z,
           workspace=4 * 32 * 32 * 4)  # fmt: skip
    np.testing.assert_allclose(z, 2 * (value(a) @ value(b)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("k", [2, 33])
def test_a_sum_over_k_in_two_parts(mix: dict[str, Kernel], k: int) -> None:
    a, b = stored(random(16, k), "half"), stored(random(k, 16), "half")
    z = np.zeros((16, 16), np.float32)
    launch(mix["half"], PARTIAL, parts(16, 16, k, (16, 16)), a, b, b, np.zeros(16, np.float32), z)
    np.testing.assert_allclose(z, value(a) @ value(b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("key", "times"), [(1, 1), (2, 2)])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("size", [(1, 1, 1), (37, 53, 29), (16, 131, 64)], ids=str)
def test_cube_cores_alone(cube: Kernel, size: tuple[int, int, int], order: int, key: int, times: int) -> None:
    m, n, k = size
    a, b = stored(random(m, k), "bfloat16_t"), stored(random(k, n), "bfloat16_t")
    bias = stored(random(n), "half")
    z = np.zeros((m, n), np.float16)
    tiling = replace(parts(m, n, k, (32, 48)), isBias=1, iterateOrder=order)
    run(
        cube,
        [a, b, bias],
        [z],
        tiling=tiling.packed(),
        block_dim=tiling.usedCoreNum,
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE,
    )
    once = (value(a) @ value(b) + value(bias)).astype(np.float32).astype(np.float16)
    if times == 2:  # an atomic addition of the rounded product
        once = (once.astype(np.float32) + (value(a) @ value(b)).astype(np.float16)).astype(np.float16)
    np.testing.assert_allclose(z, once, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("cores", [1, 2, 7, 24])
@pytest.mark.parametrize("checks", [True, False])
def test_a_sum_over_k_by_several_cores(cube: Kernel, cores: int, *, checks: bool) -> None:
    """Whole numbers, so that the order of the additions cannot be seen."""
    m, n, k = 37, 131, 113
    rng = np.random.default_rng(cores)
    a, b = (stored(rng.integers(-2, 3, shape).astype(np.float64), "bfloat16_t") for shape in ((m, k), (k, n)))
    z = np.full((m, n), 3, np.float16)
    run(
        cube,
        [a, b, np.zeros(n, np.float16)],
        [z],
        tiling=parts(m, n, k, (m, n)).packed(),
        block_dim=cores,
        tiling_key=5,
        workspace_bytes=SYSTEM_WORKSPACE,
        checks=checks,
    )
    np.testing.assert_array_equal(z, value(a) @ value(b) + 3)


def test_checks_change_nothing(mix: dict[str, Kernel]) -> None:
    m, n, k = 37, 53, 29
    a, b, c = (stored(random(*shape, seed=i), "half") for i, shape in enumerate([(m, k), (k, n), (k, n)]))
    outputs = []
    for checks in (True, False):
        z = np.zeros((m, n), np.float32)
        launch(mix["half"], GATED, whole_tiles(m, n, k, cores=5), a, b, c, np.zeros(n, np.float32), z,
               workspace=5 * 4 * 16 * 16 * 4, checks=checks)  # fmt: skip
        outputs.append(z)
    np.testing.assert_array_equal(outputs[0], outputs[1])
