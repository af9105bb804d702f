"""What the engine counts, against counts by hand: bytes of global memory, results, instructions, memories."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, CoreCounts, Kernel, compile_kernel, run
from matmul_kernels import GATED, LEAKY, PLAIN, SYSTEM_WORKSPACE, launch, parts, random, stored, whole_tiles

pytestmark = pytest.mark.compiler

TILE = 256
SMALL = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void small(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GlobalTensor<float> gx, gz;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gz.SetGlobalBuffer((__gm__ float*)z);
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 1000);
    pipe.InitBuffer(second, 4096);
    LocalTensor<float> a = first.Get<float>(), b = second.Get<float>();
    if (TILING_KEY_IS(1)) {  // three rows of 5, 9 apart: only what is asked for moves
        DataCopyPad(b, gx, DataCopyExtParams(3, 5 * sizeof(float), 4 * sizeof(float), 0, 0),
                    DataCopyPadExtParams<float>(true, 0, 3, 0));
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(gz, b, DataCopyExtParams(3, 5 * sizeof(float), 0, 0, 0));
    } else if (TILING_KEY_IS(2)) {  // the scalar unit, and no instruction
        gz.SetValue(0, gx.GetValue(3) + gx.GetValue(4));
    } else if (TILING_KEY_IS(3)) {  // 2 repeats of 10 lanes, a copy inside, 64 comparisons, a count of 0
        Duplicate(b, 1.0f, 512);
        Adds(b, b, 2.0f, 10, 2, UnaryRepeatParams(1, 1, 8, 8));
        DataCopy(b[512], b, 64);
        Compare(second.Get<uint8_t>(), b, b[512], CMPMODE::EQ, 64);
        Muls(b, b, 2.0f, 0);
    } else {  // a pipe that begins anew
        pipe.Reset();
        pipe.InitBuffer(first, 320);
    }
}
"""


@pytest.fixture(scope="module")
def vector_add(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    folder = tmp_path_factory.mktemp("counted")
    source = SOURCES / "vector_add.cpp"
    inputs, outputs = ("x", "y"), ("z",)
    return {
        dtype: compile_kernel(
            root, source, "vector_add", dict.fromkeys(inputs, dtype), dict.fromkeys(outputs, dtype), folder / dtype
        )
        for dtype in ("float16", "float32")
    }


@pytest.fixture(scope="module")
def small(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SMALL, "small", {"x": "float32"}, {"z": "float32"}, tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("count", [0, 1, 7, TILE - 1, TILE, TILE + 1, 1009, 5003])
def test_an_addition_moves_three_tensors(vector_add: dict[str, Kernel], dtype: type, count: int) -> None:
    size = np.dtype(dtype).itemsize
    x, y, z = (np.ones(count, dtype) for _ in range(3))
    said = []
    for checks, threads in ((True, 1), (False, 1), (True, 3)):
        cores = run(
            vector_add[np.dtype(dtype).name],
            [x, y],
            [z],
            tiling=struct.pack("<QIi", count, TILE, 0),
            block_dim=5,
            checks=checks,
            threads=threads,
        )
        said.append(cores)
    assert said[0] == said[1] == said[2]
    assert [(core.cube, core.block, core.sub) for core in said[0]] == [(False, block, 0) for block in range(5)]
    assert sum(core.gm_read for core in said[0]) == 2 * count * size
    assert sum(core.gm_written for core in said[0]) == count * size
    assert sum(core.vector_elements for core in said[0]) == count
    tiles = -(-count // TILE)
    assert sum(core.instructions for core in said[0]) == 4 * tiles  # two loads, an addition, a store
    assert [core.instructions for core in said[0]] == [4 * len(range(block, tiles, 5)) for block in range(5)]
    expected = {"UB": 3 * 2 * TILE * size, "L1": 0, "L0A": 0, "L0B": 0, "L0C": 0}
    assert [core.peak for core in said[0]] == [expected] * 5


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (1, (3 * 5 * 4, 3 * 5 * 4, 0, 2)),
        (2, (2 * 4, 4, 0, 0)),
        (3, (0, 0, 512 + 2 * 10 + 64, 4)),
        (4, (0, 0, 0, 0)),
    ],
)
def test_transfers_with_gaps_scalars_masks_and_pipes(
    small: Kernel, key: int, expected: tuple[int, int, int, int]
) -> None:
    (core,) = run(small, [np.ones(64, np.float32)], [np.zeros(64, np.float32)], tiling_key=key)
    assert (core.gm_read, core.gm_written, core.vector_elements, core.instructions) == expected
    assert core.peak["UB"] == 1024 + 4096  # 1000 bytes are 32 blocks of 32; the most at once


def _sums(cores: tuple[CoreCounts, ...], *, cube: bool) -> tuple[int, int, int]:
    mine = [core for core in cores if core.cube == cube]
    return sum(c.gm_read for c in mine), sum(c.gm_written for c in mine), sum(c.macs for c in mine)


# The matrix product of 32 x 48 x 29 in base blocks of 16 x 16: 2 x 3 blocks of C. Loads of A, of B, pieces of K in all.
ROWS, COLUMNS, K, BASE = 32, 48, 29, 16
CUBE_CASES = {
    "nothing stays": ({}, 6, 6, 24),
    "B stays while M comes first": ({"stepKa": 2, "depthA1": 2, "stepKb": 2, "depthB1": 2}, 6, 3, 9),
    "A stays while N comes first": (
        {"stepKa": 2, "depthA1": 2, "stepKb": 2, "depthB1": 2, "iterateOrder": 1}, 2, 6, 8),
    "all rows of A at once": ({"stepKa": 2, "stepM": 2, "depthA1": 4}, 2, 6, 1 + 12),
}  # fmt: skip


@pytest.mark.parametrize("case", CUBE_CASES)
def test_what_a_cube_core_loads_by_its_tiling(cube: Kernel, case: str) -> None:
    change, loads_of_a, loads_of_b, pieces = CUBE_CASES[case]
    tiling = replace(parts(ROWS, COLUMNS, K, (ROWS, COLUMNS)), isBias=1, **change)
    a, b = stored(random(ROWS, K), "bfloat16_t"), stored(random(K, COLUMNS), "bfloat16_t")
    bias = stored(random(COLUMNS), "half")
    (core,) = run(
        cube,
        [a, b, bias],
        [np.zeros((ROWS, COLUMNS), np.float16)],
        tiling=tiling.packed(),
        tiling_key=1,
        workspace_bytes=SYSTEM_WORKSPACE,
    )
    assert core.cube
    assert core.gm_read == (loads_of_a + loads_of_b) * BASE * K * 2 + 6 * BASE * 2
    assert core.gm_written == ROWS * COLUMNS * 2
    assert core.macs == ROWS * COLUMNS * K
    assert core.vector_elements == 0
    assert core.instructions == pieces + 6 + 2 * 6 + 6  # transfers of A and B, bias, Mmad of each 16 of K, stores
    block = BASE * BASE * 2
    in_l1 = (tiling.depthA1 + tiling.depthB1) * block + BASE * 2
    expected = {"UB": 0, "L1": 2 * in_l1, "L0A": block, "L0B": block, "L0C": BASE * BASE * 4}
    assert core.peak == expected, "of two objects"


def test_pieces_that_stay_with_the_norm_template(mix: dict[str, Kernel]) -> None:
    """K of 71 in pieces of 16, room for 4 in L1: two stay, two are for what passes through."""
    m, n, k = 32, 16, 71
    tiling = replace(parts(m, n, k, (m, n)), stepKa=4, stepKb=4, depthA1=4, depthB1=4)
    a, b = stored(random(m, k), "half"), stored(random(k, n), "half")
    cores = launch(mix["half"], PLAIN, tiling, a, b, b, np.zeros(n, np.float32), np.zeros((m, n), np.float32))
    read, written, macs = _sums(cores, cube=True)
    assert read == 2 * 16 * k * 2 + 16 * k * 2 + 16 * (k - 2 * 16) * 2
    assert (written, macs) == (m * n * 4, m * n * k)
    assert _sums(cores, cube=False) == (0, 0, 0)
    assert [(core.cube, core.sub) for core in cores] == [(True, 0), (False, 0), (False, 1)]


@pytest.mark.parametrize("size", [(17, 15, 13), (37, 53, 29)], ids=str)
def test_two_products_through_the_workspace(mix: dict[str, Kernel], size: tuple[int, int, int]) -> None:
    m, n, k = size
    a, b, c = (stored(random(*shape, seed=i), "half") for i, shape in enumerate([(m, k), (k, n), (k, n)]))
    cores = launch(mix["half"], GATED, whole_tiles(m, n, k, cores=3), a, b, c, np.zeros(n, np.float32),
                   np.zeros((m, n), np.float32), workspace=3 * 4 * 16 * 16 * 4)  # fmt: skip
    read, written, macs = _sums(cores, cube=True)
    of_m, of_n = -(-m // 16), -(-n // 16)
    assert read == 2 * (m * k * of_n + k * n * of_m) * 2  # a tile at a time: nothing is there from the tile before
    assert (written, macs) == (2 * m * n * 4, 2 * m * n * k)
    assert _sums(cores, cube=False) == (2 * m * n * 4, m * n * 4, 0)


def test_blocks_into_the_unified_buffer_go_through_the_workspace(mix: dict[str, Kernel]) -> None:
    m, n, k = 37, 56, 29
    a, b = stored(random(m, k), "half"), stored(random(k, n), "half")
    cores = launch(mix["half"], LEAKY, parts(m, n, k, (32, 32)), a, b, b, np.zeros(n, np.float32),
                   np.zeros((m, n), np.float32))  # fmt: skip
    assert _sums(cores, cube=True)[1] == m * n * 4
    assert _sums(cores, cube=False) == (m * n * 4, m * n * 4, 0)
