"""Compare, Compares and Select, and that bits of undefined elements do not spoil their neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Array, LaunchError, aligned, compile_kernel, run
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

OPERATORS = {
    "LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal, "NE": np.not_equal
}  # fmt: skip
TYPES = ["half", "float", "int32_t"]


def compare(name: str, src: str) -> Choice:
    other = "y" if name == "Compare" else f"Scalar<{src}>(data.scalar)"
    return Choice("uint8_t", src, f"{name}(z, x, {other}, static_cast<CMPMODE>(data.mode), data.count);")


def select(src: str, mode: str) -> Choice:
    """Chooses by x > y: a mask of whole repeats, although only data.count elements are defined."""
    other = f"static_cast<{src}>(-1.5f)" if "SCALAR" in mode else "y"
    per = 256 // np.dtype(NUMPY[src]).itemsize
    return Choice(
        src,
        src,
        "LocalTensor<uint8_t> m = work.template Get<uint8_t>();"
        f" Compare(m, x, y, CMPMODE::GT, (data.count + {per - 1}) / {per} * {per});"
        f" Select(z, m, x, {other}, SELMODE::{mode}, data.count);",
    )


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [compare(name, src) for name in ("Compare", "Compares", "CompareScalar") for src in TYPES]
    choices += [
        select(src, f"VSEL_{mode}") for src in TYPES[:2] for mode in ("TENSOR_SCALAR_MODE", "TENSOR_TENSOR_MODE")
    ]
    choices += [select(src, "VSEL_CMPMASK_SPR") for src in TYPES[:2]]
    return compile_probes(root, choices, tmp_path_factory.mktemp("compare"))


@pytest.mark.parametrize("src", TYPES)
@pytest.mark.parametrize("name", ["Compare", "Compares", "CompareScalar"])
def test_compare(probes: Probes, name: str, src: str) -> None:
    rng = np.random.default_rng(3)
    for repeats in (1, 2, 5):
        size = repeats * 256 // np.dtype(NUMPY[src]).itemsize
        x, y = (rng.integers(-2, 3, size).astype(NUMPY[src]) for _ in range(2))
        if src != "int32_t":
            x[:3] = [np.nan, np.inf, -0.0]
            y[:3] = [np.nan, np.inf, 0.0]
        scalar = NUMPY[src](1)
        for number, (mode, operator) in enumerate(OPERATORS.items()):
            z = np.zeros(size // 8, np.uint8)
            if src == "int32_t" and mode != "EQ":
                with pytest.raises(LaunchError, match="this CMPMODE is not supported for int32_t"):
                    probes(compare(name, src), x, y, z, mode=number, scalar=scalar)
                continue
            got = probes(compare(name, src), x, y, z, mode=number, scalar=scalar)
            want = np.packbits(operator(x, y if name == "Compare" else scalar), bitorder="little")
            assert (got == want).all(), (mode, size)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 997])
@pytest.mark.parametrize("mode", ["VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE"])
@pytest.mark.parametrize("src", TYPES[:2])
def test_select(probes: Probes, src: str, mode: str, size: int) -> None:
    rng = np.random.default_rng(size)
    x, y = (rng.standard_normal(size).astype(NUMPY[src]) for _ in range(2))
    got = probes(select(src, mode), x, y, np.zeros(size, NUMPY[src]))
    want = np.where(x > y, x, NUMPY[src](-1.5) if "SCALAR" in mode else y)
    assert (got == want).all()


@pytest.mark.parametrize("src", TYPES[:2])
def test_the_mask_register_mode_uses_the_first_repeat_of_the_mask_again(probes: Probes, src: str) -> None:
    per = 256 // np.dtype(NUMPY[src]).itemsize
    x, y = (np.random.default_rng(s).standard_normal(3 * per + 5).astype(NUMPY[src]) for s in (1, 2))
    got = probes(select(src, "VSEL_CMPMASK_SPR"), x, y, np.zeros_like(x))
    mask = np.resize((x > y)[:per], x.shape)
    assert (got == np.where(mask, x, y)).all()


def register_calls(src: str) -> dict[str, str]:
    """Compare into the register, and what reads it; data.lanes are the lanes of the mask."""
    compared = "Compare(x, y, CMPMODE::GT, data.lanes, {1, 1, 1, 8, 8, 8});"
    address = "LocalTensor<uint64_t> a = work.template Get<uint64_t>(); a.SetValue(0, m.GetPhyAddr()); SetCmpMask(a);"
    mask = "LocalTensor<uint8_t> m = work.template Get<uint8_t>()[64]; Compare(m, x, y, CMPMODE::GT, data.count);"
    lanes = f"SetVectorMask<{src}>(data.lanes);"
    return {
        "get": f"{compared} GetCmpMask(work.template Get<uint8_t>());"
        f" Adds(z.template ReinterpretCast<int16_t>(), work.template Get<int16_t>(), (int16_t)0, data.lanes / 16);",
        "select 0": f"Compare(x, y, CMPMODE::GT, 256 / sizeof({src}), {{1, 1, 1, 8, 8, 8}}); {lanes}"
        f" Select<{src}, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, data.repeat, {{1, 1, 1, 8, 8, 8}});",
        "select 0 set": f"{mask} SetCmpMask(m); {lanes}"
        f" Select<{src}, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, data.repeat, {{1, 1, 1, 8, 8, 8}});",
        "select 1": f"{mask} LocalTensor<{src}> s = work.template Get<{src}>(); Duplicate(s, ({src})-1.5f, 16);"
        f" SetCmpMask(s); {lanes} Select(z, m, x, data.repeat, {{1, 1, 1, 8, 8, 8}});",
        "select 2": f"{mask} {address} {lanes}"
        f" Select<{src}, SELMODE::VSEL_TENSOR_TENSOR_MODE>(z, x, y, data.repeat, {{1, 1, 1, 8, 8, 8}});",
    }


def repeat_calls(src: str) -> dict[str, str]:
    mask = "LocalTensor<uint8_t> m = work.template Get<uint8_t>(); Compare(m, x, y, CMPMODE::GT, data.count);"
    tail = "data.lanes, data.repeat, {1, 1, 1, 8, 8, 8});"
    return {
        "compare": "Compare(z.template ReinterpretCast<uint8_t>(), x, y, CMPMODE::GT, 1, data.repeat,"
        " {1, 2, 1, 8, 16, 0});",
        "compares": f"Compares(z.template ReinterpretCast<uint8_t>(), x, ({src})0, CMPMODE::GE, 1, data.repeat,"
        " {1, 1, 8, 8});",
        "scalar": f"CompareScalar(z.template ReinterpretCast<uint8_t>(), x, ({src})0, CMPMODE::GE, 1, data.repeat,"
        " {1, 1, 8, 8});",
        "mode 0": f"{mask} Select(z, m, x, y, SELMODE::VSEL_CMPMASK_SPR, {tail}",
        "mode 1": f"{mask} Select(z, m, x, ({src})-1.5f, SELMODE::VSEL_TENSOR_SCALAR_MODE, {tail}",
        "mode 2": f"{mask} Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, {tail}",
    }


UNWRITTEN = "Select(z, x.template ReinterpretCast<uint8_t>(), x, 1, {1, 1, 1, 8, 8, 8});"


@pytest.fixture(scope="module")
def forms(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [Choice(t, t, call) for t in TYPES[:2] for call in (register_calls(t) | repeat_calls(t)).values()]
    choices.append(Choice("float", "float", UNWRITTEN))
    return compile_probes(root, choices, tmp_path_factory.mktemp("forms"))


def whole_repeats(src: str) -> tuple[int, Array, Array, Array]:
    """The lanes of a repeat, and four repeats of x, y and z."""
    rng = np.random.default_rng(6)
    per = 256 // np.dtype(NUMPY[src]).itemsize
    x, y = (rng.standard_normal(4 * per).astype(NUMPY[src]) for _ in range(2))
    return per, x, y, np.full(4 * per, 9, NUMPY[src])


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("src", TYPES[:2])
def test_the_compare_register(forms: Probes, src: str, *, checks: bool) -> None:
    per, x, y, z = whole_repeats(src)
    calls = register_calls(src)
    got = forms(Choice(src, src, calls["get"]), x, y, z, lanes=per, checks=checks)
    assert got.view(np.uint8)[: per // 8].tolist() == np.packbits((x > y)[:per], bitorder="little").tolist()
    for lanes in (1, per // 2 + 3, per):
        inside = np.arange(3 * per) % per < lanes
        for shown in ("select 0", "select 0 set", "select 1", "select 2"):
            got = forms(Choice(src, src, calls[shown]), x, y, z, repeat=3, lanes=lanes, checks=checks)
            chosen = np.tile((x > y)[:per], 3) if "0" in shown else (x > y)[: 3 * per]
            want = np.where(chosen, x[: 3 * per], NUMPY[src](-1.5) if "1" in shown else y[: 3 * per])
            assert (got[: 3 * per] == np.where(inside, want, 9)).all(), (shown, lanes)
            assert (got[3 * per :] == 9).all()


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("src", TYPES[:2])
def test_forms_with_repeats(forms: Probes, src: str, *, checks: bool) -> None:
    per, x, y, z = whole_repeats(src)
    calls = repeat_calls(src)
    block = per // 8
    got = forms(Choice(src, src, calls["compare"]), x, y, z, repeat=2, checks=checks).view(np.uint8)
    lines = [x[r * 2 * per :].reshape(-1, block)[:16:2].ravel() > y[:per] for r in range(2)]
    assert got[: 2 * block].tolist() == np.packbits(np.concatenate(lines), bitorder="little").tolist()
    for shown in ("compares", "scalar"):
        got = forms(Choice(src, src, calls[shown]), x, y, z, repeat=4, checks=checks).view(np.uint8)
        assert got[: 4 * block].tolist() == np.packbits(x >= 0, bitorder="little").tolist()
    for lanes in (1, per // 2 + 3, per):
        inside = np.arange(3 * per) % per < lanes
        for mode in range(3):
            got = forms(Choice(src, src, calls[f"mode {mode}"]), x, y, z, repeat=3, lanes=lanes, checks=checks)
            chosen = np.tile((x > y)[:per], 3) if mode == 0 else (x > y)[: 3 * per]
            want = np.where(chosen, x[: 3 * per], NUMPY[src](-1.5) if mode == 1 else y[: 3 * per])
            assert (got[: 3 * per] == np.where(inside, want, 9)).all(), (mode, lanes)


def test_a_register_that_was_never_written(forms: Probes) -> None:
    _, x, y, z = whole_repeats("float")
    with pytest.raises(LaunchError) as refused:
        forms(forms.choices[-1], x, y, z)
    assert refused.value.report.endswith(
        "Select: the register holds no such value\n  rule: what Select takes from the register has been written by"
        " Compare or SetCmpMask [基础API/Memory矢量计算/比较与选择/SetCmpMask(ISASI)]"
    )


TAIL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tail(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> values, masks;
    pipe.InitBuffer(values, 512);
    pipe.InitBuffer(masks, 96);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 20);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 26);
    LocalTensor<float> a = values.Get<float>(), b = a[64];
    LocalTensor<uint8_t> low = masks.Get<uint8_t>(), high = low[32], both = low[64];
    DataCopyPad(a, from, {1, 80, 0, 0}, {false, 0, 0, 0});  // 20 of 64 lanes
    PipeBarrier<PIPE_ALL>();
    CompareScalar(low, a, 3.0f, CMPMODE::GE, 64);
    CompareScalar(high, a, 18.0f, CMPMODE::LT, 64);
    PipeBarrier<PIPE_V>();
    Not(high.ReinterpretCast<uint16_t>(), high.ReinterpretCast<uint16_t>(), 4);
    PipeBarrier<PIPE_V>();
    Or(both.ReinterpretCast<uint16_t>(), low.ReinterpretCast<uint16_t>(), high.ReinterpretCast<uint16_t>(), 4);
    PipeBarrier<PIPE_V>();
    And(both.ReinterpretCast<uint16_t>(), both.ReinterpretCast<uint16_t>(), low.ReinterpretCast<uint16_t>(), 4);
    PipeBarrier<PIPE_V>();
    Select(b, both, a, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, b, {1, static_cast<uint32_t>(TILING_KEY_IS(1) ? 104 : 80), 0, 0});
}
"""


def test_bits_of_a_tail_do_not_spoil_those_before_it(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, TAIL, "tail", {"x": "float32"}, {"z": "float32"}, tmp_path)
    x, z = aligned(20, np.float32), aligned(26, np.float32)
    x[:] = range(20)
    run(kernel, [x], [z], tiling_key=0)
    assert z[:20].tolist() == [-1.0] * 3 + list(range(3, 20))
    with pytest.raises(LaunchError, match=r"element 24 of block 0.*never been written"):
        run(kernel, [x], [z], tiling_key=1)
