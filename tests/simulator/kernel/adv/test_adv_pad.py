"""Pad, UnPad and DropOut, against what NumPy makes of their pages' words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import APART, ROOMS, report
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from probes import NUMPY

pytestmark = pytest.mark.compiler

TYPES = ["int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float"]
MODES = (0, 1, 2, 3, 4)


def calls() -> dict[str, str]:
    found = {}
    for suffix, room in ROOMS.items():
        shared = "auto room = Room();" if room else ""
        for t in TYPES:
            found[f"Pad {t}{suffix}"] = (
                "PadTiling tiling; tiling.srcHeight = n(0); tiling.srcWidth = n(1); tiling.srcOriWidth = n(2);"
                f"PadParams params{{(uint16_t)n(3), (uint16_t)n(4), n(5)}};"
                f"Pad(Out(0)<{t}>(), In(0)<{t}>(), params, {room}tiling);"
            )
            found[f"UnPad {t}{suffix}"] = (
                f"UnPadTiling tiling; tiling.srcHeight = n(0); tiling.srcWidth = n(1); {shared}"
                f"UnPadParams params{{(uint16_t)n(2), (uint16_t)n(3)}};"
                f"UnPad(Out(0)<{t}>(), In(0)<{t}>(), params, {room.lower().replace('()', '')}tiling);"
            )
        for t in ("half", "float"):
            for mode in MODES:
                found[f"DropOut {t} {mode}{suffix}"] = (
                    "DropOutShapeInfo info; info.firstAxis = n(0); info.srcLastAxis = n(1); info.maskLastAxis = n(2);"
                    f"DropOut<{t}, false, {mode}>(Out(0)<{t}>(), In(0)<{t}>(), In(1)<uint8_t>(), {room}f(0), info);"
                )
    found["DropOut in place"] = found["DropOut float 2"].replace("Out(0)<float>()", "In(0)<float>()") + (
        "DataCopy(Out(0)<float>(), In(0)<float>(), n(0) * n(1));"
    )
    found["DropOut onto its mask"] = found["DropOut float 2"].replace("In(1)<uint8_t>()", "Out(0)<uint8_t>()")
    found["DropOut keeps its mask"] = found["DropOut half 4"] + "DataCopy(Out(1)<uint8_t>(), In(1)<uint8_t>(), n(2));"
    found["Pad in place"] = found["Pad half"].replace("Out(0)<half>()", "In(0)<half>()")
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_pad"))


def values(t: str, *shape: int) -> Array:
    low, high = (0, 900) if t.startswith("u") else (-900, 900)
    return np.random.default_rng(sum(shape)).integers(low, high, shape).astype(NUMPY[t])


@pytest.mark.parametrize("t", TYPES)
def test_pad(probes: AdvProbes, t: str) -> None:
    """Rows of any width to whole blocks, and the last columns of whole blocks."""
    block = 32 // np.dtype(NUMPY[t]).itemsize
    for suffix in ROOMS:
        for rows, width in [(block, 1), (block, block - 1), (2 * block, 2 * block + 1), (block, 3 * block - 3)]:
            x = values(t, rows, width)
            added = -width % block
            for left in {0, 1, added}:
                if left > added:
                    continue
                want = np.pad(x, ((0, 0), (left, added - left)), constant_values=7)
                (got,) = probes(f"Pad {t}{suffix}", [x.ravel()], [np.zeros(want.size, x.dtype)], room=4096,
                                numbers=[rows, width, width, left, added - left, 7])  # fmt: skip
                assert (got.reshape(want.shape) == want).all(), (rows, width, left)
        for rows, width, used, right in [(1, block, block - 1, 1), (7, 2 * block, block + 1, block - 2)]:
            x = values(t, rows, width)
            (got,) = probes(f"Pad {t}{suffix}", [x.ravel()], [np.zeros(x.size, x.dtype)], room=4096,
                            numbers=[rows, width, used, 0, right, 9])  # fmt: skip
            x[:, used : used + right] = 9
            assert (got.reshape(x.shape) == x).all(), (rows, width, used)


@pytest.mark.parametrize("t", TYPES)
def test_un_pad(probes: AdvProbes, t: str) -> None:
    """The rows lie behind each other afterwards; leftPad has no effect."""
    block = 32 // np.dtype(NUMPY[t]).itemsize
    for suffix in ROOMS:
        for rows, width, left, right in [(1, block, 0, block - 1), (7, 3 * block, 1, 1), (13, 2 * block, 0, 3)]:
            x = values(t, rows, width)
            want = x[:, : width - right].ravel()
            (got,) = probes(f"UnPad {t}{suffix}", [x.ravel()], [np.zeros(want.size, x.dtype)], room=4096,
                            numbers=[rows, width, left, right])  # fmt: skip
            assert (got == want).all(), (rows, width, right)


def dropped(x: Array, kept: Array, keep: float) -> Array:
    factor = x.dtype.type(np.float32(1) / np.float32(keep))
    return np.where(kept, x.astype(np.float64) * np.float64(factor), 0).astype(x.dtype)


@pytest.mark.parametrize("t", ["half", "float"])
def test_drop_out(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(9)
    for suffix in ROOMS:
        for rows, width in [(1, 8), (1, 33), (3, 112), (7, 48)]:
            x = rng.uniform(-9, 9, (rows, width)).astype(NUMPY[t])
            kept = rng.integers(0, 2, (rows, width)).astype(np.uint8)
            padded = np.full((rows, -(-width // 32) * 32 + 32), 0xAA, np.uint8)
            padded[:, :width] = kept
            forms = {2: kept.ravel()}
            masks = {2: width}
            if width % 2 == 0:
                forms[1], masks[1] = padded.ravel(), padded.shape[1]
            if width % 8 == 0 or rows == 1:
                forms[3], masks[3] = np.packbits(kept.ravel(), bitorder="little"), max(width // 8, 1)
            if width % 16 == 0:
                bits = np.full((rows, 32), 0xAA, np.uint8)
                bits[:, : width // 8] = np.packbits(kept, axis=1, bitorder="little")
                forms[4], masks[4] = bits.ravel(), 32
            for mode, mask in forms.items():
                # Whether a form may be left to the function to infer.
                inferred = {1: True, 2: True, 3: masks[mode] * 8 == width, 4: masks[mode] < width}[mode]
                for asked in [mode, 0] if inferred else [mode]:
                    (got,) = probes(f"DropOut {t} {asked}{suffix}", [x.ravel(), mask], [np.zeros(x.size, x.dtype)],
                                    numbers=[rows, width, masks[mode]], reals=[0.7], room=4096)  # fmt: skip
                    want = dropped(x, kept, 0.7)
                    assert (got.reshape(x.shape) == want).all(), (asked, rows, width)


def test_drop_out_in_place(probes: AdvProbes) -> None:
    x = np.arange(16, dtype=np.float32)
    (got,) = probes("DropOut in place", [x, np.arange(16, dtype=np.uint8) % 2], [x], numbers=[2, 8, 8], reals=[0.5])
    assert (got == np.where(np.arange(16) % 2, 2 * x, 0)).all()


PAD = "高阶API/张量变换/Pad"
UN_PAD = "高阶API/张量变换/UnPad"
DROP = "高阶API/数据过滤/DropOut"
UNALIGNED = "another width has data throughout, and is padded up to a multiple of 32 bytes"
ALIGNED = "a width that is a multiple of 32 bytes is padded on the right, where it has no data"
WIDTH = "the source has a row, and its width is a multiple of 32 bytes"
RIGHT = "rightPad is more than no bytes and less than 32, and leftPad less than 32"
AXES = "firstAxis, srcLastAxis and maskLastAxis are more than 0"
EVEN = "a padded row of the mask is a multiple of 32 bytes, of which an even number is used"
REFUSED = {
    ("Pad half", (0, 15, 15, 0, 1)): (
        "it has 0 rows of 15 elements of 2 bytes", "the source has a row, and is a multiple of 32 bytes", PAD
    ),
    ("Pad half", (3, 15, 15, 0, 1)): (
        "it has 3 rows of 15 elements of 2 bytes", "the source has a row, and is a multiple of 32 bytes", PAD
    ),
    ("Pad half", (4, 16, 16, 0, 0)): (
        "the width and the original width are 16",
        "a width that is a multiple of 32 bytes has columns without data", PAD
    ),
    ("Pad half", (4, 16, 14, 1, 1)): (
        "leftPad is 1, rightPad 1, the width 16, the original width 14", ALIGNED, PAD
    ),
    ("Pad half", (4, 16, 14, 0, 3)): (
        "leftPad is 0, rightPad 3, the width 16, the original width 14", ALIGNED, PAD
    ),
    ("Pad half", (16, 13, 13, 1, 1)): (
        "leftPad is 1, rightPad 1, the width 13, the original width 13", UNALIGNED, PAD
    ),
    ("Pad half", (16, 13, 12, 0, 3)): (
        "leftPad is 0, rightPad 3, the width 13, the original width 12", UNALIGNED, PAD
    ),
    ("UnPad half", (4, 15, 0, 1)): ("it has 4 rows of 15 elements of 2 bytes", WIDTH, UN_PAD),
    ("UnPad half", (4, 16, 0, 0)): ("they are 0 and 0 elements of 2 bytes", RIGHT, UN_PAD),
    ("UnPad float", (4, 16, 0, 8)): ("they are 8 and 0 elements of 4 bytes", RIGHT, UN_PAD),
    ("UnPad float", (4, 16, 8, 1)): ("they are 1 and 8 elements of 4 bytes", RIGHT, UN_PAD),
    ("DropOut half 2", (1, 0, 1)): ("they are 1, 0 and 1", AXES, DROP),
    ("DropOut half 3", (2, 33, 5)): ("srcLastAxis is 33", "a row of bits is whole bytes", DROP),
    ("DropOut half 1", (2, 32, 48)): ("maskLastAxis is 48, of which 32 are used", EVEN, DROP),
    ("DropOut half 1", (2, 31, 32)): ("maskLastAxis is 32, of which 31 are used", EVEN, DROP),
    ("DropOut half 4", (1, 8, 32)): ("maskLastAxis is 32, of which 1 are used", EVEN, DROP),
    ("DropOut half 4", (1, 23, 32)): (
        "srcLastAxis is 23", "with padded rows of bits a row of the source is a multiple of 32 bytes", DROP
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: tuple[str, tuple[int, ...]]) -> None:
    said, rule, page = REFUSED[case]
    function = case[0].split()[0]
    x = np.zeros(256, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(case[0], [x] * 2, [x], numbers=case[1], reals=[0.5])
    assert report(refused) == f"Probe: block 0 of 1: HERE: {function}: {said}\n  rule: {rule} [{page}]"


def test_masks_and_overlaps(probes: AdvProbes) -> None:
    x = np.ones(16, np.float32)
    for keep, text in ((0.0, "0"), (1.0, "1"), (1.5, "1.5")):
        with pytest.raises(LaunchError) as refused:
            probes("DropOut float 2", [x, x], [x], numbers=[1, 16, 16], reals=[keep])
        assert report(refused) == (
            f"Probe: block 0 of 1: HERE: DropOut: it is {text}\n  rule: keepProb lies between 0 and 1 [{DROP}]"
        )
    with pytest.raises(LaunchError) as refused:
        probes("DropOut float 2", [x, np.arange(16, dtype=np.uint8)], [x], numbers=[1, 16, 16], reals=[0.5])
    assert report(refused) == (
        f"Probe: block 0 of 1: HERE: DropOut: byte 2 is 2\n  rule: a byte of the mask is 0 or 1 [{DROP}]"
    )
    overlap = "[通用说明和约束, 通用地址重叠约束]"
    with pytest.raises(LaunchError) as refused:
        probes("DropOut onto its mask", [x, x], [x], numbers=[1, 16, 16], reals=[0.5])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: DropOut: dst covers UB addresses 128 to 192, and mask 128 to 144\n"
        f"  rule: {APART} {overlap}"
    )
    with pytest.raises(LaunchError) as refused:
        probes("Pad in place", [x], [x], numbers=[2, 16, 15, 0, 1])
    assert report(refused) == (
        f"Probe: block 0 of 1: HERE: Pad: dst covers UB addresses 0 to 64, and src 0 to 64\n  rule: {APART} {overlap}"
    )
    mask = np.zeros(32, np.uint8)
    with pytest.raises(LaunchError) as refused:  # the mask may be modified
        probes("DropOut keeps its mask", [x, mask], [x, mask], numbers=[1, 32, 32], reals=[0.5])
    assert "has never been written" in refused.value.report
