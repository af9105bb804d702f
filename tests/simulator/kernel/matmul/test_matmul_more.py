"""The Matmul object's operands in the unified buffer and in L1, callback functions, IBShare, padded rows."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cube_tiling import CubeTiling
from fixpipe_values import fractals
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from hf32_values import hf32_values, to_hf32
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE, Float64

SOURCE = SOURCES / "matmul_more.cpp"
PAGE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
NORM, MDL, OUT, UB, UB_NZ, L1, L1_TURNED, SCALAR, HF32, SHARE_B, SHARE_BOTH, PADDED, NOTHING = range(1, 14)
INTO_L0C, UPPER, LOWER, NBUFFER, OUTER, TSCM = range(14, 20)
SIZES = [(32, 48, 64), (17, 31, 13), (40, 33, 80), (1, 1, 1)]


@pytest.fixture(scope="session")
def more(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root,
        SOURCE,
        "matmul_more",
        {"a": "uint8", "b": "uint8", "bias": "float32"},
        {"z": "uint8"},
        tmp_path_factory.mktemp("matmul_more"),
        include_dirs=[HOST_HEADERS],
    )


def halves(*shape: int) -> Array:
    return np.random.default_rng([4, *shape]).uniform(-1, 1, shape).astype(np.float16)


def tiled(m: int, n: int, k: int, **changes: int) -> CubeTiling:
    return replace(CubeTiling(2, m, n, k, k, m, n, k, 16, 16, 16), **changes)


def launch(
    kernel: Kernel,
    key: int,
    tiling: CubeTiling,
    operands: tuple[Array, Array],
    z: Array,
    *,
    choice: int = 0,
    bias: Array | None = None,
) -> Array:
    run(
        kernel,
        [*operands, np.zeros(8, np.float32) if bias is None else bias],
        [z],
        tiling=tiling.packed() + struct.pack("<i", choice),
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE,
    )
    return z


def product(a: Array, b: Array) -> Float64:
    """With B as [N, K]."""
    return a.astype(np.float64) @ b.astype(np.float64).T


@pytest.mark.parametrize("depth", [1, 2, 6])
@pytest.mark.parametrize("key", [NORM, MDL])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_functions_of_the_kernel_copy_the_blocks(  # noqa: PLR0917 - two ways of each size
    more: Kernel, m: int, n: int, k: int, key: int, depth: int
) -> None:
    """They read behind an offset, so that the object's own copy would multiply other numbers."""
    before, a, b = halves(37), halves(m, k), halves(n, k)
    steps = (
        {"stepKa": max(1, depth // 2), "stepKb": max(1, depth // 2)}
        if key == MDL
        else {"stepKa": depth, "stepKb": depth}
    )
    tiling = tiled(m, n, k, depthA1=depth, depthB1=depth, **steps)
    operands = (np.concatenate([before, a.ravel()]), np.concatenate([before, b.ravel()]))
    z = launch(more, key, tiling, operands, aligned(m * n, np.float32), choice=37)
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)


def test_several_blocks_of_rows_stay_in_l1(more: Kernel) -> None:
    m, n, k = 70, 33, 32
    a, b = halves(m, k), halves(n, k)
    tiling = tiled(m, n, k, stepM=2, depthA1=4, stepKa=2, stepN=3, depthB1=6, stepKb=2)
    z = launch(more, MDL, tiling, (a, b), aligned(m * n, np.float32))
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("relu", [0, 1])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_a_function_of_the_kernel_writes_the_blocks(more: Kernel, m: int, n: int, k: int, relu: int) -> None:
    a, b = halves(m, k), halves(n, k)
    z = launch(more, OUT, tiled(m, n, k), (a, b), aligned(m * n, np.float32), choice=relu)
    expected = np.maximum(product(a, b), 0) if relu else product(a, b)
    np.testing.assert_allclose(z.reshape(m, n), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(32, 48, 64), (17, 32, 16), (16, 24, 48)])
def test_out_of_the_unified_buffer(more: Kernel, m: int, n: int, k: int, bias: bool) -> None:
    a, b = halves(m, k), halves(n, k)
    added = np.random.default_rng(8).uniform(-1, 1, n).astype(np.float32)
    tiling = tiled(m, n, k, isBias=int(bias))
    z = launch(more, UB, tiling, (a, b), aligned(m * n, np.float32), bias=added)
    np.testing.assert_allclose(z.reshape(m, n), product(a, b) + bias * added, rtol=1e-5, atol=1e-5)
    columns = tuple(fractals(np.pad(x, ((0, -len(x) % 16), (0, 0))), 16) for x in (a, b))
    z = launch(more, UB_NZ, tiling, columns, aligned(m * n, np.float32), bias=added)
    np.testing.assert_allclose(z.reshape(m, n), product(a, b) + bias * added, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_out_of_l1(more: Kernel, m: int, n: int, k: int) -> None:
    a, b = halves(m, k), halves(n, k)
    z = launch(more, L1, tiled(m, n, k), (a, np.ascontiguousarray(b.T)), aligned(m * n, np.float32))
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)
    z = launch(more, L1_TURNED, tiled(m, n, k), (np.ascontiguousarray(a.T), b), aligned(m * n, np.float32))
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("n", "k"), [(48, 64), (31, 13), (1, 1)])
def test_out_of_a_vector_cores_part_of_l1(more: Kernel, n: int, k: int) -> None:
    a, b = halves(32, k), halves(n, k)
    columns = fractals(np.pad(b, ((0, -n % 16), (0, 0))), 16)
    tiling = replace(tiled(32, n, k), singleCoreM=16)
    z = launch(more, TSCM, tiling, (a, columns), aligned(32 * n, np.float32))
    np.testing.assert_allclose(z.reshape(32, n), product(a, b), rtol=1e-5, atol=1e-5)


def test_one_value_sums_the_columns(more: Kernel) -> None:
    m, n, k = 1, 35, 50
    b = halves(n, k)
    z = launch(more, SCALAR, tiled(m, n, k), (b, b), aligned(m * n, np.float32), choice=3)
    np.testing.assert_allclose(z, 1.5 * b.astype(np.float64).sum(axis=1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("m", [32, 21, 16, 3])
def test_vector_cores_share_b(more: Kernel, m: int) -> None:
    a, b = halves(m, 48), halves(33, 48)
    tiling = replace(tiled(m, 33, 48), singleCoreM=16)
    z = launch(more, SHARE_B, tiling, (a, np.ascontiguousarray(b.T)), aligned(m * 33, np.float32))
    np.testing.assert_allclose(z.reshape(m, 33), product(a, b), rtol=1e-5, atol=1e-5)


def test_vector_cores_share_both_and_one_product_is_computed(more: Kernel) -> None:
    a, b = halves(19, 48), halves(33, 48)
    z = launch(more, SHARE_BOTH, tiled(19, 33, 48), (a, np.ascontiguousarray(b.T)), aligned(19 * 33, np.float32))
    np.testing.assert_allclose(z.reshape(19, 33), product(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [16, 17, 31, 1])
def test_rows_filled_up_to_blocks(more: Kernel, n: int) -> None:
    m, k, wide = 5, 23, -(-n // 16) * 16
    a, b = halves(m, k), halves(n, k)
    z = launch(more, PADDED, tiled(1, n, k), (a[:1], b), aligned(wide, np.float16))
    np.testing.assert_allclose(z[:n], product(a[:1], b)[0], rtol=1e-2, atol=1e-2)
    z = launch(more, PADDED, tiled(m, n, k, baseN=wide), (a, b), aligned(m * wide, np.float16), choice=1)
    np.testing.assert_allclose(z.reshape(m, wide)[:, :n], product(a, b), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 32), (13, 48, 40), (7, 33, 17)])
def test_blocks_in_l0c_of_the_kernels_own(more: Kernel, m: int, n: int, k: int, twice: bool) -> None:
    n = 16 if twice else n
    a, b = halves(m, k), halves(n, k)
    tiling = tiled(m, n, k, usedCoreNum=1, baseM=-(-m // 16) * 16)
    tiling = replace(tiling, singleCoreM=16, M=16) if twice else tiling
    padded = np.vstack([a, np.zeros((16, k), np.float16)])
    z = launch(more, INTO_L0C, tiling, (padded, b), aligned(tiling.singleCoreM * n, np.float32), choice=int(twice))
    np.testing.assert_allclose(z.reshape(-1, n)[:m], product(a, b) * (1 + twice), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("by_blocks", [0, 1])
@pytest.mark.parametrize(("key", "side"), [(UPPER, np.triu), (LOWER, np.tril)], ids=["upper", "lower"])
def test_triangles(more: Kernel, key: int, side: Callable[[Array], Array], by_blocks: int) -> None:
    m, n, k = 70, 55, 20
    a, b = halves(m, k), halves(n, k)
    z = aligned(m * n, np.float32)
    z[:] = -7
    z = launch(more, key, tiled(m, n, k, usedCoreNum=1), (a, b), z, choice=by_blocks).reshape(m, n)
    kept = np.kron(side(np.ones((5, 4))), np.ones((16, 16)))[:m, :n] == 1
    np.testing.assert_allclose(z[kept], product(a, b)[kept], rtol=1e-5, atol=1e-5)
    assert (z[~kept] == -7).all()


@pytest.mark.parametrize("key", [NBUFFER, OUTER])
def test_other_orders_give_the_same(more: Kernel, key: int) -> None:
    m, n, k = 80, 55, 40
    a, b = halves(m, k), halves(n, k)
    tiling = tiled(m, n, k, usedCoreNum=1, stepM=3, stepKa=3, stepKb=3, depthA1=9, depthB1=6)
    z = launch(more, key, tiling, (a, b), aligned(m * n, np.float32))
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)


def refusal(kernel: Kernel, key: int, tiling: CubeTiling, choice: int = 0, bias: Array | None = None) -> str:
    a, b = halves(64, 64), halves(64, 64)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, tiling, (a, b), aligned(4096, np.float32), choice=choice, bias=bias)
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    place, message = refused.value.report.split(": ", 2)[2].split(": ", 1)
    mark = lines[int(place.rsplit(":", 1)[1]) - 1].partition("// <- ")[2]
    return f"{mark}: {message}"


# fmt: off
WRONG = {
    "CopyB1 fills nothing": (NOTHING, tiled(16, 16, 16), 0, f"called: IterateAll: of B row 0, column 0 of the block in L1 has not been written\n  rule: the functions CopyA1 and CopyB1 fill all of the base block that the product reads [{PAGE}/MatmulCallBackFunc]"),  # noqa: E501
    "half a block": (UB, tiled(16, 16, 16), 1, f"left: SetTensorA: the tensor has 16 bytes\n  rule: an operand in the unified buffer is a multiple of 32 bytes [{PAGE}/SetTensorA]"),  # noqa: E501
    "too short": (UB, tiled(16, 16, 16), 2, f"from ub: IterateAll: B of 16 x 16 needs 512 bytes, the tensor has 32\n  rule: a matrix in the unified buffer or L1 has all of singleCoreM x singleCoreK or singleCoreK x singleCoreN, in fractals (NZ) filled up to them [{PAGE}/SetTensorA]"),  # noqa: E501
    "not all written": (UB, tiled(16, 16, 16), 3, f"from ub: IterateAll: element [1, 0] of A has never been written\n  rule: what a product reads of the unified buffer or L1 has been written before [{PAGE}/SetTensorA]"),  # noqa: E501
    "nothing in TSCM": (TSCM, tiled(16, 16, 16), 1, f"tscm: IterateAll: element [0, 0] of A has never been written\n  rule: what a product reads of the unified buffer or L1 has been written before [{PAGE}/SetTensorA]"),  # noqa: E501
    "HF32": (HF32, tiled(16, 16, 16), 2, f"hf32: SetHF32: transMode is 2\n  rule: transMode is 0 (ties to even) or 1 (away from zero) [{PAGE}/SetHF32]"),  # noqa: E501
    "nothing to add to": (INTO_L0C, tiled(16, 16, 16, usedCoreNum=1), 2, f"into l0c: Iterate: L0C holds nothing there\n  rule: enPartialSum adds to the block that an Iterate before has left in L0C [{PAGE}/Iterate]"),  # noqa: E501
    "four blocks of K": (NBUFFER, tiled(16, 16, 64, usedCoreNum=1), 0, f"nbuffer: Init: stepM is 1, stepKa 1, stepKb 1, singleCoreK has 4 base blocks\n  rule: with NBuffer33MatmulPolicy stepM is at most 3, and stepKa and stepKb are the base blocks of singleCoreK, at most 3 [{PAGE}/MatmulPolicy]"),  # noqa: E501
    "another B": (SHARE_B, replace(tiled(32, 16, 16), singleCoreM=16), 1, f"shared: IterateAll: call 1 of AIV 1 has another B than that of AIV 0\n  rule: with IBShare the two vector cores of a block pass the same matrix [{PAGE}/MatmulConfig]"),  # noqa: E501
    "more rows than one": (PADDED, tiled(2, 16, 16), 0, f"vector: IterateAll: M is 2\n  rule: A of the format VECTOR is one row [{PAGE}/SetTensorA]"),  # noqa: E501
}
# fmt: on


@pytest.mark.parametrize("choice", [-1, 0, 1])
def test_hf32_has_eleven_bits_of_mantissa(more: Kernel, choice: int) -> None:
    a = hf32_values(32).reshape(32, 1)
    wanted = a if choice < 0 else to_hf32(a, "even" if choice == 0 else "away")
    z = launch(
        more,
        HF32,
        tiled(32, 16, 1, usedCoreNum=1),
        (a, np.ones((16, 1), np.float32)),
        aligned(512, np.float32),
        choice=choice,
    )
    np.testing.assert_array_equal(z.reshape(32, 16), np.repeat(wanted, 16, axis=1))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_operands_are_refused(more: Kernel, case: str) -> None:
    key, tiling, choice, message = WRONG[case]
    assert refusal(more, key, tiling, choice) == message


def test_calls_with_ibshare_are_paired(more: Kernel) -> None:
    assert refusal(more, SHARE_B, replace(tiled(32, 16, 16), singleCoreM=16), 2).endswith(
        "REGIST_MATMUL_OBJ: AIV 0 has called it 1 times, AIV 1 0 times\n  rule: with IBShare both vector cores of a"
        f" block call IterateAll equally often, with fakeMsg where one has nothing to compute [{PAGE}/IterateAll]"
    )


def test_l1_is_read_behind_the_copies(more: Kernel) -> None:
    assert refusal(more, L1, tiled(16, 16, 16), 1).startswith(
        "from l1: IterateAll: pipe MTE1 reads L1 address 0, which DataCopy on pipe MTE2 wrote at "
    )


def test_a_vector_core_only_fills_its_part_of_l1(more: Kernel) -> None:
    assert refusal(more, TSCM, tiled(16, 16, 16), 2).startswith(
        "out of tscm: DataCopy: called on an AIV, which has no cube unit\n"
    )
