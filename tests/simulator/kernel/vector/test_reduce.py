"""Reductions of repeats, blocks, pairs and tensors, and Brcb, against trees and models in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Array, LaunchError
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

TYPES = ["half", "float"]
SIZES = [1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 255, 256, 257, 997, 4096, 8191]
ORDERS = ["ORDER_VALUE_INDEX", "ORDER_INDEX_VALUE", "ORDER_ONLY_VALUE", "ORDER_ONLY_INDEX"]
BITS = "uint64_t bits[2] = {0xF0F0F0F0F0F0F0F3ull, 0x8000000000000001ull};"
WORD = {64: 0xF0F0F0F0F0F0F0F3, 128: 0xF0F0F0F0F0F0F0F3 | 0x8000000000000001 << 64}


def by_repeats(t: str) -> dict[str, str]:
    calls = {}
    for op in ("Sum", "Max", "Min"):
        calls[f"Whole{op}"] = f"WholeReduce{op}(z, x, data.lanes, data.repeat, 1, 1, 8);"
        calls[f"Whole{op} bits"] = f"{BITS} WholeReduce{op}(z, x, bits, data.repeat, 1, 2, 16);"
        calls[f"Block{op}"] = f"BlockReduce{op}(z, x, data.repeat, data.lanes, 2, 1, 8);"
        calls[f"Block{op} bits"] = f"{BITS} BlockReduce{op}(z, x, data.repeat, bits, 1, 1, 8);"
        register = f"SetMaskNorm(); SetVectorMask<{t}>(data.lanes);"
        upper = op.upper()
        calls[f"Whole{op} register"] = (
            f"{register} ReduceRepeat<ReduceType::{upper}, {t}, {t}, false>"
            "(z, x, MASK_PLACEHOLDER, data.repeat, 1, 1, 8);"
        )
        calls[f"Block{op} register"] = (
            f"{register} ReduceDataBlock<ReduceType::{upper}, {t}, {t}, false>"
            "(z, x, MASK_PLACEHOLDER, data.repeat, 2, 1, 8);"
        )
    calls["PairSum"] = "PairReduceSum(z, x, data.repeat, data.lanes, 1, 1, 8);"
    calls["PairSum bits"] = f"{BITS} ReducePairElem<ReduceType::SUM, {t}, {t}>(z, x, bits, data.repeat, 1, 1, 8);"
    calls["WholeSum repeat"] = "RepeatReduceSum(z, x, data.repeat, data.lanes, 0, 1, 1, 8);"
    calls["WholeSum counter"] = "SetMaskCount(); WholeReduceSum(z, x, data.lanes, 1, 1, 1, 8); SetMaskNorm();"
    return calls


def of_all(t: str) -> dict[str, str]:
    work = f"LocalTensor<{t}> w = work.template Get<{t}>();"
    calls = {"Sum": "ReduceSum(z, x, x, data.count);"}
    calls["Sum register"] = f"SetMaskCount(); SetVectorMask<{t}>(0, data.count); ReduceSum<{t}, false>(z, x, x, 1);"
    calls["Sum masked"] = f"{work} ReduceSum(z, x, w, data.lanes, data.repeat, 8);"
    for op in ("Max", "Min"):
        calls[op] = f"{work} Reduce{op}(z, x, w, data.count);"
        calls[f"{op} index"] = f"{work} Reduce{op}(z, x, w, data.count, true);"
        calls[f"{op} in place"] = f"Reduce{op}(x, x, x, data.count, true); Adds(z, x, ({t})0, 2);"
        calls[f"{op} masked"] = f"{work} Reduce{op}(z, x, w, data.lanes, data.repeat, 8, true);"
        calls[f"{op} bits"] = f"{BITS} {work} Reduce{op}(z, x, w, bits, data.repeat, 8, true);"
    return calls


def ordered(op: str) -> dict[str, str]:
    return {
        order: f"WholeReduce{op}(z, x, data.lanes, data.repeat, 1, 1, 8, ReduceOrder::{order});" for order in ORDERS
    }


def registers(t: str) -> dict[str, str]:
    put = f"auto v = z.template ReinterpretCast<{t}>();"
    return {
        "sum": f"ReduceSum(z, x, x, data.count); {t} s = GetReduceRepeatSumSpr<{t}>(); {t} a = GetAccVal<{t}>();"
        f" int64_t bits = GetAccVal(); int64_t same = GetReduceRepeatSumSpr(); {t} b;"
        " __builtin_memcpy(&b, &bits, sizeof(b));"
        f" {put} v.SetValue(0, s); v.SetValue(1, same == bits && b == s ? a : ({t})0);",
        "extreme": f"WholeReduceMax(y, x, 256 / sizeof({t}), data.count * sizeof({t}) / 256, 1, 1, 8); {t} m, i;"
        f" GetReduceRepeatMaxMinSpr(m, i); {put} v.SetValue(0, m); v.SetValue(1, i); GetReduceMaxMinCount(m, i);"
        " v.SetValue(2, m); v.SetValue(3, i); uint32_t vBits, iBits;"
        f" GetReduceRepeatMaxMinSpr<{t}>(vBits, iBits); auto w = z.template ReinterpretCast<uint32_t>();"
        f" w.SetValue(4, vBits); w.SetValue(5, iBits); GetReduceMaxMinCount<{t}>(vBits, iBits); w.SetValue(6, vBits);",
        "value": f"ReduceMin(z, x, work.template Get<{t}>(), data.count); {t} m; GetReduceRepeatMaxMinSpr(m);"
        f" {t} n; GetReduceMaxMinCount(n); {put} v.SetValue(0, m); v.SetValue(1, n);",
    }


BRCB = "Brcb(z, x, data.repeat, {2, 17});"
BRCB_TYPES = ["int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"]


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [Choice(t, t, BRCB) for t in BRCB_TYPES]
    for t in TYPES:
        calls = [*by_repeats(t).values(), *of_all(t).values(), *registers(t).values()]
        calls += [call for op in ("Max", "Min") for call in ordered(op).values()]
        choices += [Choice(t, t, call) for call in calls]
    return compile_probes(root, choices, tmp_path_factory.mktemp("reduce"))


def tree(values: Array) -> np.generic:
    """Neighbours are added until one is left; each sum is rounded to the type."""
    with np.errstate(all="ignore"):
        while len(values) > 1:
            odd = values[-1:] if len(values) % 2 else values[:0]
            values = np.concatenate([values[0 : len(values) - len(odd) : 2] + values[1::2], odd])
    return values[0]


def masked_tree(values: Array, present: Array) -> np.generic:
    padded = np.where(present, values, values.dtype.type(0))
    return tree(padded)


def index_bits(index: int, t: str) -> np.generic:
    return np.array([index], f"u{np.dtype(NUMPY[t]).itemsize}").view(NUMPY[t])[0]


def best(op: str, values: Array) -> int:
    """The first NaN, or the first of the greatest or least."""
    nan = np.flatnonzero(np.isnan(values))
    if len(nan):
        return int(nan[0])
    return int(values.argmax() if op == "Max" else values.argmin())


def data(t: str, size: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(size) * 8).astype(NUMPY[t])


def expected_repeats(shown: str, x: Array, z: Array, lanes: int, repeats: int) -> Array:
    t = "half" if x.dtype == np.float16 else "float"
    result = z.copy()
    size = np.dtype(NUMPY[t]).itemsize
    width, block = 256 // size, 32 // size
    kind, op = shown.split(maxsplit=1)[0][:-3], shown.split(maxsplit=1)[0][-3:]
    spread = "bits" in shown and kind == "Whole"
    for r in range(repeats):
        line = x[r * 2 * width :].reshape(-1, block)[:16:2].ravel() if spread else x[r * width : (r + 1) * width]
        present = np.arange(width) < lanes
        if "bits" in shown:
            present = np.array([WORD[width] >> lane & 1 for lane in range(width)], bool)
        if "counter" in shown:
            present = np.arange(r * width, (r + 1) * width) < lanes
        if not present.any():
            continue
        if kind == "Whole":
            chosen = np.flatnonzero(present)
            if op == "Sum":
                result[r] = masked_tree(line, present)
            else:
                at = int(chosen[best(op, line[chosen])])
                result[2 * r : 2 * r + 2] = line[at], index_bits(at, t)
            continue
        per = block if kind == "Block" else 2
        step = {"Block": 8 if "bits" in shown else 16, "Pair": 64 if size == 2 else 32}[kind]
        for first in range(0, width, per):
            some = present[first : first + per]
            if some.any():
                values = line[first : first + per]
                chosen = np.flatnonzero(some)
                result[r * step + first // per] = (
                    masked_tree(values, some) if op == "Sum" else values[chosen][best(op, values[chosen])]
                )
    return result


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("t", TYPES)
def test_repeats(probes: Probes, t: str, *, checks: bool) -> None:
    width = 256 // np.dtype(NUMPY[t]).itemsize
    for seed, (shown, call) in enumerate(by_repeats(t).items()):
        for repeats, lanes in ((1, 1), (3, width), (5, width // 2 + 1), (2, width - 1), (2, width + 3)):
            counted = "counter" in shown
            if lanes > width and not counted:
                continue
            x = data(t, 12 * width, seed + repeats)
            x[3] = x[:lanes].max()  # ties: the first one counts
            z = np.full(6 * width, 9, NUMPY[t])
            many = -(-lanes // width) if counted else repeats
            got = probes(Choice(t, t, call), x, x, z, repeat=repeats, lanes=lanes, checks=checks)
            want = expected_repeats(shown, x, z, lanes, many)
            assert got.tobytes() == want.tobytes(), (shown, repeats, lanes)


@pytest.mark.parametrize("op", ["Max", "Min"])
@pytest.mark.parametrize("t", TYPES)
def test_orders(probes: Probes, t: str, op: str) -> None:
    size = np.dtype(NUMPY[t]).itemsize
    width = 256 // size
    x = data(t, 4 * width, 5)
    x[width + 7] = np.nan
    lines = x.reshape(4, width)[:, : width - 5]
    at = [best(op, line) for line in lines]
    values = [line[i] for line, i in zip(lines, at, strict=True)]
    indices = [index_bits(i, t) for i in at]
    for order, call in ordered(op).items():
        got = probes(Choice(t, t, call), x, x, np.zeros(16, NUMPY[t]), repeat=4, lanes=width - 5)
        if order == "ORDER_ONLY_INDEX":
            assert got.view(np.uint32)[:4].tolist() == at
            continue
        pairs = {"ORDER_VALUE_INDEX": (values, indices), "ORDER_INDEX_VALUE": (indices, values)}.get(order)
        want = np.array(values if pairs is None else list(zip(*pairs, strict=True)), NUMPY[t]).ravel()
        assert got[: len(want)].tobytes() == want.tobytes(), order


def sum_of(t: str, x: Array) -> np.generic:
    """By count: repeats as trees, their sums in order."""
    width = 256 // np.dtype(NUMPY[t]).itemsize
    sums = [masked_tree(np.pad(x[i : i + width], (0, max(0, i + width - len(x)))), np.arange(width) < len(x) - i)
            for i in range(0, len(x), width)]  # fmt: skip
    total = sums[0]
    for value in sums[1:]:
        total = NUMPY[t](total + value)
    return total


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("t", TYPES)
def test_whole_tensors(probes: Probes, t: str, *, checks: bool) -> None:
    width = 256 // np.dtype(NUMPY[t]).itemsize
    for size in SIZES:
        x = data(t, size, size)
        x[size // 2] = x.max()
        for shown, call in of_all(t).items():
            if "masked" in shown or "bits" in shown:
                continue
            got = probes(Choice(t, t, call), x, x, np.full(max(size, 2), 9, NUMPY[t]), checks=checks)
            if shown.startswith("Sum"):
                assert got[0] == sum_of(t, x), (shown, size)
                continue
            at = best(shown[:3], x)
            assert got[0] == x[at], (shown, size)
            assert got[1].tobytes() == (NUMPY[t](9) if shown in {"Max", "Min"} else index_bits(at, t)).tobytes()
    for repeats, lanes in ((1, 1), (3, width), (7, width // 2 + 3), (20, width - 1)):
        x = data(t, repeats * width, repeats)
        for shown, call in of_all(t).items():
            if "masked" not in shown and "bits" not in shown:
                continue
            present = np.arange(width) < lanes
            if "bits" in shown:
                present = np.array([WORD[width] >> lane & 1 for lane in range(width)], bool)
            got = probes(Choice(t, t, call), x, x, x, repeat=repeats, lanes=lanes, checks=checks)
            lines = x.reshape(repeats, width)
            if shown.startswith("Sum"):
                assert got[0] == tree(np.array([masked_tree(line, present) for line in lines])), (repeats, lanes)
                continue
            chosen = np.flatnonzero(np.tile(present, repeats))
            at = int(chosen[best(shown[:3], x[chosen])])
            assert (got[0], got[1].tobytes()) == (x[at], index_bits(at, t).tobytes()), (shown, repeats, lanes)


@pytest.mark.parametrize("t", TYPES)
def test_registers(probes: Probes, t: str) -> None:
    width = 256 // np.dtype(NUMPY[t]).itemsize
    x = data(t, 5 * width, 3)
    calls = registers(t)
    got = probes(Choice(t, t, calls["sum"]), x, x, x)
    assert got[0] == got[1] == sum_of(t, x)
    got = probes(Choice(t, t, calls["extreme"]), x, x, x)
    at = int(x.argmax())
    assert got[0] == got[2] == x[at]
    assert got[1].tobytes() == got[3].tobytes() == index_bits(at, t).tobytes()
    bits = int(x[at : at + 1].view(f"u{x.itemsize}")[0])
    assert got.view(np.uint32)[4:7].tolist() == [bits, at, bits]
    got = probes(Choice(t, t, calls["value"]), x, x, x)
    assert got[0] == got[1] == x.min()


def test_half_overflows_within_the_tree(probes: Probes) -> None:
    x = np.array([60000, 60000, -60000, -60000], np.float16)
    got = probes(Choice("half", "half", of_all("half")["Sum"]), x, x, x)
    assert np.isnan(got[0])


@pytest.mark.parametrize("t", BRCB_TYPES)
def test_brcb(probes: Probes, t: str) -> None:
    per = 32 // np.dtype(NUMPY[t]).itemsize
    for repeats in (0, 1, 3):
        x = np.arange(1, 8 * 4 + 1).astype(NUMPY[t])
        z = np.zeros(per * 64, NUMPY[t])
        want = z.copy()
        for r in range(repeats):
            for j in range(8):
                start = (r * 17 + j * 2) * per
                want[start : start + per] = x[r * 8 + j]
        assert (probes(Choice(t, t, BRCB), x, x, z, repeat=repeats) == want).all()


def test_work_too_small_is_refused(root: Path, tmp_path: Path) -> None:
    call = "LocalTensor<float> w = work.template Get<float>(8); ReduceMax(z, x, w, data.count, true);"
    probes = compile_probes(root, [Choice("float", "float", call)], tmp_path)
    x = np.zeros(64 * 9, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(probes.choices[0], x, x, x)
    assert refused.value.report.endswith(
        "ReduceMax: 128 bytes are needed, sharedTmpBuffer has 32\n  rule: sharedTmpBuffer has room for the results of"
        " each round [基础API/Memory矢量计算/归约计算/ReduceMax]"
    )
    assert probes(probes.choices[0], x[:70], x[:70], x[:70])[0] == 0
