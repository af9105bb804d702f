"""Scalars between dtypes: against NumPy, over every half and the edges of every integer."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.compiler

HERE = Path(__file__).parent
HOST = HERE.parents[2] / "src" / "opforge" / "simulator" / "host"
CODES = {
    "float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8, "int64": 9,
    "uint64": 10, "float64": 11, "bool": 12,
}  # fmt: skip
BF16, STRING = 27, 13

Convert = Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def convert(tmp_path_factory: pytest.TempPathFactory) -> Convert:
    library = tmp_path_factory.mktemp("convert") / "convert.so"
    sources = [str(HERE / "sources" / "convert_many.cpp"), str(HOST / "scalar" / "convert.cpp")]
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HOST}", f"-I{HOST / 'include'}"]
    subprocess.run(["g++", "-shared", "-fPIC", *flags, *sources, "-o", str(library)], check=True)
    many = ctypes.CDLL(str(library)).convert_many
    many.restype = ctypes.c_size_t
    many.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t]
    many.argtypes += [ctypes.c_void_p]

    def run(values: np.ndarray, to: str, *, source: int | None = None, target: int | None = None) -> np.ndarray:
        result = np.zeros(len(values), dtype=to)
        source = CODES[values.dtype.name] if source is None else source
        target = CODES[to] if target is None else target
        sizes = values.itemsize, result.itemsize
        done = many(values.ctypes.data, source, sizes[0], target, sizes[1], len(values), result.ctypes.data)
        assert done == len(values)
        return result

    return run


def reals() -> np.ndarray:
    """All halves, the middles between neighbours and their neighbours, and what lies outside."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    halves = halves[np.isfinite(halves)]
    ordered = np.sort(np.unique(halves))
    middles = (ordered[1:] + ordered[:-1]) / 2
    around = [np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf)]
    outside = [0.0, -0.0, 65519.999, 65520.0, -65520.0, 1e30, -1e300, np.inf, -np.inf, np.nan, 2.0**-25, 2.0**-26]
    return np.concatenate([halves, middles, *around, np.array(outside)])


def test_float16(convert: Convert) -> None:
    values = reals()
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    found = convert(values, "float16")
    assert np.array_equal(found, expected, equal_nan=True)
    signs = ~np.isnan(values)
    assert np.array_equal(np.signbit(found[signs]), np.signbit(expected[signs]))
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    assert np.array_equal(convert(every, "float64"), every.astype(np.float64), equal_nan=True)


def test_bfloat16(convert: Convert) -> None:
    every = np.arange(65536, dtype=np.uint32) << 16
    exact = every.view(np.float32)
    numbers = ~np.isnan(exact)
    high = (every >> 16).astype(np.uint16)
    assert np.array_equal(convert(exact, "uint16", target=BF16)[numbers], high[numbers])
    back = convert(high, "float32", source=BF16)
    assert np.array_equal(back, exact, equal_nan=True)
    ties = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x7F7FFFFF, 0x7FC00001], dtype=np.uint32).view(np.float32)
    assert convert(ties, "uint16", target=BF16).tolist() == [0x3F80, 0x3F82, 0x3F81, 0x7F80, 0x7FC0]


@pytest.mark.parametrize("to", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers(convert: Convert, to: str) -> None:
    info = np.iinfo(to)
    edges = [float(info.min), float(info.max), -0.9, 0.9, 3.99, -3.99, 1e30, -1e30, np.inf, -np.inf, np.nan]
    low, high = int(info.min), int(info.max)
    inside = [3, -3 if low < 0 else 0]
    expected = [low, high, 0, 0, *inside, high, low, high, low, 0]
    assert convert(np.array(edges), to).tolist() == expected
    # Integers keep their low bits, as a cast does; 64-bit ones never pass through a float.
    exact = np.array([info.max, info.min], dtype=to)
    assert convert(exact, "int64").tolist() == exact.astype(np.int64).tolist()
    wide = np.array([2**53 + 1, -(2**53) - 1, 2**62 + 1], dtype=np.int64)
    assert convert(wide, to).tolist() == wide.astype(to).tolist()


def test_bool_and_what_is_no_number(convert: Convert) -> None:
    assert convert(np.array([0.0, -0.0, 1e-300, np.nan, -2.0]), "bool").tolist() == [False, False, True, True, True]
    assert convert(np.array([True, False]), "float32").tolist() == [1.0, 0.0]
    with pytest.raises(AssertionError):
        convert(np.array([1.0]), "float64", target=STRING)
    with pytest.raises(AssertionError):
        convert(np.array([1.0]), "float64", source=STRING)
