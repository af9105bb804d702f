"""The Matmul object beyond half and float in rows: int8_t, scaled results, fractals, constant tiling, batches."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from cube_tiling import CubeTiling
from fixpipe_values import SIGNED, bytes_of, factor, fractals, truncated
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE, Float64

SOURCE = SOURCES / "matmul_types.cpp"
PAGE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
SIZES = [(32, 48, 32), (17, 33, 64), (40, 31, 13), (1, 1, 1)]


@pytest.fixture(scope="session")
def types(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root,
        SOURCE,
        "matmul_types",
        dict.fromkeys(("a", "b", "bias", "scales"), "uint8"),
        {"z": "uint8"},
        tmp_path_factory.mktemp("matmul_types"),
        include_dirs=[HOST_HEADERS],
    )


def launch(
    kernel: Kernel,
    key: int,
    tiling: CubeTiling,
    operands: tuple[Array, Array],
    z: Array,
    *,
    bias: Array | None = None,
    scales: Array | None = None,
    batches: tuple[int, int] = (1, 1),
) -> Array:
    words = np.zeros(1, np.uint64) if scales is None else scales
    nothing = np.zeros(1, np.float32)
    run(
        kernel,
        [*operands, nothing if bias is None else bias, words],
        [z],
        tiling=tiling.packed() + struct.pack("<QII", int(words[0]), *batches),
        block_dim=max(1, -(-tiling.usedCoreNum // 2)),
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE,
    )
    return z


def tiled(m: int, n: int, k: int, *, bias: int = 0, cores: int = 2, base_k: int = 32) -> CubeTiling:
    return CubeTiling(cores, m, n, k, k, -(-m // cores), n, k, 16, 16, base_k, isBias=bias)


def integers(*shape: int) -> Array:
    return np.random.default_rng([1, *shape]).integers(-128, 128, shape).astype(np.int8)


def halves(*shape: int) -> Array:
    return np.random.default_rng([2, *shape]).uniform(-1, 1, shape).astype(np.float16)


def product(a: Array, b: Array) -> Float64:
    return a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_integers(types: Kernel, m: int, n: int, k: int) -> None:
    a, b = integers(m, k), integers(k, n)
    bias = np.arange(n, dtype=np.int32) * 1000
    z = launch(types, 0, tiled(m, n, k), (a, b), aligned(m * n, np.int32))
    np.testing.assert_array_equal(z.reshape(m, n), product(a, b))
    z = launch(types, 0, tiled(m, n, k, bias=1), (a, b), aligned(m * n, np.int32), bias=bias)
    np.testing.assert_array_equal(z.reshape(m, n), product(a, b) + bias)


def words_of(n: int, *, vector: bool, offset: int = 0) -> tuple[Array, Float64]:
    numbers = [0.0031 * (1 + i % 5) for i in range(n)] if vector else [0.0031]
    bits = [factor(number) | (offset & 0x1FF) << 37 | SIGNED for number in numbers]
    return np.array(bits, np.uint64), np.array([truncated(number) for number in numbers])


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_scaled(types: Kernel, m: int, n: int, k: int, vector: bool) -> None:
    a, b = integers(m, k), integers(k, n)
    words, scale = words_of(n, vector=vector)
    across = (np.ascontiguousarray(a.T), np.ascontiguousarray(b.T))
    z = launch(types, 1 + vector, tiled(m, n, k), across, aligned(m * n, np.float16), scales=words)
    np.testing.assert_allclose(z.reshape(m, n), product(a, b) * scale, rtol=1e-3, atol=1e-3)
    z = launch(types, 3 + vector, tiled(m, n, k), (a, b), aligned(m * n, np.int8), scales=words)
    np.testing.assert_array_equal(z.reshape(m, n), bytes_of(product(a, b), scale, 0, 0, signed=True))
    words, scale = words_of(n, vector=vector, offset=-7)
    x, y = halves(m, k), halves(k, n)
    z = launch(types, 5 + vector, tiled(m, n, k, base_k=16), (x, y), aligned(m * n, np.int8), scales=words)
    expected = bytes_of(product(x, y), scale, -7, 0, signed=True)
    assert np.abs(z.reshape(m, n) - expected.astype(int)).max() <= 1


@pytest.mark.parametrize(("m", "n", "k"), [(32, 48, 32), (17, 33, 64), (40, 31, 13)])
def test_fractals(types: Kernel, m: int, n: int, k: int) -> None:
    def columns(matrix: Array) -> Array:
        """Columns of 16, each filled up to whole fractals."""
        high = -(-matrix.shape[0] // 16) * 16
        return fractals(np.pad(matrix, ((0, high - matrix.shape[0]), (0, 0))), 16)

    a, b = halves(m, k), halves(k, n)
    high, wide = (-(-length // 16) * 16 for length in (m, n))
    tiling = CubeTiling(2, m, n, k, k, 16, n, k, 16, 16, 16)
    tiling = tiling if m <= 32 else CubeTiling(4, m, n, k, k, 16, n, k, 16, 16, 16)
    z = launch(types, 7, tiling, (columns(a), columns(b)), aligned(high * wide, np.float32))
    rows = z.reshape(wide // 16, high, 16).transpose(1, 0, 2).reshape(high, wide)[:m, :n]
    np.testing.assert_allclose(rows, product(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("key", [8, 9, 10])
def test_templates(types: Kernel, key: int) -> None:
    m, n, k = 64, 48, 40
    a, b = halves(m, k), halves(k, n)
    tiling = CubeTiling(2, m, n, k, k, 32, n, k, 16, 16, 16 if key == 8 else 32)
    z = launch(types, key, tiling, (a, b), aligned(m * n, np.float32))
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("key", [11, 12])
@pytest.mark.parametrize("batches", [(1, 1), (3, 3), (4, 2), (1, 5)])
def test_batches(types: Kernel, key: int, batches: tuple[int, int]) -> None:
    m, n, k = 17, 31, 13
    most = max(batches)
    a, b = halves(batches[0], m, k), halves(batches[1], k, n)
    bias = np.random.default_rng(5).uniform(-1, 1, (most, n)).astype(np.float32)
    tiling = tiled(m, n, k, bias=1, cores=1, base_k=16)
    z = launch(types, key, tiling, (a, b), aligned(most * m * n, np.float32), bias=bias, batches=batches)
    expected = [product(a[i // (most // batches[0])], b[i // (most // batches[1])]) + bias[i] for i in range(most)]
    np.testing.assert_allclose(z.reshape(most, m, n), np.stack(expected), rtol=1e-5, atol=1e-5)


# fmt: off
WRONG = {
    "never scaled": (20, "IterateAll: neither has been called", "C of int8_t, and half out of int8_t, needs SetQuantScalar or SetQuantVector [" + PAGE + "/SetQuantScalar]"),  # noqa: E501
    "added to bytes": (21, "IterateAll: enAtomic is 1", f"C of int8_t is not combined with what is there (enAtomic) [{PAGE}/IterateAll]"),  # noqa: E501
    "odd batches": (22, "IterateBatch: batchA is 3, batchB 2", f"the number of products is a multiple of batchA and of batchB, which are above 0 [{PAGE}/IterateBatch]"),  # noqa: E501
    "partial batches": (23, "IterateBatch: enPartialSum is true", f"IterateBatch with enPartialSum is not simulated: call Iterate for each product [{PAGE}/IterateBatch]"),  # noqa: E501
}
# fmt: on


@pytest.mark.parametrize("mark", WRONG)
def test_wrong_products_are_refused(types: Kernel, mark: str) -> None:
    key, message, rule = WRONG[mark]
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.endswith(f"// <- {mark}"))
    with pytest.raises(LaunchError) as refused:
        launch(types, key, tiled(16, 16, 32, cores=1), (integers(64, 64), integers(64, 64)), aligned(4096, np.float32))
    said = refused.value.report.replace(" AIV 1", " core").replace(" AIV 0", " core").replace(" AIC", " core")
    assert said == f"MatmulTypes: block 0 of 1, core: {SOURCE}:{line}: {message}\n  rule: {rule}"
