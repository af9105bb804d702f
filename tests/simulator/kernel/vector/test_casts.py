"""Cast: every documented pair of types in every rounding mode, against the neighbours of the exact value."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from api_rows import ApiFunction
from harness import Array, LaunchError
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

MODES = ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"]
FIVE = MODES[1:6]

# Table of 类型转换/Cast for Atlas A2 and A3: destination <- source, and the modes it takes.
LEGAL = {
    "half<-int8_t": ["CAST_NONE"],
    "half<-uint8_t": ["CAST_NONE"],
    "half<-int16_t": [*FIVE, "CAST_NONE"],
    "float<-int16_t": ["CAST_NONE"],
    "int8_t<-half": [*FIVE, "CAST_NONE"],
    "uint8_t<-half": [*FIVE, "CAST_NONE"],
    "int16_t<-half": FIVE,
    "int32_t<-half": FIVE,
    "float<-half": ["CAST_NONE"],
    "int32_t<-bfloat16_t": FIVE,
    "float<-bfloat16_t": ["CAST_NONE"],
    "int16_t<-int32_t": ["CAST_NONE"],
    "float<-int32_t": [*FIVE, "CAST_NONE"],
    "int64_t<-int32_t": ["CAST_NONE"],
    "int16_t<-float": FIVE,
    "half<-float": [*FIVE, "CAST_ODD", "CAST_NONE"],
    "bfloat16_t<-float": FIVE,
    "int32_t<-float": FIVE,
    "float<-float": FIVE,
    "int64_t<-float": FIVE,
    "int32_t<-int64_t": ["CAST_NONE"],
    "float<-int64_t": FIVE,
}


def choice_of(pair: str) -> Choice:
    dst, _, src = pair.partition("<-")
    return Choice(dst, src, "Cast(z, x, static_cast<RoundMode>(data.mode), data.count);")


def repeat_choice_of(pair: str) -> Choice:
    dst, _, src = pair.partition("<-")
    sizes = np.dtype(NUMPY[dst]).itemsize, np.dtype(NUMPY[src]).itemsize
    strides = [8 * size // max(sizes) for size in sizes]
    params = f"UnaryRepeatParams(1, 1, {strides[0]}, {strides[1]})"
    mode = "static_cast<RoundMode>(data.mode)"
    return Choice(dst, src, f"Cast(z, x, {mode}, (uint64_t)data.lanes, data.repeat, {params});")


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [choice_of(pair) for pair in LEGAL] + [repeat_choice_of(pair) for pair in LEGAL]
    return compile_probes(root, choices, tmp_path_factory.mktemp("casts"))


def exact(src: str, values: Array) -> list[float]:
    """The values as Python numbers, which hold each of them exactly; 64-bit integers stay integers."""
    if src == "bfloat16_t":
        return (values.astype(np.uint32) << 16).view(np.float32).tolist()
    return values.tolist()


def value_of(bits: int, dst: str) -> float:
    if dst == "half":
        return float(np.array(bits, np.uint16).view(np.float16))
    if dst == "bfloat16_t":
        return float(np.array(bits << 16, np.uint32).view(np.float32))
    return float(np.array(bits, np.uint32).view(np.float32))


FLOATS = {"half": (16, 0x7C00), "bfloat16_t": (16, 0x7F80), "float": (32, 0x7F800000)}


def round_magnitude(value: float, dst: str, mode: str, *, negative: bool) -> int:
    """The bits of a float type for a finite magnitude: the neighbour the mode chooses."""
    low, high = 0, FLOATS[dst][1]  # the largest encoding whose value is not above the magnitude
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value_of(middle, dst) <= value else (low, middle)
    if value_of(low, dst) == value:
        return low
    largest = low == FLOATS[dst][1] - 1
    below = value_of(low, dst)
    # beyond the largest finite value the next one would be a further step away
    above = 2 * below - value_of(low - 1, dst) if largest else value_of(high, dst)
    middle_value = (int(below) + int(above)) / 2 if isinstance(value, int) else (below + above) / 2
    up = {
        "CAST_FLOOR": negative,
        "CAST_CEIL": not negative,
        "CAST_TRUNC": False,
        "CAST_ROUND": value >= middle_value,
        "CAST_ODD": low % 2 == 0,
    }.get(mode, value > middle_value or (value == middle_value and low % 2 == 1))
    return high if up else low


def to_float(value: float, dst: str, mode: str) -> int | None:
    """Bits; None for a NaN."""
    bits, infinity = FLOATS[dst]
    if math.isnan(value):
        return None
    negative = value < 0 or (value == 0 and str(value).startswith("-"))
    sign = (1 << (bits - 1)) if negative else 0
    if abs(value) == float("inf"):
        return sign | infinity
    return sign | round_magnitude(abs(value), dst, mode, negative=negative)


def integral(value: float, mode: str) -> float:
    with np.errstate(all="ignore"):
        return {
            "CAST_FLOOR": np.floor,
            "CAST_CEIL": np.ceil,
            "CAST_TRUNC": np.trunc,
            "CAST_ROUND": lambda v: np.trunc(v + np.copysign(0.5, v)),
        }.get(mode, np.rint)(np.float64(value))


def to_integer(value: float, dst: str, mode: str) -> int:
    info = np.iinfo(NUMPY[dst])
    if isinstance(value, int):
        return min(max(value, info.min), info.max)
    rounded = float(integral(value, mode))
    if math.isnan(rounded):
        return 0
    return (
        int(min(max(rounded, -1e30), 1e30))
        if info.min < rounded < info.max
        else (info.max if rounded > 0 else info.min)
    )


def expected(pair: str, mode: str, values: Array) -> list[int | None]:
    dst, _, src = pair.partition("<-")
    numbers = exact(src, values)
    if pair == "float<-float":
        return [
            None if math.isnan(v) else int(np.array(integral(v, mode), np.float32).view(np.uint32)) for v in numbers
        ]
    if dst in FLOATS:
        return [to_float(v, dst, mode) for v in numbers]
    return [to_integer(v, dst, mode) for v in numbers]


def bits_of(dst: str, array: Array) -> list[int | None]:
    if dst not in FLOATS:
        return array.tolist()
    bits, infinity = FLOATS[dst]
    raw = array.view(np.uint16 if bits == 16 else np.uint32).tolist()
    return [None if (b & ((1 << (bits - 1)) - 1)) > infinity else b for b in raw]


def inputs_for(src: str) -> Array:
    """Ties, the edges of every target's range, infinities, NaNs, subnormals, and random values."""
    rng = np.random.default_rng(5)
    if src in {"int8_t", "uint8_t", "int16_t", "int32_t", "int64_t"}:
        info = np.iinfo(NUMPY[src])
        edges = [
            0,
            1,
            -1,
            2047,
            2049,
            2050,
            4099,
            32767,
            32768,
            -32768,
            -32769,
            2**24 + 1,
            2**24 + 2,
            2**25 + 2,
            2**31 - 1,
        ]
        edges += [2**31, -(2**31), -(2**31) - 1, 2**53 + 1, 2**62 + 2**38, -(2**62) - 2**37, info.min, info.max]
        fit = [edge for edge in edges if info.min <= edge <= info.max]
        randoms = rng.integers(info.min, info.max, 400, NUMPY[src], endpoint=True)
        return (
            np.concatenate([np.array(fit, NUMPY[src]), randoms, randoms >> rng.integers(0, 40, 400).astype(NUMPY[src])])
            if src in {"int32_t", "int64_t"}
            else np.concatenate([np.array(fit, NUMPY[src]), randoms])
        )
    special = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        0.49999997,
        126.5,
        127.5,
        128.0,
        -128.5,
        -129.0,
        254.5,
        255.5,
        256.0,
    ]
    special += [32766.5, 32767.5, 32768.0, -32768.5, 65503.9, 65504.0, 65519.9, 65520.0, 65536.0, -65520.0, 1e5, -1e5]
    special += [2147483520.0, 2147483648.0, -2147483648.0, -2147484000.0, 9.2e18, 9.3e18, -9.3e18, 3e38, -3e38, 3.4e38]
    special += [np.inf, -np.inf, np.nan, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 2.0**-26, 2.0**-14, 2.0**-14 - 2.0**-24]
    special += [
        1e-40,
        -1e-40,
        1e-45,
        2.0**-126,
        1 + 2.0**-11,
        1 + 3 * 2.0**-11,
        1 + 2.0**-8,
        1 + 3 * 2.0**-8,
        8388607.5,
    ]
    with np.errstate(all="ignore"):
        values = np.array(special, np.float32)
        wide = (rng.standard_normal(600) * np.exp2(rng.integers(-30, 40, 600))).astype(np.float32)
        ties = (np.round(rng.standard_normal(200) * 500) + 0.5).astype(np.float32)
        values = np.concatenate([values, wide, ties])
        if src == "half":
            return np.concatenate([values.astype(np.float16), rng.integers(0, 65535, 600, np.uint16).view(np.float16)])
    if src == "bfloat16_t":
        return np.concatenate(
            [(values.view(np.uint32) >> 16).astype(np.uint16), rng.integers(0, 65535, 600, np.uint16)]
        )
    return np.concatenate([values, rng.integers(0, 2**32 - 1, 600, np.uint32).view(np.float32)])


# By SetDeqScale: test_converting.py.
SCALED = {"half<-int32_t"}
NIBBLES = {"half<-int4b_t", "int4b_t<-half"}


def test_the_pairs_are_those_of_the_table(api_table: tuple[ApiFunction, ...]) -> None:
    assert (
        set(next(row for row in api_table if (row.family, row.name) == ("vector", "Cast")).dtypes)
        == set(LEGAL) | SCALED | NIBBLES
    )


@pytest.mark.parametrize("pair", LEGAL)
def test_cast(probes: Probes, pair: str) -> None:
    dst, _, src = pair.partition("<-")
    values = inputs_for(src)
    for mode in LEGAL[pair]:
        got = probes(choice_of(pair), values, values, np.zeros(len(values), NUMPY[dst]), mode=MODES.index(mode))
        want = expected(pair, mode, values)
        wrong = [(v, g, w) for v, g, w in zip(exact(src, values), bits_of(dst, got), want, strict=True) if g != w]
        assert not wrong, f"{pair} {mode}: value, got, expected: {wrong[:8]}"


@pytest.mark.parametrize("pair", LEGAL)
def test_other_modes_are_refused(probes: Probes, pair: str) -> None:
    dst, _, src = pair.partition("<-")
    x = np.zeros(8, NUMPY[src])
    for mode in set(MODES) - set(LEGAL[pair]):
        with pytest.raises(LaunchError) as refused:
            probes(choice_of(pair), x, x, np.zeros(8, NUMPY[dst]), mode=MODES.index(mode))
        assert f"Cast: {src} to {dst} does not take RoundMode::{mode}\n" in refused.value.report
        assert "[基础API/Memory矢量计算/类型转换/Cast]" in refused.value.report


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 997])
def test_sizes(probes: Probes, size: int) -> None:
    for pair in ("half<-float", "float<-half", "bfloat16_t<-float", "float<-bfloat16_t", "int32_t<-float"):
        dst, _, src = pair.partition("<-")
        values = inputs_for(src)[:size]
        mode = LEGAL[pair][0]
        got = probes(choice_of(pair), values, values, np.zeros(size, NUMPY[dst]), mode=MODES.index(mode))
        assert bits_of(dst, got) == expected(pair, mode, values)


@pytest.mark.parametrize("pair", LEGAL)
def test_repeats(probes: Probes, pair: str) -> None:
    dst, _, src = pair.partition("<-")
    lanes = 256 // max(np.dtype(NUMPY[dst]).itemsize, np.dtype(NUMPY[src]).itemsize)
    values = inputs_for(src)[: 2 * lanes]
    z = np.full(2 * lanes, 5, NUMPY[dst])
    mode = LEGAL[pair][0]
    got = probes(repeat_choice_of(pair), values, values, z, mode=MODES.index(mode), repeat=2, lanes=lanes - 3)
    active = np.arange(2 * lanes) % lanes < lanes - 3
    assert bits_of(dst, got[active]) == expected(pair, mode, values[active])
    assert (got[~active] == 5).all()


NIBBLE_CALLS = {
    "half<-int4b_t": "Cast(z, x.template ReinterpretCast<int4b_t>(), static_cast<RoundMode>(data.mode), data.lanes);",
    "int4b_t<-half": "Cast(z.template ReinterpretCast<int4b_t>(), x, static_cast<RoundMode>(data.mode), data.lanes);",
    "repeats": "Cast(z.template ReinterpretCast<int4b_t>(), x, static_cast<RoundMode>(data.mode), data.lanes,"
    " data.repeat, {1, 1, 2, 8});",
}


@pytest.fixture(scope="module")
def nibbles(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    types = {"half<-int4b_t": ("half", "int8_t"), "int4b_t<-half": ("int8_t", "half"), "repeats": ("int8_t", "half")}
    choices = [Choice(*types[name], call) for name, call in NIBBLE_CALLS.items()]
    return compile_probes(root, choices, tmp_path_factory.mktemp("nibbles"))


def pack(values: Array) -> Array:
    """Two elements a byte, the first in its low half."""
    low, high = (values[i::2].astype(np.int64) & 0xF for i in (0, 1))
    return (low | high << 4).astype(np.uint8).view(np.int8)


@pytest.mark.parametrize("checks", [True, False])
def test_int4(nibbles: Probes, *, checks: bool) -> None:
    wide, narrow, repeats = nibbles.choices
    for size in (2, 62, 64, 66, 128, 130, 996):
        values = np.random.default_rng(size).integers(-8, 8, size)
        packed = pack(values)
        got = nibbles(wide, packed, packed, np.zeros(size, np.float16), lanes=size, checks=checks)
        assert (got == values).all()
        x = inputs_for("half")[:size]
        for mode in [*FIVE, "CAST_NONE"]:
            want = pack(np.clip([to_integer(float(v), "int8_t", mode) for v in x], -8, 7))
            got = nibbles(narrow, x, x, np.zeros(size // 2, np.int8), lanes=size, mode=MODES.index(mode), checks=checks)
            assert (got == want).all(), (mode, size)
    x = inputs_for("half")[:384]
    z = np.full(192, 3, np.int8)
    got = nibbles(repeats, x, x, z, lanes=100, repeat=3, mode=1, checks=checks)
    want = pack(np.clip([to_integer(float(v), "int8_t", "CAST_RINT") for v in x], -8, 7))
    assert (got == np.where(np.arange(192) % 64 < 50, want, 3)).all()
