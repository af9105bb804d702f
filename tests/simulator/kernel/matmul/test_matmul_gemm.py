"""The engine's matrix product alone, against NumPy in float64."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from api_rows import KERNEL_API
from harness import SOURCES, Array
from numpy.typing import NDArray

pytestmark = pytest.mark.compiler

# sim::Dtype
HALF, BFLOAT16, FLOAT = 0, 1, 2
SIZES = [(0, 3, 2), (3, 0, 2), (3, 5, 0), (1, 1, 1), (6, 16, 8), (7, 31, 257), (13, 33, 1), (97, 101, 103)]
SIZES.append((193, 513, 259))  # behind one of every block


@pytest.fixture(scope="session", params=["widest", "narrow", "portable"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """As the toolkit compiles it on a newer x86, with and without AVX-512, and as it does elsewhere."""
    machine = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    if request.param != "portable" and not {"avx2", "fma", "f16c"} <= set(machine.split()):
        pytest.skip("this machine has no AVX2")
    built = tmp_path_factory.mktemp("gemm") / f"{request.param}.so"
    sources = [KERNEL_API / "engine" / "cube" / "gemm.cpp", SOURCES / "matmul_gemm.cpp"]
    options = [] if request.param == "portable" else ["-march=x86-64-v3"]
    options += [] if request.param == "widest" else ["-DOPFORGE_GEMM_NARROW"]
    subprocess.run(
        [
            *("g++", "-std=c++17", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fPIC"),
            *("-shared", "-Wall", "-Wextra", "-Werror", *options),
            *(f"-I{KERNEL_API / folder}" for folder in ("include/ascendc", "engine")),
            *(str(source) for source in sources),
            *("-o", str(built)),
        ],
        check=True,
    )
    return ctypes.CDLL(str(built))


def pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def bits_of(values: NDArray[np.float64], dtype: int) -> Array:
    if dtype == BFLOAT16:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(np.float16 if dtype == HALF else np.float32)


def value_of(memory: Array) -> NDArray[np.float64]:
    if memory.dtype == np.uint16:
        return (memory.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return memory.astype(np.float64)


@pytest.mark.parametrize("transposed", [(0, 0), (0, 1), (1, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("dtype", [HALF, BFLOAT16, FLOAT], ids=["half", "bfloat16", "float"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_products_of_all_layouts(
    library: ctypes.CDLL, size: tuple[int, int, int], dtype: int, transposed: tuple[int, int]
) -> None:
    m, n, k = size
    rng = np.random.default_rng(size)
    # rows are longer than the matrix is wide
    shape_a, shape_b = ((k, m + 3) if transposed[0] else (m, k + 5)), ((n, k + 2) if transposed[1] else (k, n + 1))
    a, b = bits_of(rng.uniform(-1, 1, shape_a), dtype), bits_of(rng.uniform(-1, 1, shape_b), dtype)
    exact_a = value_of(a)[:, :m].T if transposed[0] else value_of(a)[:, :k]
    exact_b = value_of(b)[:, :k].T if transposed[1] else value_of(b)[:, :n]
    c = np.full((m, n + 4), 7, np.float32)
    for accumulate in (0, 1):
        library.gemm(
            *(ctypes.c_int64(length) for length in size),
            *(pointer(a), ctypes.c_int64(shape_a[1]), transposed[0]),
            *(pointer(b), ctypes.c_int64(shape_b[1]), transposed[1]),
            *(dtype, accumulate, pointer(c), ctypes.c_int64(n + 4)),
        )
        np.testing.assert_allclose(c[:, :n], (1 + accumulate) * (exact_a @ exact_b), rtol=1e-5, atol=1e-4)
    assert (c[:, n:] == 7).all()


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 131])
@pytest.mark.parametrize(("dtype", "stored"), [(HALF, np.float16), (FLOAT, np.float32)], ids=["half", "float"])
@pytest.mark.parametrize(
    ("combine", "meaning"), [(0, lambda _, new: new), (1, np.add), (2, np.maximum), (3, np.minimum)]
)
def test_sums_are_rounded_on_their_way_out(  # noqa: PLR0917
    library: ctypes.CDLL, count: int, dtype: int, stored: type, combine: int, meaning: object
) -> None:
    rng = np.random.default_rng(count)
    sums = (rng.uniform(-1, 1, count) * 10.0 ** rng.integers(-9, 6, count)).astype(np.float32)
    out: Array = rng.uniform(-1, 1, count + 1).astype(stored)
    with np.errstate(over="ignore"):
        rounded: Array = sums.astype(stored)
        assert callable(meaning)
        expected = meaning(out[:count].astype(np.float32), rounded.astype(np.float32)).astype(stored)
    last = out[count]
    library.store(pointer(sums), ctypes.c_int64(count), dtype, combine, pointer(out))
    np.testing.assert_array_equal(out[:count], expected)
    assert out[count] == last


def test_bfloat16_is_rounded_to_the_nearest_even(library: ctypes.CDLL) -> None:
    sums = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0xBF807FFF, 0x7F800000], np.uint32).view(np.float32)
    out = np.zeros(5, np.uint16)
    library.store(pointer(sums), ctypes.c_int64(5), BFLOAT16, 0, pointer(out))
    assert out.tolist() == [0x3F80, 0x3F82, 0x3F81, 0xBF80, 0x7F80]
