"""Gather, GatherMask, sorts, transposes and indices against their meaning in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Array
from index_probes import FLOATS, MASK_PARAMS, IndexProbes, compile_index_probes, descending, mask_fixed, scores, some
from probes import NUMPY

pytestmark = pytest.mark.compiler

GATHERED = ("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float")
COUNTED = ("int16_t", "half", "int32_t", "float")
ROOMS = ("work.template Get<uint8_t>(),", "")  # of TopK: given, or what TPipe has left
TRANSPOSED = ("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float")


def gather(t: str) -> str:
    return f"Gather(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0], p[1]);"


def gather_lanes(t: str) -> str:
    return f"Gather(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0], p[1], p[2], p[3]);"


def gather_bits(t: str) -> str:
    return (
        "uint64_t mask[2] = {p[4], p[5]};"
        f"Gather(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0], mask, p[2], p[3]);"
    )


def gather_counted(t: str) -> str:
    return (
        f"SetMaskCount(); Gather(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), 0, p[0],"
        f" uint8_t(1), uint16_t(8)); GatherMask(z.template Get<{t}>()[p[1]], z.template Get<{t}>(), uint8_t(1), true,"
        " 8, {1, 1, 8, 0}, *const_cast<uint64_t*>(p + 2)); SetVectorMask<float, MaskMode::NORMAL>(0, 1);"
        f" Adds<{t}, false>(z.template Get<{t}>()[p[1]], z.template Get<{t}>()[p[1]], ({t})1, MASK_PLACEHOLDER, 1,"
        " {1, 1, 8, 8}); ResetMask();"
    )


def gather_blocks(t: str) -> str:
    return (
        f"Gatherb(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0],"
        " GatherRepeatParams(p[1], p[2]));"
    )


def mask_user(t: str) -> str:
    u = "uint16_t" if np.dtype(NUMPY[t]).itemsize == 2 else "uint32_t"
    return (
        f"uint64_t kept = 0; GatherMask(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<{u}>(), p[0] != 0,"
        f" p[1], {MASK_PARAMS}, kept); tell(0, kept);"
    )


def create(t: str) -> str:
    return (
        f"{t} first; __builtin_memcpy(&first, &p[0], sizeof(first));"
        f" CreateVecIndex(z.template Get<{t}>(), first, p[1]);"
    )


def create_bits(t: str) -> str:
    return (
        f"{t} first; __builtin_memcpy(&first, &p[0], sizeof(first)); uint64_t mask[2] = {{p[4], p[5]}};"
        f" auto dst = z.template Get<{t}>(); CreateVecIndex(dst, first, mask, p[1], p[2], p[3]);"
    )


def create_lanes(t: str) -> str:
    return (
        f"{t} first; __builtin_memcpy(&first, &p[0], sizeof(first)); auto dst = z.template Get<{t}>();"
        " CreateVecIndex(dst, first, p[4], p[1], p[2], p[3]);"
    )


def arange(name: str, t: str) -> str:
    return (
        f"{t} first, step; __builtin_memcpy(&first, &p[0], sizeof(first));"
        " __builtin_memcpy(&step, &p[1], sizeof(step));"
        f" {name}(z.template Get<{t}>(), first, step, static_cast<int32_t>(p[2]));"
    )


def sort32(t: str) -> str:
    return f"Sort32(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0]);"


def full_sort(t: str, full: str) -> str:
    return (
        f"auto tmp = work.template Get<{t}>(); LocalTensor<{t}> concat; LocalTensor<{t}> sorted ="
        f" tmp[32768 / sizeof({t})]; const uint32_t n = 32 * p[0];"
        f"Concat(concat, x.template Get<{t}>(), tmp, 2 * p[0]);"
        f"Sort<{t}, {full}>(sorted, concat, y.template Get<uint32_t>(), tmp, p[0]);"
        f"auto index = z.template Get<uint32_t>(); auto value = z.template Get<{t}>();"
        f"Extract(value, index[GetSortLen<{t}>(n) * sizeof({t}) / 8], sorted, p[0]);"
    )


# z: the merged pairs; x: four lists of p[0..3] pairs, one behind the other
def merge(t: str) -> str:
    return (
        f"auto lists = x.template Get<{t}>(); const uint32_t each = 8 / sizeof({t}); uint16_t n[4] = {{uint16_t(p[0]),"
        " uint16_t(p[1]), uint16_t(p[2]), uint16_t(p[3])};"
        f"MrgSortSrcList<{t}> list(lists, lists[p[0] * each], lists[(p[0] + p[1]) * each],"
        " lists[(p[0] + p[1] + p[2]) * each]);"
        f"MrgSort(z.template Get<{t}>(), list, MrgSort4Info(n, p[5] != 0, p[4], p[6]));"
        "if (p[5] != 0) { uint16_t a, b, c, d; GetMrgSortResult(a, b, c, d); tell(0, a); tell(1, b); tell(2, c);"
        " tell(3, d); }"
    )


def merge_high(t: str, suspend: str) -> str:
    return (
        f"auto lists = x.template Get<{t}>(); const uint32_t each = GetSortOffset<{t}>(1); uint16_t n[4] = {{"
        "uint16_t(p[0]), uint16_t(p[1]), uint16_t(p[2]), uint16_t(p[3])};"
        f"MrgSortSrcList<{t}> list(lists, lists[p[0] * each], lists[(p[0] + p[1]) * each],"
        " lists[(p[0] + p[1] + p[2]) * each]);"
        f"uint32_t done[4] = {{7, 7, 7, 7}}; MrgSort<{t}, {suspend}>(z.template Get<{t}>(), list, n, done, p[4], 1);"
        "for (int i = 0; i < 4; ++i) { tell(i, done[i]); }"
    )


def top_k(t: str, own: str, finish: str, mode: str, room: str) -> str:
    """p: k, outter, inner, n, largest; y: the source's indices, behind them what is finished."""
    return (
        "const int32_t k = p[0]; TopKInfo info; info.outter = p[1]; info.inner = p[2]; info.n = p[3];"
        "TopkTiling tiling; tiling.allDataSize = p[1] * p[2]; tiling.tmpLocalSize = 512;"
        f"auto value = z.template Get<{t}>(); auto index = z.template Get<int32_t>()[p[5]];"
        f"auto finished = y.template Get<int32_t>()[p[6]].template ReinterpretCast<bool>();"
        f"TopK<{t}, {own}, {finish}, false, TopKMode::{mode}>(value, index, x.template Get<{t}>(),"
        f" y.template Get<int32_t>(), finished, {room} k, tiling, info, p[4] != 0);"
    )


def to_5hd(t: str, form: str) -> str:
    bytes_of = f"sizeof({t})"
    params = "TransDataTo5HDParams(p[0] != 0, p[1] != 0, p[2], p[3], p[4])"
    place = {
        "address": f"uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) {{ d[i] = z.template Get<{t}>()[i * p[5] /"
        f" {bytes_of}].GetPhyAddr(); s[i] = x.template Get<{t}>()[i * p[6] / {bytes_of}].GetPhyAddr(); }}",
        "pointer": f"__ubuf__ {t} *d[16], *s[16]; for (int i = 0; i < 16; ++i) {{ d[i] = (__ubuf__ {t}*)z.template"
        f" Get<{t}>()[i * p[5] / {bytes_of}].GetPhyAddr(); s[i] = (__ubuf__ {t}*)x.template Get<{t}>()[i * p[6] /"
        f" {bytes_of}].GetPhyAddr(); }}",
        "tensor": f"LocalTensor<{t}> d[16], s[16]; for (int i = 0; i < 16; ++i) {{ d[i] = z.template Get<{t}>()[i *"
        f" p[5] / {bytes_of}]; s[i] = x.template Get<{t}>()[i * p[6] / {bytes_of}]; }}",
        "stored": "auto d = work.template Get<uint64_t>(); auto s = d[16]; for (int i = 0; i < 16; ++i) { d.SetValue(i,"
        f" z.template Get<{t}>()[i * p[5] / {bytes_of}].GetPhyAddr()); s.SetValue(i, x.template Get<{t}>()[i * p[6] /"
        f" {bytes_of}].GetPhyAddr()); }} SetFlag<HardEvent::S_V>(EVENT_ID1); WaitFlag<HardEvent::S_V>(EVENT_ID1);",
    }[form]
    function = "TransDataTo5HDImpl" if form == "pointer" else "TransDataTo5HD"
    return f"{place} {function}<{t}>(d, s, {params});"


def transpose(t: str) -> str:
    return f"Transpose(z.template Get<{t}>(), x.template Get<{t}>());"


def transpose_ext(t: str) -> str:
    return (
        f"Transpose(z.template Get<{t}>(), x.template Get<{t}>(), work.template Get<uint8_t>(),"
        " TransposeParamsExt(p[0], p[1], p[2], p[3], static_cast<TransposeType>(p[4])));"
    )


CALLS = (
    *(form(t) for form in (gather, gather_lanes, gather_bits, mask_fixed, mask_user) for t in GATHERED),
    gather_counted("float"),
    *(gather_blocks(t) for t in ("uint16_t", "uint32_t")),
    *(form(t) for form in (create, create_bits, create_lanes) for t in COUNTED),
    *(arange(name, t) for name in ("Arange", "ArithProgression") for t in COUNTED),
    *(form(t) for form in (sort32, merge) for t in FLOATS),
    *(full_sort(t, full) for t in FLOATS for full in ("true", "false")),
    *(merge_high(t, suspend) for t in FLOATS for suspend in ("true", "false")),
    *(top_k(t, own, "false", "TOPK_NORMAL", room) for t in FLOATS for own in ("true", "false") for room in ROOMS),
    *(top_k(t, "true", "true", "TOPK_NORMAL", ROOMS[0]) for t in FLOATS),
    *(top_k(t, own, "false", "TOPK_NSMALL", ROOMS[0]) for t in FLOATS for own in ("true", "false")),
    *(to_5hd(t, "address") for t in TRANSPOSED),
    to_5hd("half", "tensor"),
    to_5hd("half", "stored"),
    to_5hd("half", "pointer"),
    *(transpose(t) for t in ("int16_t", "uint16_t", "half")),
    *(transpose_ext(t) for t in TRANSPOSED),
)


@pytest.fixture(scope="session")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> IndexProbes:
    return compile_index_probes(root, CALLS, tmp_path_factory.mktemp("index"))


def size_of(t: str) -> int:
    return np.dtype(NUMPY[t]).itemsize


def bit_words(bits: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[int]:
    words = np.packbits(np.resize(bits, 128) if len(bits) == 128 else np.pad(bits, (0, 64)), bitorder="little")
    return [int(word) for word in words.view(np.uint64)[:2]]


@pytest.mark.parametrize("t", GATHERED)
def test_gather(probes: IndexProbes, t: str) -> None:
    rng = np.random.default_rng(3)
    size = size_of(t)
    x = some(t, 333)
    for count, base in ((0, 0), (1, 0), (7, 2 * size), (64, 0), (127, 10 * size), (997, 0)):
        index = rng.integers(0, 320, count)
        z = some(t, 1000, 9)
        got, _ = probes(
            gather(t), x, (index * size).astype(np.uint32) if count else np.zeros(8, np.uint32), z, base, count
        )
        want = z.copy()
        want[:count] = x[index + base // size]
        assert got.tobytes() == want.tobytes(), (count, base)


@pytest.mark.parametrize("t", GATHERED)
def test_gather_by_repeats(probes: IndexProbes, t: str) -> None:
    rng = np.random.default_rng(4)
    size = size_of(t)
    each, block = 256 // size, 32 // size
    x = some(t, 300)
    for lanes, times, stride in ((1, 1, 8), (each, 3, 8), (each - 1, 2, 9), (5, 4, 1), (each, 0, 8)):
        index = rng.integers(0, 300, max(times, 1) * each)
        z = some(t, 1500, 9)
        want = z.copy()
        bits = rng.random(each) < 0.5
        bits[0] = True
        wanted_bits = z.copy()
        for r in range(times):
            for i in range(each):
                to = r * stride * block + i
                if i < lanes:
                    want[to] = x[index[r * each + i]]
                if bits[i]:
                    wanted_bits[to] = x[index[r * each + i]]
        offsets = (index * size).astype(np.uint32)
        got, _ = probes(gather_lanes(t), x, offsets, z, 0, lanes, times, stride)
        assert got.tobytes() == want.tobytes(), (lanes, times, stride)
        got, _ = probes(gather_bits(t), x, offsets, z, 0, 0, times, stride, *bit_words(bits))
        assert got.tobytes() == wanted_bits.tobytes(), (lanes, times, stride)


def test_gather_in_counter_mode(probes: IndexProbes) -> None:
    """The mask counts elements, and GatherMask leaves the normal mode behind, as documented."""
    x = some("float", 300)
    for count in (1, 63, 64, 65, 200):
        index = np.random.default_rng(count).integers(0, 300, count)
        z = some("float", 300, 9)
        got, _ = probes(gather_counted("float"), x, (index * 4).astype(np.uint32), z, count, 256)
        want = z.copy()
        want[:count] = x[index]
        want[256:260] = want[:8:2]
        want[256] += 1
        assert got.tobytes() == want.tobytes(), count


@pytest.mark.parametrize("t", ["uint16_t", "uint32_t"])
def test_gather_blocks(probes: IndexProbes, t: str) -> None:
    per = 32 // size_of(t)
    x = some(t, 40 * per)
    for times, block, repeat in ((0, 1, 8), (1, 1, 8), (3, 1, 8), (2, 2, 17), (2, 0, 8)):
        index = np.random.default_rng(times).integers(0, 40, max(times, 1) * 8)
        z = some(t, 60 * per, 5)
        got, _ = probes(gather_blocks(t), x, (index * 32).astype(np.uint32), z, times, block, repeat)
        want = z.copy().reshape(60, per)
        for i in range(8 * times):
            want[i // 8 * repeat + i % 8 * max(block, 1)] = x.reshape(40, per)[index[i]]
        assert got.tobytes() == want.tobytes()


def chosen(x: Array, repeats: list[tuple[int, int]], block_stride: int, keep: list[Array]) -> Array:
    """Element i of a repeat that starts at a block and has `count` elements, where keep says so."""
    per = 32 // x.itemsize
    out = [
        x[(start + i // per * block_stride) * per + i % per]
        for (start, count), bits in zip(repeats, keep, strict=True)
        for i in range(count)
        if bits[i]
    ]
    return np.array(out, x.dtype)


@pytest.mark.parametrize("t", GATHERED)
def test_gather_mask(probes: IndexProbes, t: str) -> None:
    """Patterns 1 to 7, by repeats of 256 bytes and by counter, with strides."""
    each = 256 // size_of(t)
    x = some(t, 12 * each)
    fixed = {1: (2, (0,)), 2: (2, (1,)), 3: (4, (0,)), 4: (4, (1,)), 5: (4, (2,)), 6: (4, (3,)), 7: (1, (0,))}
    for pattern, (period, kept) in fixed.items():
        for counter, mask, block, times, repeat in (
            (0, 0, 1, 3, 8), (0, 0, 2, 2, 16), (1, 70, 1, 2, 8), (1, 1, 1, 1, 0), (1, 5 * each + 3, 1, 1, 0),
            (0, 0, 1, 0, 8),
        ):  # fmt: skip
            count = mask if counter else each
            bits = np.isin(np.arange(count) % period, kept)
            want = chosen(x, [(r * repeat, count) for r in range(times)], block, [bits] * times)
            z = some(t, 12 * each, 6)
            got, told = probes(mask_fixed(t), x, some(t, 64), z, counter, mask, block, times, repeat, 0, pattern)
            full = z.copy()
            full[: len(want)] = want
            assert got.tobytes() == full.tobytes(), (pattern, counter, mask, block, times, repeat)
            assert list(told[:2]) == [len(want), len(want)]


@pytest.mark.parametrize("t", GATHERED)
def test_gather_mask_of_the_user(probes: IndexProbes, t: str) -> None:
    each = 256 // size_of(t)
    x = some(t, 12 * each)
    rng = np.random.default_rng(8)
    for counter, mask, block, times, repeat, pattern_stride in (
        (0, 0, 1, 3, 8, 1), (0, 0, 1, 3, 8, 0), (1, 70, 1, 2, 8, 1), (1, 37, 2, 1, 0, 0), (1, 3 * each + 1, 1, 1, 0, 0),
    ):  # fmt: skip
        count = mask if counter else each
        words = rng.integers(0, 256, 160).astype(np.uint8)
        bits = np.unpackbits(words, bitorder="little").astype(bool)
        keep = [bits[r * pattern_stride * 256 :][:count] for r in range(times)]
        want = chosen(x, [(r * repeat, count) for r in range(times)], block, keep)
        z = some(t, 12 * each, 6)
        got, told = probes(mask_user(t), x, words, z, counter, mask, block, times, repeat, pattern_stride)
        assert got[: len(want)].tobytes() == want.tobytes()
        assert got[len(want) :].tobytes() == z[len(want) :].tobytes()
        assert told[0] == len(want)


def scalar_bits(t: str, value: float) -> int:
    return int.from_bytes(np.array(value, NUMPY[t]).tobytes(), "little")


@pytest.mark.parametrize("t", COUNTED)
def test_create_vec_index(probes: IndexProbes, t: str) -> None:
    y = np.zeros(8, np.int32)
    each, block = 256 // size_of(t), 32 // size_of(t)
    for count in (0, 1, block - 1, block, block + 1, each, each + 1, 997):
        z = some(t, 1000)
        got, _ = probes(create(t), y, y, z, scalar_bits(t, 5), count)
        want = z.copy()
        want[:count] = (5 + np.arange(count)).astype(NUMPY[t])
        assert got.tobytes() == want.tobytes(), count
    bits = np.random.default_rng(2).random(each) < 0.5
    bits[3] = True
    for lanes, times, stride, repeat in ((each, 2, 1, 8), (5, 3, 2, 20), (each - 1, 1, 1, 0), (each, 0, 1, 8)):
        for call, kept in ((create_lanes(t), np.arange(each) < lanes), (create_bits(t), bits)):
            z = some(t, 90 * block)
            want = z.copy()
            for r in range(times):
                for i in np.flatnonzero(kept):
                    want[(r * repeat + i // block * stride) * block + i % block] = 7 + r * each + i
            mask = [lanes, 0] if call == create_lanes(t) else bit_words(bits)
            got, _ = probes(call, y, y, z, scalar_bits(t, 7), times, stride, repeat, *mask)
            assert got.tobytes() == want.tobytes(), (lanes, times, stride, repeat)


@pytest.mark.parametrize("name", ["Arange", "ArithProgression"])
@pytest.mark.parametrize("t", COUNTED)
def test_arange(probes: IndexProbes, t: str, name: str) -> None:
    """Exact where every value and sum is; half rounds in each documented step, so 0.1 drifts as documented."""
    y = np.zeros(8, np.int32)
    for first, step in ((3, 2), (-5, 0), (0, 1)):
        for count in (1, 7, 8, 9, 64, 65, 127, 128, 129, 331):
            z = some(t, 400)
            got, _ = probes(arange(name, t), y, y, z, scalar_bits(t, first), scalar_bits(t, step), count)
            want = z.copy()
            want[:count] = (first + step * np.arange(count)).astype(NUMPY[t])
            assert got.tobytes() == want.tobytes(), (first, step, count)


@pytest.mark.parametrize("t", FLOATS)
def test_arange_grows_block_by_block(probes: IndexProbes, t: str) -> None:
    f = NUMPY[t]
    step = f(0.1)
    block, repeat = 32 // size_of(t), 256 // size_of(t)
    want = np.zeros(500, f)
    want[:block] = (np.float32(step) * np.arange(block, dtype=np.float32)).astype(f)
    for i in range(block, 500, block):
        back = block if i < repeat else repeat
        want[i : i + block] = want[i - back : i - back + block][: 500 - i] + f(np.float32(step) * np.float32(back))
    y = np.zeros(8, np.int32)
    got, _ = probes(arange("Arange", t), y, y, np.zeros(500, f), 0, scalar_bits(t, 0.1), 500)
    assert got.tobytes() == want.tobytes()


def pairs(values: Array, index: Array) -> Array:
    out = np.zeros((len(values), 8), np.uint8)
    out[:, : values.itemsize] = values.view(np.uint8).reshape(len(values), -1)
    out[:, 4:] = index.astype(np.uint32).view(np.uint8).reshape(-1, 4)
    return out.ravel()


@pytest.mark.parametrize("t", FLOATS)
def test_sort32(probes: IndexProbes, t: str) -> None:
    for times in (0, 1, 3):
        x = scores(t, 32 * max(times, 1), times)
        index = np.random.default_rng(1).permutation(len(x)).astype(np.uint32)
        z = some("uint8_t", 256 * 4)
        got, _ = probes(sort32(t), x, index, z, times)
        want = z.copy()
        for g in range(times):
            part = slice(32 * g, 32 * g + 32)
            order = descending(x[part])
            want[256 * g : 256 * g + 256] = pairs(x[part][order], index[part][order])
        assert got.tobytes() == want.tobytes(), times


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("full", ["true", "false"])
def test_sort(probes: IndexProbes, t: str, full: str) -> None:
    for times in (1, 2, 4, 5, 17, 32):
        n = 32 * times
        x = scores(t, n, times)
        index = (np.arange(n) * 3).astype(np.uint32)
        group = n if full == "true" else 32
        order = np.concatenate([g + descending(x[g : g + group]) for g in range(0, n, group)])
        z = np.zeros(2 * n, np.uint32)
        got, _ = probes(full_sort(t, full), x, index, z, times)
        assert got.view(NUMPY[t])[:n].tobytes() == x[order].tobytes()
        assert got[n:].tobytes() == index[order].tobytes(), times


@pytest.mark.parametrize("t", FLOATS)
def test_merge(probes: IndexProbes, t: str) -> None:
    for lengths, valid in (
        ((32, 32, 32, 32), 15), ((1, 7, 33, 65), 15), ((31, 40, 5, 9), 7), ((3, 2, 8, 8), 3), ((0, 5, 0, 4), 15),
    ):  # fmt: skip
        values = [scores(t, n, n) for n in lengths]
        lists = [v[descending(v)] for v in values]
        x = np.concatenate(lists)
        index = np.arange(len(x), dtype=np.uint32) + 100
        used = sum(lengths[: {3: 2, 7: 3, 15: 4}[valid]])
        order = descending(x[:used])
        want = pairs(x[:used][order], index[:used][order])
        z = some("uint8_t", 8 * len(x))
        for call in (merge(t), merge_high(t, "false")):
            got, told = probes(call, pairs(x, index), np.zeros(8, np.uint8), z, *lengths, valid, 0, 1)
            assert got[: 8 * used].tobytes() == want.tobytes(), (lengths, valid)
            assert got[8 * used :].tobytes() == z[8 * used :].tobytes()
        assert list(told) == [7, 7, 7, 7]  # sortedNum is left alone


@pytest.mark.parametrize("t", FLOATS)
def test_merge_repeats(probes: IndexProbes, t: str) -> None:
    for times in (0, 2, 3):
        groups = [[np.sort(scores(t, 8, 10 * r + i))[::-1] for i in range(4)] for r in range(max(times, 1))]
        groups = [[v[descending(v)] for v in lists] for lists in groups]
        x = np.concatenate([v for lists in groups for v in lists])
        index = np.arange(len(x), dtype=np.uint32)
        z = some("uint8_t", 8 * len(x))
        got, _ = probes(merge(t), pairs(x, index), np.zeros(8, np.uint8), z, 8, 8, 8, 8, 15, 0, times)
        want = z.copy()
        for r in range(times):
            part = slice(32 * r, 32 * r + 32)
            order = descending(x[part])
            want[256 * r : 256 * r + 256] = pairs(x[part][order], index[part][order])
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("t", FLOATS)
def test_merge_stops_where_a_list_is_exhausted(probes: IndexProbes, t: str) -> None:
    f = NUMPY[t]
    lists = [np.array(v, f) for v in ([9, 5, 1], [8, 7], [6, 4, 3, 2], [0, -1])]
    lengths = tuple(len(v) for v in lists)
    x = np.concatenate(lists)
    index = np.arange(len(x), dtype=np.uint32)
    z = some("uint8_t", 8 * len(x))
    want = pairs(np.array([9, 8, 7], f), np.array([0, 3, 4], np.uint32))
    for call in (merge(t), merge_high(t, "true")):
        got, told = probes(call, pairs(x, index), np.zeros(8, np.uint8), z, *lengths, 15, 1, 1)
        assert list(told) == [1, 2, 0, 0]
        assert got[:24].tobytes() == want.tobytes()
        assert got[24:].tobytes() == z[24:].tobytes()


@pytest.mark.parametrize("largest", [1, 0])
@pytest.mark.parametrize("t", FLOATS)
def test_top_k(probes: IndexProbes, t: str, largest: int) -> None:
    """In rows of its own length; NaNs stand in front either way, and a finished row has the index n."""
    per = 32 // size_of(t)
    for mode, outer, inner, n, k in (
        ("TOPK_NORMAL", 1, 32, 32, 1), ("TOPK_NORMAL", 3, 96, 77, 13), ("TOPK_NORMAL", 2, 64, 64, 64),
        ("TOPK_NSMALL", 4, 32, 17, 8), ("TOPK_NSMALL", 3, 32, 32, 32),
    ):  # fmt: skip
        small = mode == "TOPK_NSMALL"
        x = scores(t, outer * inner, k).reshape(outer, inner)
        x[:, n:] = -np.inf if largest else np.inf
        own = np.random.default_rng(k).permutation(outer * inner if small else inner).astype(np.int32)
        value_step, index_step = (k, k) if small else (-(-k // per) * per, -(-k // 8) * 8)
        order = np.stack([descending(row if largest else -row)[:k] for row in x])
        at = -(-outer * value_step * size_of(t) // 32) * 8
        finish = np.zeros(32, np.uint8)
        finish[1] = 1
        y = np.concatenate([own, finish.view(np.int32)])
        for own_index, finishes, room in (("true", "false", 0), ("false", "false", 0), ("false", "false", 1),
                                          ("true", "true", 0)):  # fmt: skip
            if small and (finishes == "true" or room):
                continue
            z = np.full(at + outer * index_step, 77, np.int32)
            call = top_k(t, own_index, finishes, mode, ROOMS[room])
            got, _ = probes(call, x, y, z, k, outer, inner, n, largest, at, len(own))
            values = got.view(NUMPY[t])[: outer * value_step].reshape(outer, value_step)[:, :k]
            assert values.tobytes() == np.take_along_axis(x, order, 1).tobytes()
            index = order
            if own_index == "true":
                table = own.reshape(outer, inner) if small else np.tile(own, (outer, 1))
                index = np.take_along_axis(table, order, 1)
            if finishes == "true" and outer > 1:
                index = index.copy()
                index[1] = n
            assert (got[at:].reshape(outer, index_step)[:, :k] == index).all()


@pytest.mark.parametrize("t", TRANSPOSED)
def test_trans_data_to_5hd(probes: IndexProbes, t: str) -> None:
    """16 blocks become columns, once and in repeats; a single repeat starts a stride later, as documented."""
    size = size_of(t)
    per = 32 // size
    for times, dst_repeat, src_repeat, dst_high, src_high in (
        (1, 0, 0, 0, 0), (1, 2, 1, 1, 0), (3, 16, 1, 0, 1), (0, 1, 1, 0, 0), (2, 16, 16, 1, 1),
    ):  # fmt: skip
        x = np.random.default_rng(1).integers(0, 120, 64 * per).astype(NUMPY[t])
        z = some(t, 100 * per, 7)
        dst_step, src_step = 32, 32 * (src_repeat and 3 if src_repeat < 16 else 1) or 32
        forms = ("address", "tensor", "stored", "pointer") if t == "half" else ("address",)
        want = z.copy().reshape(-1, per)
        rows = x.reshape(-1, per)
        for r in range(times):
            at = r + (times == 1)
            block = np.stack([rows[i * src_step // 32 + at * src_repeat] for i in range(16)])
            to = [i * dst_step // 32 + at * dst_repeat for i in range(16)]
            if size == 1:
                for i in range(16):
                    want[to[i], 16 * dst_high : 16 * dst_high + 16] = block[:, 16 * src_high + i]
            else:
                turned = block.T.reshape(16, per)
                for i in range(16):
                    want[to[i]] = turned[i]
        for form in forms:
            got, _ = probes(
                to_5hd(t, form), x, x, z, dst_high, src_high, times, dst_repeat, src_repeat, dst_step, src_step
            )
            assert got.tobytes() == want.tobytes(), (times, dst_repeat, src_repeat, form)


@pytest.mark.parametrize("t", ["int16_t", "uint16_t", "half"])
def test_transpose(probes: IndexProbes, t: str) -> None:
    x = np.arange(256).astype(NUMPY[t])
    got, _ = probes(transpose(t), x, x, np.zeros(256, NUMPY[t]))
    assert got.tobytes() == x.reshape(16, 16).T.tobytes()


@pytest.mark.parametrize("t", TRANSPOSED)
def test_transpose_channels(probes: IndexProbes, t: str) -> None:
    per = 32 // size_of(t)
    for n, c, h, w in ((1, 3, 4, per), (2, 5, 1, per), (1, 17, 2, per), (0, 3, 4, per), (1, 1, 3, per)):
        x = np.random.default_rng(c).integers(0, 100, max(n, 1) * c * h * w).astype(NUMPY[t])
        for kind, axes, shape in (("NCHW2NHWC", (0, 2, 3, 1), (n, c, h, w)), ("NHWC2NCHW", (0, 3, 1, 2), (n, h, w, c))):
            z = some(t, len(x), 3)
            got, _ = probes(transpose_ext(t), x, x, z, n, c, h, w, 11 if kind == "NCHW2NHWC" else 12)
            want = x.reshape(shape).transpose(axes) if n else z
            assert got.tobytes() == np.ascontiguousarray(want).tobytes(), (kind, n, c, h, w)
    z = some(t, 64, 3)
    got, _ = probes(transpose_ext(t), z[::-1].copy(), z, z, 1, 1, 1, per, 0)
    assert got.tobytes() == z.tobytes()  # TRANSPOSE_TYPE_NONE does nothing


def test_transpose_of_16_rows_by_type(probes: IndexProbes) -> None:
    x = np.arange(256).astype(np.uint16)
    got, _ = probes(transpose_ext("uint16_t"), x, x, np.zeros(256, np.uint16), 0, 0, 16, 16, 10)
    assert got.tobytes() == x.reshape(16, 16).T.tobytes()
