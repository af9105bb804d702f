"""Mmad and what brings its operands and takes its result: LoadData in all forms, Fixpipe with its conversions."""

from __future__ import annotations

import itertools
import struct
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pytest
from fixpipe_values import SIGNED, bytes_of, factor, fractals, truncated
from harness import SOURCES, Array, Kernel, aligned, compile_kernel, run
from matmul_kernels import Float64, stored, value

# `types` of sources/cube.cpp: the operands' type and the output's
HALF, BFLOAT, FLOAT, INT8, INT4, TO_HALF, TO_BFLOAT, TO_INT8, DEQUANTISED, REQUANTISED = range(10)
PLAIN, TRANSPOSED, FRACTALS, IMAGE, ACROSS = range(5)
ROWS, NZ, SPLIT = range(3)
NO_QUANT, F322F16, VREQ8, REQ8, VDEQF16, DEQF16, F322BF16, VQF322B8, QF322B8 = 0, 1, 8, 9, 10, 11, 16, 23, 24


@dataclass(frozen=True)
class Case:
    types: int
    m: int
    n: int
    k: int
    way_a: int = PLAIN
    way_b: int = PLAIN
    out: int = ROWS
    quant: int = NO_QUANT
    relu: int = 0
    bias: int = 0
    unit_flag: int = 0
    parts: int = 1
    scale: int = 0

    def packed(self) -> bytes:
        return struct.pack("<12IQ", *astuple(self))


@pytest.fixture(scope="session")
def cube(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root,
        SOURCES / "cube.cpp",
        "cube",
        {"a": "uint8", "b": "uint8", "extra": "uint8"},
        {"z": "uint8"},
        tmp_path_factory.mktemp("cube_intrinsics"),
    )


def operand(types: int, rows: int, columns: int, seed: int) -> tuple[Float64, Array]:
    """Its values, and what lies in memory."""
    random = np.random.default_rng([seed, types, rows, columns])
    if types == INT4:
        numbers = random.integers(-8, 8, (rows, columns))
        pairs = numbers.reshape(rows, columns // 2, 2) & 15
        return numbers.astype(np.float64), (pairs[:, :, 0] | pairs[:, :, 1] << 4).astype(np.uint8)
    if types in {INT8, DEQUANTISED, REQUANTISED}:
        numbers = random.integers(-128, 128, (rows, columns))
        return numbers.astype(np.float64), numbers.astype(np.int8)
    memory = stored(random.uniform(-1, 1, (rows, columns)), {BFLOAT: "bfloat16_t", FLOAT: "float"}.get(types, "half"))
    return value(memory), memory


def product(
    kernel: Kernel, case: Case, dtype: type, extra: Array | None = None, columns: int = 0
) -> tuple[Array, Float64]:
    """What the kernel has written, by rows of `columns`, and the sums as they ought to be."""
    c = case
    a, b = [], []
    sums = np.zeros((c.m, c.n))
    for part in range(c.parts):
        plain, memory = operand(c.types, *((c.m, c.k) if c.way_a in {PLAIN, IMAGE} else (c.k, c.m)), 2 * part)
        left = plain if c.way_a in {PLAIN, IMAGE} else plain.T
        a.append(memory.ravel())
        plain, memory = operand(c.types, *((c.n, c.k) if c.way_b == PLAIN else (c.k, c.n)), 2 * part + 1)
        right = plain.T if c.way_b == PLAIN else plain
        b.append(memory.ravel())
        sums += left @ right
    z = aligned(c.m * (columns or c.n), dtype)
    run(
        kernel,
        [np.concatenate(a), np.concatenate(b), np.zeros(1, np.uint8) if extra is None else extra],
        [z],
        tiling=c.packed(),
    )
    return z.reshape(c.m, columns or c.n) if not columns else z, sums


SIZES = [(1, 1, 1), (16, 16, 16), (15, 17, 31), (33, 47, 64), (17, 16, 13), (64, 96, 128), (2, 40, 127)]
WAYS_A = {
    HALF: (PLAIN, TRANSPOSED, FRACTALS, IMAGE, ACROSS),
    BFLOAT: (PLAIN, TRANSPOSED, FRACTALS, IMAGE, ACROSS),
    FLOAT: (PLAIN, TRANSPOSED, IMAGE, ACROSS),
    INT8: (PLAIN, TRANSPOSED, IMAGE),
    INT4: (PLAIN, IMAGE),
}
WAYS_B = {
    HALF: (PLAIN, TRANSPOSED, FRACTALS, ACROSS),
    BFLOAT: (PLAIN, TRANSPOSED, FRACTALS, ACROSS),
    FLOAT: (PLAIN, TRANSPOSED, ACROSS),
    INT8: (PLAIN, TRANSPOSED),
    INT4: (PLAIN, TRANSPOSED),
}


def even(number: int) -> int:
    return number + number % 2


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("types", WAYS_A)
def test_products(cube: Kernel, types: int, size: tuple[int, int, int]) -> None:
    """Each way into L0A with each way into L0B."""
    m, n, k = size
    for way_a, way_b in itertools.product(WAYS_A[types], WAYS_B[types]):
        if m == 1 and way_a not in {PLAIN, IMAGE} and k > 16:
            continue  # a row vector lies in L0A as it is (GEMV), which these ways do not bring about
        case = Case(types, m, even(n), even(k), way_a, way_b) if types == INT4 else Case(types, m, n, k, way_a, way_b)
        z, sums = product(cube, case, np.int32 if types in {INT8, INT4} else np.float32)
        np.testing.assert_allclose(z, sums, rtol=2e-6, atol=1e-5, err_msg=str(case))


@pytest.mark.parametrize("types", [HALF, FLOAT, INT8])
@pytest.mark.parametrize("form", [1, 2])
def test_bias_and_accumulation(cube: Kernel, types: int, form: int) -> None:
    for m, n, k, parts in ((16, 16, 16, 1), (31, 29, 17, 3), (7, 130, 32, 2)):
        for unit_flag in (0, 3):
            numbers = np.arange(n) % 13 - 6.0
            bias = np.zeros(256, {HALF: np.float16, FLOAT: np.float32, INT8: np.int32}[types])
            bias[:n] = numbers
            case = Case(types, m, n, k, bias=form, parts=parts, unit_flag=unit_flag)
            z, sums = product(cube, case, np.int32 if types == INT8 else np.float32, bias)
            np.testing.assert_allclose(z, sums + numbers, rtol=2e-6, atol=1e-5, err_msg=str(case))


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (17, 48, 15), (31, 40, 33)])
def test_conversions(cube: Kernel, m: int, n: int, k: int) -> None:
    for relu in (0, 1):
        floor = 0 if relu else -np.inf
        z, sums = product(cube, Case(TO_HALF, m, n, k, quant=F322F16, relu=relu), np.float16)
        np.testing.assert_allclose(z, np.maximum(sums, floor), rtol=1e-3, atol=1e-4)
        z, sums = product(cube, Case(TO_BFLOAT, m, n, k, quant=F322BF16, relu=relu), np.uint16)
        np.testing.assert_allclose(value(z), np.maximum(sums, floor), rtol=8e-3, atol=1e-4)
        z, sums = product(cube, Case(HALF, m, n, k, relu=relu), np.float32)
        np.testing.assert_allclose(z, np.maximum(sums, floor), rtol=2e-6, atol=1e-5)
        z, sums = product(cube, Case(INT8, m, n, k, relu=relu), np.int32)
        np.testing.assert_array_equal(z, np.maximum(sums, floor))


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("relu", [0, 1])
def test_quantisation(cube: Kernel, vector: bool, relu: int) -> None:
    for m, n, k in ((16, 16, 16), (17, 48, 15), (13, 100, 31)):
        numbers = [0.0123 * (1 + i % 7) for i in range(n)] if vector else [0.0123]
        scale = np.array([truncated(x) for x in numbers])
        offset = 5
        words = np.zeros(256, np.uint64)
        words[: len(numbers)] = [factor(x) | offset << 37 | SIGNED for x in numbers]
        word = int(words[0])
        z, sums = product(cube, Case(TO_INT8, m, n, k, quant=QF322B8 - vector, relu=relu, scale=word), np.int8, words)
        np.testing.assert_array_equal(
            np.abs(z - bytes_of(sums, scale, offset, relu, signed=True).astype(int)) <= 1, True
        )
        z, sums = product(
            cube, Case(DEQUANTISED, m, n, k, quant=DEQF16 - vector, relu=relu, scale=word), np.float16, words
        )
        expected = np.where((sums < 0) & (relu != 0), 0, sums * scale)
        np.testing.assert_allclose(z, expected, rtol=1e-3, atol=1e-6)
        unsigned = words & ~np.uint64(SIGNED)
        case = Case(REQUANTISED, m, n, k, quant=REQ8 - vector, relu=relu, scale=word & ~SIGNED)
        z, sums = product(cube, case, np.uint8, unsigned)
        np.testing.assert_array_equal(z, bytes_of(sums, scale, offset, relu, signed=False))


@pytest.mark.parametrize(("m", "n"), [(16, 16), (17, 40), (5, 48), (32, 64)])
def test_fractals_stay_fractals(cube: Kernel, m: int, n: int) -> None:
    k = 19
    whole = -(-n // 16) * 16
    z, sums = product(cube, Case(HALF, m, n, k, out=NZ), np.float32, columns=whole)
    written = fractals(np.ones((m, n)), 16) != 0
    np.testing.assert_allclose(z[written], fractals(sums, 16)[written], rtol=2e-6, atol=1e-5)
    z, sums = product(cube, Case(TO_HALF, m, n, k, out=NZ, quant=F322F16), np.float16, columns=whole)
    np.testing.assert_allclose(z[written], fractals(sums, 16)[written], rtol=1e-3, atol=1e-4)
    split = -(-n // 8) * 8
    z, sums = product(cube, Case(HALF, m, n, k, out=SPLIT), np.float32, columns=split)
    np.testing.assert_allclose(z, fractals(sums, 8), rtol=2e-6, atol=1e-5)


def test_bytes_become_fractals_of_32_columns(cube: Kernel) -> None:
    m, k = 19, 24
    for n in (32, 48, 64):
        word = factor(8.0) | SIGNED
        z, sums = product(cube, Case(TO_INT8, m, n, k, out=NZ, quant=QF322B8, scale=word), np.int8, columns=n)
        expected = bytes_of(sums, np.array(8.0), 0, 0, signed=True)
        paired = n // 32 * 32
        parts = [fractals(expected[:, :paired], 32), expected[:, paired:].ravel()]  # an odd fractal stays
        assert np.abs(z - np.concatenate(parts).astype(int)).max() <= 1
