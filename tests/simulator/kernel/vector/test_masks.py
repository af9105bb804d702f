"""The mask register, its normal and its counter mode, and strides: by a model of lanes and blocks in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Array, LaunchError
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

TYPES = ["half", "float", "int16_t", "int32_t"]
# The destination leaves out every other block and starts a repeat 17 blocks on; src1 is one repeat for all.
STRIDES = "2, 1, 1, 17, 8, 0"
STEPS = {"z": (2, 17), "x": (1, 8), "y": (1, 0)}
HIGH = 0x8000_0000_0000_0F0F
LANES = np.arange(64 * 9) % 64
BITS = "uint64_t bits[2] = {data.scalar, (sizeof(x.GetValue(0)) == 2 ? 0x8000000000000F0Full : 0ull)};"
REGISTER = "MASK_PLACEHOLDER, data.repeat, {" + STRIDES + "}"


def calls(t: str) -> dict[str, str]:
    """C++ by what it shows. data.lanes is a number of lanes or elements, data.scalar the low bits."""
    strided = "{" + STRIDES + "}"
    dense = "MASK_PLACEHOLDER, 7, {1, 1, 1, 8, 8, 8}"
    return {
        "bits": f"{BITS} Add(z, x, y, bits, data.repeat, {strided});",
        "lanes": f"Add(z, x, y, data.lanes, data.repeat, {strided});",
        "register bits": f"{BITS} SetMaskNorm(); SetVectorMask<{t}, MaskMode::NORMAL>(bits[1], bits[0]);"
        f" Add<{t}, false>(z, x, y, {REGISTER}); ResetMask();",
        "register lanes": f"SetMaskNorm(); SetVectorMask<{t}>(data.lanes); Add<{t}, false>(z, x, y, {REGISTER});",
        "register of the call before": f"Add(x, x, y, data.lanes, 0, {strided}); Add<{t}, false>(z, x, y, {REGISTER});",
        "reset": f"SetVectorMask<{t}>(3); ResetMask(); Add<{t}, false>(z, x, y, {REGISTER});",
        "counter": f"SetMaskCount(); Add(z, x, y, data.lanes, 1, {strided}); SetMaskNorm();",
        "counter bits": "uint64_t n[2] = {data.lanes, 0}; SetMaskCount();"
        f" Add(z, x, y, n, 1, {strided}); SetMaskNorm();",
        "counter register": f"SetMaskCount(); SetVectorMask<{t}, MaskMode::COUNTER>(0, data.lanes);"
        f" Add<{t}, false>(z, x, y, {REGISTER}); SetMaskNorm(); ResetMask();",
        "counter length": f"SetMaskCount(); SetVectorMask<{t}, MaskMode::COUNTER>(data.lanes);"
        f" Add<{t}, false>(z, x, y, {dense}); SetMaskNorm(); ResetMask();",
        "counter by count": f"SetMaskCount(); SetVectorMask<{t}, MaskMode::COUNTER>(data.lanes);"
        f" Adds<{t}, false>(z, x, ({t})2, 1); SetMaskNorm(); ResetMask();",
        "count resets": f"SetMaskCount(); Adds(z, x, ({t})2, 3); Add<{t}, false>(z, x, y, {REGISTER});",
        "copy": "Copy(z, x, data.lanes, data.repeat, {2, 1, 17, 8});",
        "copy bits": f"{BITS} Copy(z, x, bits, data.repeat, {{2, 1, 17, 8}});",
        "copy counter": f"SetMaskCount(); SetVectorMask<{t}, MaskMode::COUNTER>(data.lanes);"
        f" Copy<{t}, false>(z, x, MASK_PLACEHOLDER, 1, {{2, 1, 17, 8}}); SetMaskNorm(); ResetMask();",
        "duplicate": f"Duplicate(z, ({t})7, data.lanes, data.repeat, 2, 17);",
        "duplicate bits": f"{BITS} Duplicate(z, ({t})7, bits, data.repeat, 2, 17);",
    }


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [Choice(t, t, call) for t in TYPES for call in calls(t).values()]
    return compile_probes(root, choices, tmp_path_factory.mktemp("masks"))


def place(t: str, role: str, repeat: int, lane: int) -> int:
    per_block = 32 // np.dtype(NUMPY[t]).itemsize
    block, step = STEPS[role]
    return (repeat * step + lane // per_block * block) * per_block + lane % per_block


def model(t: str, shown: str, arrays: tuple[Array, Array, Array], lanes: int, low: int) -> Array:
    (x, y, z), repeats = arrays, 3
    width = 256 // np.dtype(NUMPY[t]).itemsize
    result = z.copy()
    if shown in {"counter length", "counter by count"}:
        result[:lanes] = x[:lanes] + (y[:lanes] if shown == "counter length" else NUMPY[t](2))
        return result
    word = low | (HIGH << 64 if width == 128 else 0)
    if shown == "copy counter":  # one repeat of so many elements, its blocks all as far apart
        chosen = [(0, lane) for lane in range(lanes)]
    elif shown.startswith("counter"):
        chosen = [(n // width, n % width) for n in range(lanes)]
    elif "bits" in shown:
        chosen = [(r, lane) for r in range(repeats) for lane in range(width) if word >> lane & 1]
    else:
        first = width if shown in {"reset", "count resets"} else lanes
        chosen = [(r, lane) for r in range(repeats) for lane in range(first)]
    if shown == "count resets":
        result[:3] = x[:3] + NUMPY[t](2)
    for r, lane in chosen:
        to, a, b = (place(t, role, r, lane) for role in "zxy")
        with np.errstate(all="ignore"):
            result[to] = x[a] if shown.startswith("copy") else 7 if shown.startswith("duplicate") else x[a] + y[b]
    return result


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("t", TYPES)
def test_masks(probes: Probes, t: str, *, checks: bool) -> None:
    rng = np.random.default_rng(11)
    width = 256 // np.dtype(NUMPY[t]).itemsize
    size = 10 * 8 * width // 8 * 3
    for shown, call in calls(t).items():
        counted = "counter" in shown and "length" not in shown and "by count" not in shown
        most = 3 * width if counted else 7 * width if "counter" in shown else width
        for lanes in sorted({0, 1, width // 8 + 1, width - 1, width, min(width + 1, most), min(2 * width + 3, most)}):
            x, y, z = (rng.integers(-100, 100, size).astype(NUMPY[t]) for _ in range(3))
            low = int(rng.integers(0, 2**63)) | 1
            got = probes(Choice(t, t, call), x, y, z, scalar=np.uint64(low), repeat=3, lanes=lanes, checks=checks)
            want = model(t, shown, (x, y, z), lanes, low)
            assert got.tobytes() == want.tobytes(), (shown, lanes)


def test_a_mask_of_no_lane_does_nothing(probes: Probes) -> None:
    x = np.arange(512, dtype=np.float32)
    for shown in ("lanes", "counter", "register lanes"):
        got = probes(Choice("float", "float", calls("float")[shown]), x, x, x, repeat=2, lanes=0)
        assert (got == x).all()


def test_sums_into_one_destination(root: Path, tmp_path: Path) -> None:
    """dst and src1 are one repeat, which each repeat adds to: the documented overlap."""
    call = "Duplicate(z, 0.0f, 64); Add(z, x, z, 64, data.repeat, {1, 1, 1, 0, 8, 0});"
    probes = compile_probes(root, [Choice("float", "float", call)], tmp_path)
    x = np.arange(64 * 9, dtype=np.float32)
    z = np.zeros(64, np.float32)
    got = probes(probes.choices[0], x, x, z, repeat=9)
    assert (got == x.reshape(9, 64).sum(axis=0)).all()


def test_a_cast_into_the_other_end_of_the_buffer(root: Path, tmp_path: Path) -> None:
    """half in the second half of the buffer that its floats fill from the front."""
    call = (
        "LocalTensor<half> h = work.template Get<half>()[data.count];"
        " LocalTensor<float> f = work.template Get<float>(); Adds(h, x, (half)1, data.count);"
        " Cast(f, h, RoundMode::CAST_NONE, data.count); Muls(z, f, 2.0f, data.count);"
    )
    probes = compile_probes(root, [Choice("float", "half", call)], tmp_path)
    x = np.arange(1024, dtype=np.float16)
    for checks in (True, False):
        got = probes(probes.choices[0], x, x, np.zeros(1024, np.float32), checks=checks)
        assert (got == (x.astype(np.float32) + 1) * 2).all()


@pytest.mark.parametrize("checks", [True, False])
def test_a_block_that_stays_meets_all_lanes(root: Path, tmp_path: Path, *, checks: bool) -> None:
    """In the first two, the lanes follow each other; in the third one they do not."""
    made = {
        "FusedMulAdd(z, x, y, 64, data.repeat, {1, 1, 0, 8, 8, 0});": lambda x, y, z: z * x + y,
        "Sub(z, x, y, 64, data.repeat, {1, 1, 0, 8, 8, 0});": lambda x, y, _: x - y,
        "Sub(z, x, y, 63, data.repeat, {1, 1, 0, 8, 8, 0});": lambda x, y, z: np.where(LANES < 63, x - y, z),
    }
    choices = [Choice(t, t, call) for t in ("float", "int32_t") for call in made if t == "float" or "Fused" not in call]
    probes = compile_probes(root, choices, tmp_path)
    rng = np.random.default_rng(5)
    for choice in choices:
        x, y, z = (rng.integers(-100, 100, 64 * 9).astype(NUMPY[choice.dst]) for _ in range(3))
        got = probes(choice, x, y, z, repeat=9, checks=checks)
        assert (got == made[choice.call](x, np.tile(y[:8], 72), z)).all(), choice


def test_a_block_that_stays_must_be_whole(root: Path, tmp_path: Path) -> None:
    """Half of the lanes of each repeat are undefined if the block has four numbers: from byte 16 on."""
    call = (
        "LocalTensor<float> block = work.template Get<float>(); Duplicate(block, 1.0f, 4);"
        " Add(z, x, block, 64, data.repeat, {1, 1, 0, 8, 8, 0});"
    )
    probes = compile_probes(root, [Choice("float", "float", call)], tmp_path)
    x = np.zeros(64 * 9, np.float32)
    with pytest.raises(LaunchError, match=r"element 16 of block 0\) has never been written"):
        probes(probes.choices[0], x, x, x, repeat=9)
