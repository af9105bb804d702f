"""Reductions, broadcasts, selections, running sums and quantisation of matrices, against NumPy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from probes import NUMPY
from ulps import distance

pytestmark = pytest.mark.compiler

PREAMBLE = """
constexpr CumSumConfig byRow{true, false, true}, byColumn{false, false, true};
using namespace AscendC::Pattern::Reduce;
"""
SHAPES = [(1, 1), (1, 8), (3, 7), (8, 33), (5, 128), (13, 97)]
FLOATS = {"half": np.float16, "float": np.float32}
REDUCTIONS = {
    "ReduceSum": (("float",), np.sum), "ReduceMean": (("float",), np.mean), "ReduceProd": (("float",), np.prod),
    "ReduceMax": (("half", "float"), np.max), "ReduceMin": (("half", "float"), np.min),
    "ReduceAll": (("uint8_t", "float"), np.all), "ReduceAny": (("uint8_t", "float"), np.any),
}  # fmt: skip
ROOMS = {"": "", " room": "Room(), "}
ENOUGH = 32768  # bytes
MASKS = ("bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t")
BROADCASTS = ("int8_t", "uint8_t", "half", "float")
DEQUANTS = [("half", "uint64_t"), ("float", "float"), ("float", "bfloat16_t"), ("bfloat16_t", "bfloat16_t"),
            ("bfloat16_t", "float")]  # fmt: skip


def select_names(u: str) -> tuple[str, ...]:
    """With the old name for one kind of mask."""
    return ("Select", "SelectWithBytesMask") if u == "uint8_t" else ("Select",)


def calls() -> dict[str, str]:  # noqa: C901, PLR0912 - a list, with loops where it repeats itself
    found = {}
    for suffix, room in ROOMS.items():
        for name, (dtypes, _) in REDUCTIONS.items():
            for t in dtypes:
                for pattern in ("AR", "RA"):
                    found[f"{name} {t} {pattern}{suffix}"] = (
                        "uint32_t shape[] = {(uint32_t)n(0), (uint32_t)n(1)};"
                        f"{name}<{t}, {pattern}>(Out(0)<{t}>(), In(0)<{t}>(), {room}shape, n(2) != 0);"
                    )
        for t in FLOATS:
            params = "{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2)}"
            for name in ("Sum", "Mean"):
                found[f"{name} {t}{suffix}"] = f"{name}<{t}>(Out(0)<{t}>(), In(0)<{t}>(), {room}{name}Params{params});"
            for config in ("byRow", "byColumn"):
                found[f"CumSum {t} {config}{suffix}"] = (
                    f"auto z = Out(0)<{t}>(); auto last = Out(1)<{t}>(); auto room = Room(); (void)room;"
                    f"CumSum<{t}, {config}>(z, last, In(0)<{t}>(), {room.replace('Room()', 'room')}"
                    "CumSumInfo{(uint32_t)n(0), (uint32_t)n(1)});"
                )
            quant = f"Out(0)<int8_t>(), In(0)<{t}>(), {room}"
            scale, offset = f"In(1)<{t}>()", f"In(2)<{t}>()"
            found |= {
                f"Quant {t} scalar{suffix}": f"AscendQuant<{t}>({quant}f(0), f(1), (uint32_t)n(0));",
                f"Quant {t} scalar whole{suffix}": f"AscendQuant<{t}>({quant}f(0), f(1));",
                f"Quant {t} mixed{suffix}": f"AscendQuant<{t}>({quant}{scale}, ({t})f(1), n(1), (uint32_t)n(0));",
                f"Quant {t} mixed whole{suffix}": f"AscendQuant<{t}>({quant}{scale}, ({t})f(1));",
                f"Quant {t} tensor{suffix}": f"AscendQuant<{t}>({quant}{scale}, {offset}, n(1), n(1), (uint32_t)n(0));",
                f"Quant {t} tensor whole{suffix}": f"AscendQuant<{t}>({quant}{scale}, {offset});",
            }
        found[f"ReduceXorSum{suffix}"] = (
            "auto z = Out(0)<int16_t>(); auto room = Room(); (void)room; ReduceXorSum(z, In(0)<int16_t>(), "
            f"In(1)<int16_t>(), {room.replace('Room()', 'room')}(uint32_t)n(0));"
        )
        for t in BROADCASTS:
            for name in ("Broadcast", "BroadCast"):  # the name of today and the old one
                for dim, axis in ((1, 0), (2, 0), (2, 1)):
                    found[f"{name} {t} {dim} {axis}{suffix}"] = (
                        "uint32_t to[] = {(uint32_t)n(0), (uint32_t)n(1)}, from[] = {(uint32_t)n(2), (uint32_t)n(3)};"
                        f"auto room = Room(); (void)room; {name}<{t}, {dim}, {axis}>(Out(0)<{t}>(), In(0)<{t}>(), "
                        f"to, from{', room' if room else ''});"
                    )
        for t, s in DEQUANTS:
            head = f"AscendDequant(Out(0)<{t}>(), In(0)<int32_t>(), In(1)<{s}>()"
            tail = f"{room}DequantParams{{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2)}});"
            found[f"Dequant {t} {s}{suffix}"] = f"{head}, {tail}"
            found[f"Dequant {t} {s} count{suffix}"] = f"{head}, {room}(uint32_t)n(2));"
            found[f"Dequant {t} {s} whole{suffix}"] = f"{head}{', Room()' if room else ''});"
            if s != "uint64_t":
                found[f"Dequant {t} {s} scalar{suffix}"] = (
                    f"AscendDequant(Out(0)<{t}>(), In(0)<int32_t>(), ({s})f(0), {tail}"
                )
        for t in ("half", "bfloat16_t"):
            for turned in ("false", "true"):
                anti = f"AscendAntiQuant<int8_t, {t}, {turned}>(Out(0)<{t}>(), In(0)<int8_t>(), "
                forms = {"tensor": f"In(2)<{t}>(), In(1)<{t}>()", "scalars": f"({t})f(1), ({t})f(0)"}
                if room:
                    forms |= {"scale": f"In(1)<{t}>()", "scalar": f"({t})f(0)"}
                for form, operands in forms.items():
                    found[f"AntiQuant {t} {turned} {form}{suffix}"] = f"{anti}{operands}, {room}(uint32_t)n(0));"
    for t in FLOATS:
        for u in MASKS:
            info = "SelectWithBytesMaskShapeInfo info; info.firstAxis = n(0); info.srcLastAxis = n(1);"
            info += "info.maskLastAxis = n(2);"
            for name in select_names(u):
                found[f"{name} {t} {u} first"] = (
                    f"{info} {name}(Out(0)<{t}>(), In(0)<{t}>(), ({t})f(0), In(1)<{u}>(), Room(), info);"
                )
                found[f"{name} {t} {u} second"] = (
                    f"{info} {name}(Out(0)<{t}>(), ({t})f(0), In(0)<{t}>(), In(1)<{u}>(), Room(), info);"
                )
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_rows"), PREAMBLE)


def padded(array: Array) -> Array:
    """Rows completed to whole blocks, with values that a sum would show."""
    block = 32 // array.dtype.itemsize
    wide = np.full((array.shape[0], -(-array.shape[1] // block) * block), 7, array.dtype)
    wide[:, : array.shape[1]] = array
    return wide


def close(got: Array, want: Array, where: str, ulps: int = 4) -> None:
    assert distance(got, want.astype(got.dtype)) <= ulps, f"{where}: {got} is not {want}"


def values(shape: tuple[int, int], dtype: type, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    if dtype == np.uint8:
        return (rng.random(shape) < 0.9).astype(np.uint8)
    return (1 + rng.random(shape) / 8).astype(dtype)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_a_pattern(probes: AdvProbes, name: str) -> None:
    dtypes, meaning = REDUCTIONS[name]
    for t in dtypes:
        for seed, shape in enumerate(SHAPES):
            x = values(shape, NUMPY[t], seed)
            if name in {"ReduceAll", "ReduceAny"}:
                x = np.where(np.random.default_rng(seed).random(shape) < (0.9 if name == "ReduceAll" else 0.1), 1, 0)
                x = x.astype(NUMPY[t])
            for suffix in ROOMS:
                for axis, pattern in ((1, "AR"), (0, "RA")):
                    want = np.asarray(meaning(x.astype(np.float64), axis=axis)).astype(NUMPY[t])
                    (got,) = probes(f"{name} {t} {pattern}{suffix}", [padded(x).ravel()], [np.zeros_like(want)],
                                    numbers=[*shape, 1], room=ENOUGH if suffix else 0)  # fmt: skip
                    if want.dtype == np.uint8:
                        assert (got == want).all()
                    else:
                        close(got, want, f"{name} {t} {pattern} {shape}", 64 if name == "ReduceProd" else 4)


@pytest.mark.parametrize("t", FLOATS)
def test_sum_and_mean(probes: AdvProbes, t: str) -> None:
    for seed, (m, n) in enumerate(SHAPES):
        x = values((m, n), FLOATS[t], seed)
        wide = padded(x)
        for suffix in ROOMS:
            for name, meaning in (("Sum", np.sum), ("Mean", np.mean)):
                (got,) = probes(f"{name} {t}{suffix}", [wide.ravel()], [np.zeros(m, FLOATS[t])],
                                numbers=[m, wide.shape[1], n], room=ENOUGH if suffix else 0)  # fmt: skip
                close(got, meaning(x.astype(np.float64), axis=1), f"{name} {t} {m} {n}")


def test_sum_adds_neighbours_two_by_two(probes: AdvProbes) -> None:
    x = np.float32([[2**24, 1, 1, 1, 1, 1, 1, 1]])  # from left to right the ones would all be lost
    (got,) = probes("Sum float", [x.ravel()], [np.zeros(1, np.float32)], numbers=[1, 8, 8])
    assert got == 2**24 + 6


def test_the_sum_of_exclusive_or(probes: AdvProbes) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 7, 33, 997):
        for bound in (9, 30000):
            a, b = rng.integers(-bound, bound, (2, n)).astype(np.int16)
            for suffix in ROOMS:
                (got,) = probes(f"ReduceXorSum{suffix}", [a, b], [np.zeros(1, np.int16)], numbers=[n],
                                room=6144 if suffix else 0)  # fmt: skip
                assert got[0] == np.clip((a ^ b).astype(np.int64).sum(), -32768, 32767)


@pytest.mark.parametrize("t", FLOATS)
def test_running_sums(probes: AdvProbes, t: str) -> None:
    block = 32 // np.dtype(FLOATS[t]).itemsize
    for seed, (m, n) in enumerate([(1, block), (7, 3 * block), (13, block)]):
        x = values((m, n), FLOATS[t], seed)
        for suffix in ROOMS:
            for axis, config in ((1, "byRow"), (0, "byColumn")):
                outs = [np.zeros(m * n, FLOATS[t]), np.zeros(n, FLOATS[t])]
                got = probes(f"CumSum {t} {config}{suffix}", [x.ravel()], outs, numbers=[m, n],
                             room=ENOUGH if suffix else 0)  # fmt: skip
                want = np.cumsum(x.astype(np.float64), axis=axis)
                close(got[0], want.ravel(), f"CumSum {t} {config}", 16)
                close(got[1], want[-1], f"CumSum {t} {config}", 16)


@pytest.mark.parametrize("t", BROADCASTS)
def test_broadcast(probes: AdvProbes, t: str) -> None:
    block = 32 // np.dtype(NUMPY[t]).itemsize
    rng = np.random.default_rng(2)
    for name in ("Broadcast", "BroadCast"):  # the name of today and the old one
        for suffix in ROOMS:
            room = ENOUGH if suffix else 0
            for m, k in ((1, block), (7, 3), (5, 2 * block)):
                column = rng.integers(0, 99, (m, 1)).astype(NUMPY[t])
                (got,) = probes(f"{name} {t} 2 1{suffix}", [column.ravel()], [np.zeros(m * k, NUMPY[t])],
                                numbers=[m, k, m, 1], room=room)  # fmt: skip
                assert (got.reshape(m, k) == column).all()
                row = rng.integers(0, 99, (1, 2 * block)).astype(NUMPY[t])
                (got,) = probes(f"{name} {t} 2 0{suffix}", [row.ravel()], [np.zeros(m * 2 * block, NUMPY[t])],
                                numbers=[m, 2 * block, 1, 2 * block], room=room)  # fmt: skip
                assert (got.reshape(m, -1) == row).all()
            (got,) = probes(f"{name} {t} 1 0{suffix}", [row[0, :1].copy()], [np.zeros(33, NUMPY[t])],
                            numbers=[33, 0, 1, 0], room=room)  # fmt: skip
            assert (got == row[0, 0]).all()


@pytest.mark.parametrize("t", FLOATS)
def test_select_by_the_bytes_of_a_mask(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(3)
    for u in MASKS:
        mask_type = np.uint8 if u == "bool" else NUMPY[u]
        for m, k, wide in ((1, 32, 32), (7, 32, 64), (3, 96, 96)):
            x = rng.standard_normal((m, k)).astype(FLOATS[t])
            mask = (rng.random((m, wide)) < 0.5).astype(mask_type)
            for name in select_names(u):
                for first in (True, False):
                    call = f"{name} {t} {u} {'first' if first else 'second'}"
                    (got,) = probes(call, [x.ravel(), mask.ravel()], [np.zeros(m * k, FLOATS[t])], numbers=[m, k, wide],
                                    reals=[2.5], room=ENOUGH)  # fmt: skip
                    want = np.where((mask[:, :k] == 0) == first, x, FLOATS[t](2.5))
                    assert (got.reshape(m, k) == want).all(), call


def bfloat(a: Array) -> Array:
    bits = np.asarray(a, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def as_type(a: Array, t: str) -> Array:
    return bfloat(a) if t == "bfloat16_t" else np.asarray(a).astype(NUMPY[t])


@pytest.mark.parametrize(("t", "s"), DEQUANTS)
def test_dequant(probes: AdvProbes, t: str, s: str) -> None:
    rng = np.random.default_rng(4)
    element = np.dtype(NUMPY[t]).itemsize
    # powers of two: the same in each type of scale
    scale = np.exp2(rng.integers(-6, 2, 16)).astype(np.float32)
    stored = scale.view(np.uint32).astype(np.uint64) if s == "uint64_t" else as_type(scale, s)
    for suffix in ROOMS:
        room = ENOUGH if suffix else 0
        for m, n, used in ((1, 16, 5), (3, 16, 16), (4, 8, 3)):
            x = rng.integers(-900, 900, (m, n)).astype(np.int32)
            width = -(-n * element // 32) * 32 // element
            dst = np.zeros(m * width, NUMPY[t])
            for call, factor in ((f"Dequant {t} {s}{suffix}", scale[:used]), (f"Dequant {t} {s} scalar{suffix}", 0.5)):
                if call not in probes.calls:
                    continue
                (got,) = probes(call, [x.ravel(), stored], [dst], numbers=[m, n, used], reals=[0.5], room=room,
                                load=True, checks=used == n == width)  # fmt: skip
                want = as_type(x[:, :used].astype(np.float32) * np.float32(factor), t)
                assert (got.reshape(m, width)[:, :used] == want).all(), call
        x = rng.integers(-900, 900, 64).astype(np.int32)  # one row of 64 is 4 of 16
        want = as_type((x.reshape(4, 16).astype(np.float32) * scale).ravel(), t)
        for form in ("count", "whole"):
            (got,) = probes(f"Dequant {t} {s} {form}{suffix}", [x, stored], [np.zeros(64, NUMPY[t])],
                            numbers=[0, 0, 16], room=room)  # fmt: skip
            assert (got == want).all()


@pytest.mark.parametrize("t", FLOATS)
def test_quant(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(5)
    h = np.float16
    scale, offset = (rng.uniform(0.5, 3, 32).astype(FLOATS[t]), rng.integers(-9, 9, 32).astype(FLOATS[t]))
    for n in (32, 64, 992):
        x = rng.uniform(-60, 60, n).astype(FLOATS[t])
        for suffix in ROOMS:
            for kind in ("scalar", "mixed", "tensor"):
                for whole in ("", " whole"):
                    (got,) = probes(f"Quant {t} {kind}{whole}{suffix}", [x, scale, offset], [np.zeros(n, np.int8)],
                                    numbers=[n, 32], reals=[1.5, 3.0], room=ENOUGH if suffix else 0)  # fmt: skip
                    s = np.resize(scale, n).astype(h) if kind != "scalar" else h(1.5)
                    o = np.resize(offset, n).astype(h) if kind == "tensor" else h(3.0)
                    want = np.clip(np.rint(x.astype(h) * s + o), -128, 127).astype(np.int8)
                    assert (got == want).all(), f"{t} {kind} {n}"


@pytest.mark.parametrize("t", ["half", "bfloat16_t"])
def test_anti_quant(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(6)
    k, n = 32, 64
    scale, offset = np.exp2(rng.integers(-4, 3, n)), rng.integers(-9, 9, n)
    for turned in ("false", "true"):
        x = rng.integers(-128, 127, (n, k) if turned == "true" else (k, n)).astype(np.int8)
        s, o = (scale[:, None], offset[:, None]) if turned == "true" else (scale, offset)
        meanings = {"tensor": (s, o), "scalars": (0.5, 3), "scale": (s, 0), "scalar": (0.5, 0)}
        for suffix in ROOMS:
            for form, (factor, summand) in meanings.items():
                call = f"AntiQuant {t} {turned} {form}{suffix}"
                if call in probes.calls:
                    operands = [x.ravel(), as_type(scale, t), as_type(offset, t)]
                    (got,) = probes(call, operands, [np.zeros(n * k, NUMPY[t])], numbers=[k], reals=[0.5, 3.0],
                                    room=ENOUGH if suffix else 0)  # fmt: skip
                    assert (got == as_type(((x + np.float64(summand)) * factor).ravel(), t)).all(), call


def test_anti_quant_of_half_rounds_its_sum(probes: AdvProbes) -> None:
    """The page's steps are Add and Mul of half."""
    rng = np.random.default_rng(7)
    x = rng.integers(-128, 127, (32, 64)).astype(np.int8)
    scale, offset = rng.uniform(-9, 9, 64).astype(np.float16), rng.uniform(-9, 9, 64).astype(np.float16)
    want = (x.astype(np.float16) + offset) * scale
    assert (want != ((x + offset.astype(np.float64)) * scale.astype(np.float64)).astype(np.float16)).any()
    (got,) = probes("AntiQuant half false tensor", [x.ravel(), scale, offset], [np.zeros(x.size, np.float16)],
                    numbers=[32])  # fmt: skip
    assert (got.reshape(x.shape) == want).all()


REFUSED = {
    "odd rows": ("ReduceSum float AR", [3, 7, 0], "ReduceSum: 3 rows of 7 elements, 7 apart",
                 "there is a row and a column, and the rows are multiples of 32 bytes apart",
                 "归约操作/ReduceSum接口/ReduceSum-90"),
    "no broadcast": ("Broadcast half 2 1", [4, 16, 2, 1], "Broadcast: [2, 1] to [4, 16] on axis 1",
                     "srcShape is dstShape but for 1 on the axis", "张量变换/Broadcast"),
    "odd row": ("Broadcast half 2 0", [4, 3, 1, 3], "Broadcast: 3 elements of 2 bytes",
                "of two dimensions the second of srcShape is a multiple of 32 bytes on axis 0", "张量变换/Broadcast"),
    "odd mask": ("Select half uint8_t first", [1, 16, 16], "Select: srcLastAxis is 16 and maskLastAxis 16",
                 "rows of source and mask are multiples of 32 bytes, the mask's of 16 elements and not the shorter",
                 "数据过滤/Select-95"),
    "odd sums": ("CumSum half byRow", [3, 7], "CumSum: outter is 3 and inner 7",
                 "outter and inner are not 0, and inner elements are a multiple of 32 bytes",
                 "数学计算/CumSum接口/CumSum"),
    "odd integers": ("Dequant bfloat16_t float", [1, 7, 7], "AscendDequant: n is 7 and calCount 7",
                     "a row of n int32_t is a multiple of 32 bytes, and calCount 1 to n of them",
                     "量化操作/AscendDequant"),
    "odd scales": ("Quant half mixed", [64, 24], "AscendQuant: calCount is 64, scaleCount 24, offsetCount 0",
                   "calCount is a multiple of 32 bytes of results and of scaleCount, which offsetCount is too",
                   "量化操作/AscendQuant"),
    "odd k": ("AntiQuant half false scalars", [33], "AscendAntiQuant: 256 elements, k is 33",
              "the source has whole rows or columns of k elements", "量化操作/AscendAntiQuant"),
}  # fmt: skip


# Measured: numbers of the call, and what CANN's function calls minValue for its shape.
LEASTS = {
    "ReduceMean float RA room": ([32, 7, 1], 512), "ReduceMean float AR room": ([5, 1024, 1], 10240),
    "ReduceMax float AR room": ([5, 33, 1], 160), "ReduceProd float AR room": ([16, 1000, 1], 2816),
    "ReduceAll uint8_t AR room": ([16, 64, 1], 640), "CumSum float byRow room": ([5, 256], 32768),
    "CumSum half byColumn room": ([31, 256], 31744), "Broadcast float 2 1 room": ([17, 32, 17, 1], 256),
    "Broadcast uint8_t 2 0 room": ([31, 128, 1, 128], 8224), "Select float uint8_t first": ([17, 128, 128], 4864),
    "AntiQuant bfloat16_t true scale room": ([32], 2560),
}  # fmt: skip


@pytest.mark.parametrize("call", LEASTS)
def test_canns_least_room_is_enough_and_less_is_told(probes: AdvProbes, call: str) -> None:
    numbers, least = LEASTS[call]
    count = 256 if call.startswith("Anti") else 17 * 1024
    dtype = next(NUMPY[word] for word in call.split() if word in NUMPY)
    inputs = [np.zeros(count, np.int8 if call.startswith("Anti") else dtype), np.zeros(8192, np.uint8)]
    if call.startswith("Anti"):
        inputs[1] = np.zeros(8, dtype)
    outs = [np.zeros(count, dtype), np.zeros(256, dtype)]
    probes(call, inputs, outs, numbers=numbers, room=least, load=True)  # not every element is written
    with pytest.raises(LaunchError) as refused:
        probes(call, inputs, outs, numbers=numbers, room=least - 32, load=True)
    assert f"sharedTmpBuffer has {least - 32} bytes, but at least {least} are needed" in refused.value.report


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: str) -> None:
    call, numbers, said, rule, page = REFUSED[case]
    x = np.zeros(256, np.uint8)
    with pytest.raises(LaunchError) as refused:
        probes(call, [x, x, x], [x, x], numbers=numbers, room=512)
    report = "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", refused.value.report).splitlines()[:2])
    assert report == f"Probe: block 0 of 1: HERE: {said}\n  rule: {rule} [高阶API/{page}]"
