"""The functions that compute and convert in one step, by count and by repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from api_rows import ApiFunction
from harness import Array, LaunchError
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

SIZES = [1, 7, 8, 31, 32, 33, 127, 128, 129, 997, 2048]
SCALE = 0.37


def width_of(dtype: str) -> int:
    return 256 // max(np.dtype(NUMPY[t]).itemsize for t in dtype.split("<-"))


def choices_of(row: ApiFunction, dtype: str) -> tuple[Choice, Choice]:
    """By count, and by repeats of data.lanes lanes."""
    dst, src = dtype.split("<-")
    steps = [width_of(dtype) * np.dtype(NUMPY[t]).itemsize // 32 for t in (dst, src)]
    before = f"SetDeqScale((half){SCALE}f);" if row.name == "AddDeqRelu" else ""
    repeats = f"data.lanes, data.repeat, BinaryRepeatParams(1, 1, 1, {steps[0]}, {steps[1]}, {steps[1]})"
    return tuple(Choice(dst, src, f"{before} {row.name}(z, x, y, {n});") for n in ("data.count", repeats))


@pytest.fixture(scope="module")
def rows(api_table: tuple[ApiFunction, ...]) -> list[ApiFunction]:
    return [row for row in api_table if row.form == "converting"]


@pytest.fixture(scope="module")
def probes(root: Path, rows: list[ApiFunction], tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [choice for row in rows for dtype in row.dtypes for choice in choices_of(row, dtype)]
    choices += [UNSCALED, SCALED]
    return compile_probes(root, [*choices, *DEQUANT], tmp_path_factory.mktemp("converting"))


UNSCALED = Choice("half", "int32_t", "Cast(z, x, RoundMode::CAST_NONE, data.count);")
SCALED = Choice("half", "int32_t", "SetDeqScale((half)0.5f); Cast(z, x, RoundMode::CAST_ROUND, data.count);")
DEQUANT = [
    Choice("half", "int32_t", f"{before}{name}(z, x, {n});")
    for name in ("CastDequant", "CastDeq")
    for before in ("", f"SetDeqScale((half){SCALE}f);")
    for n in ("data.count", "data.lanes, data.repeat, UnaryRepeatParams(1, 1, 4, 8)")
]


def numbers(t: str, size: int, rng: np.random.Generator) -> Array:
    if t == "int32_t":
        return rng.integers(-100000, 100000, size).astype(np.int32)
    if t == "int16_t":
        return rng.integers(-32768, 32767, size).astype(np.int16)
    values = (rng.standard_normal(size) * np.exp2(rng.integers(-4, 9, size))).astype(NUMPY[t])
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.5, 1.5, 2.5, 127.5], NUMPY[t])
    values[: len(special)] = special[:size]
    return values


def meaning(name: str, dtype: str, a: Array, b: Array) -> Array:
    """In float32 (int16 wraps), rounded once, saturating for integers; a NaN becomes 0."""
    dst, src = (NUMPY[t] for t in dtype.split("<-"))
    with np.errstate(all="ignore"):
        if name == "AddDeqRelu":
            return np.maximum((a + b).astype(np.float32) * np.float32(np.float16(SCALE)), 0).astype(np.float16)
        wide = np.int16 if src is np.int16 else np.float32
        x, y = a.astype(wide), b.astype(wide)
        value = x * y if name == "MulCast" else np.maximum(x + y if name == "AddReluCast" else x - y, wide(0))
        if dst is np.float16:
            return value.astype(np.float16)
        info = np.iinfo(dst)
        return np.clip(np.nan_to_num(np.rint(value), nan=0, posinf=1e9, neginf=-1e9), info.min, info.max).astype(dst)


def same(got: Array, want: Array) -> bool:
    return bool(((got == want) | ((got != got) & (want != want))).all())  # noqa: PLR0124 - NaNs


def test_converting(probes: Probes, rows: list[ApiFunction]) -> None:
    rng = np.random.default_rng(4)
    assert len(rows) == 4
    for row in rows:
        for dtype in row.dtypes:
            dst, src = dtype.split("<-")
            by_count, by_repeats = choices_of(row, dtype)
            for size in SIZES:
                a, b = (numbers(src, size, rng) for _ in range(2))
                got = probes(by_count, a, b, np.zeros(size, NUMPY[dst]))
                assert same(got, meaning(row.name, dtype, a, b)), (row.name, dtype, size)
            width = width_of(dtype)
            for lanes in (1, width // 2 + 1, width):
                a, b = (numbers(src, 3 * width, rng) for _ in range(2))
                z = np.full(3 * width, 5, NUMPY[dst])
                got = probes(by_repeats, a, b, z, repeat=3, lanes=lanes)
                want = np.where(np.arange(3 * width) % width < lanes, meaning(row.name, dtype, a, b), z)
                assert same(got, want), (row.name, dtype, lanes)


def test_cast_by_a_scale(probes: Probes) -> None:
    x = np.arange(-300, 300, dtype=np.int32) * 1001
    got = probes(SCALED, x, x, np.zeros(len(x), np.float16))
    with np.errstate(over="ignore"):
        assert (got == (x * np.float32(0.5)).astype(np.float16)).all()


def test_cast_without_a_scale_is_refused(probes: Probes) -> None:
    x = np.zeros(8, np.int32)
    with pytest.raises(LaunchError) as refused:
        probes(UNSCALED, x, x, np.zeros(8, np.float16))
    assert refused.value.report.endswith(
        "Cast: no SetDeqScale(half) has been called\n  rule: the scale of int32_t to half is set by SetDeqScale(half)"
        " [基础API/Memory矢量计算/类型转换辅助配置接口/SetDeqScale]"
    )


def test_cast_dequant(probes: Probes) -> None:
    """By count, by repeats, and without a scale; under the name it had before as well."""
    rng = np.random.default_rng(6)
    for first in (0, 4):
        unscaled, _, by_count, by_repeats = DEQUANT[first : first + 4]
        name = ("CastDequant", "CastDeq")[first // 4]
        for size in SIZES:
            x = numbers("int32_t", size, rng)
            got = probes(by_count, x, x, np.zeros(size, np.float16))
            assert (got == (x * np.float32(np.float16(SCALE))).astype(np.float16)).all(), (name, size)
        for lanes in (1, 33, 64):
            x = numbers("int32_t", 192, rng)
            z = np.full(192, 5, np.float16)
            got = probes(by_repeats, x, x, z, repeat=3, lanes=lanes)
            want = np.where(np.arange(192) % 64 < lanes, (x * np.float32(np.float16(SCALE))).astype(np.float16), z)
            assert (got == want).all(), (name, lanes)
        with pytest.raises(LaunchError) as refused:
            probes(unscaled, x[:8], x[:8], np.zeros(8, np.float16))
        assert refused.value.report.splitlines()[0].endswith(f"{name}: no SetDeqScale(half) has been called")
