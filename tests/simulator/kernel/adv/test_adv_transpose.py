"""Transpose with a tiling, scene by scene, against transpositions by NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import APART, ROOM, ROOMS, report, up
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError

pytestmark = pytest.mark.compiler

TYPES = {"int16_t": np.int16, "uint16_t": np.uint16, "half": np.float16, "int32_t": np.int32, "uint32_t": np.uint32,
         "float": np.float32}  # fmt: skip
SHAPES = [(1, 1, 16, 16), (2, 3, 32, 16), (1, 2, 17, 5), (3, 5, 1, 24), (1, 16, 48, 32)]
SWAPPED, CUT, MERGED = {1, 2}, {3, 4}, {5, 6}


def calls() -> dict[str, str]:
    tiling = "ConfusionTransposeTiling t; t.param0 = n(1); t.param1 = n(2); t.param2 = n(3); t.param3 = n(4);"
    tiling += "t.param4 = n(5); t.param6 = n(6); t.param7 = n(7);"
    found = {}
    for name in ("Transpose", "ConfusionTranspose"):
        for suffix, room in ROOMS.items():
            for t in TYPES:
                call = f"{name}(Out(0)<{t}>(), In(0)<{t}>(), {room}TransposeType(n(0)), t);"
                found[f"{name} {t}{suffix}"] = f"{tiling} {call}"
    found["in place"] = found["Transpose half"].replace("Out(0)", "In(0)")
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_transpose"))


def wide(x: Array) -> Array:
    """Columns filled up to sixteens."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, up(x.shape[-1]) - x.shape[-1])])


def nz(x: Array) -> Array:
    """The last two axes as NZ: stripes of sixteen columns."""
    x = wide(x)
    *outer, rows, columns = x.shape
    return np.moveaxis(x.reshape(*outer, rows, columns // 16, 16), -2, -3)


def source_and_target(scene: int, x: Array) -> tuple[Array, Array]:
    """x is [B, N, S, H/N], with S in whole sixteens."""
    b, n, s, d = x.shape
    merged = x.transpose(0, 2, 1, 3).reshape(b, s, n * d)
    source = nz(merged) if scene in CUT else nz(x)
    if scene == 1:
        return source, x.transpose(0, 2, 1, 3)
    if scene == 2:
        return source, nz(x.transpose(0, 2, 1, 3))
    return source, {3: nz(x), 4: wide(x), 5: wide(merged), 6: nz(merged)}[scene]


def tiling_of(scene: int, shape: tuple[int, ...], size: int) -> list[int]:
    """The fields that GetTransposeTilingInfo fills; test_adv_tiling.py holds it to the same numbers."""
    b, n, s, d = shape
    if scene in SWAPPED:
        return [scene, 32 // size, b, n, up(d), up(s), 256, 16]
    if scene == 3:
        return [scene, 32 // size, b, n, d, size // 2, up(n * d) // 16, up(s) // 16]
    return [scene, 32 // size, b, n, d, n * d, up(s) // 16, up(d) // 16]


@pytest.mark.parametrize("scene", range(1, 7))
def test_scenes(probes: AdvProbes, scene: int) -> None:
    """Columns that fill up a result to sixteens are undefined; in scenes 1 and 2 the source has them."""
    rng = np.random.default_rng(3)
    for t, dtype in TYPES.items():
        size = np.dtype(dtype).itemsize
        for name in [f"{name} {t}{suffix}" for name in ("Transpose", "ConfusionTranspose") for suffix in ROOMS]:
            for shape in SHAPES[: None if name == "Transpose half" else 2]:
                b, n, s, d = shape
                d = up(d) if scene in SWAPPED else d
                x = rng.integers(0, 99, (b, n, up(s), d)).astype(dtype)
                source, want = source_and_target(scene, x)
                _, kept = source_and_target(scene, np.ones_like(x))
                (got,) = probes(name, [source.ravel()], [np.zeros(want.size, dtype)], load=True, room=512 * size,
                                numbers=tiling_of(scene, shape, size), checks=bool(kept.all()))  # fmt: skip
                got = got.reshape(want.shape)
                assert (got[kept != 0] == want[kept != 0]).all(), (name, shape)


@pytest.mark.parametrize("t", TYPES)
def test_a_matrix(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(4)
    for h, w in [(16, 16), (16, 48), (64, 32)]:
        x = rng.integers(0, 99, (h, w)).astype(TYPES[t])
        for name in ("Transpose", "ConfusionTranspose"):
            (got,) = probes(
                f"{name} {t}", [x.ravel()], [np.zeros(x.size, x.dtype)], numbers=[7, 32 // x.itemsize, h, w]
            )
            assert (got.reshape(w, h) == x.T).all()


PAGE = "高阶API/张量变换/Transpose-96"
SCENES = "transposeType is one of the scenes 1 to 7; Atlas A2, A3 and 310P have no others"
TILING = "the tiling is what GetTransposeTilingInfo made of the shape, the scene and the data type's size"
SIXTEENS = "of TRANSPOSE_ND2ND_ONLY, H and W are multiples of 16"
STACK = "stackBufferSize of GetTransposeTilingInfo is at least GetTransposeMaxMinTmpSize's minValue"
REFUSED = {
    (8, 16, 16, 16): ("it is 8", SCENES),
    (0, 16, 16, 16): ("it is 0", SCENES),
    (13, 16, 16, 16): ("it is 13", SCENES),
    (7, 8, 16, 16): ("it has blocks of 8 elements of 2 bytes and the lengths 16, 16, 0, 0", TILING),
    (3, 16, 1, 2, 0, 0, 1, 1): ("it has blocks of 16 elements of 2 bytes and the lengths 1, 2, 16, 0", TILING),
    (7, 16, 16, 24): ("the tiling has H 16 and W 24", SIXTEENS),
    (7, 16, 8, 16): ("the tiling has H 8 and W 16", SIXTEENS),
    (1, 16, 1, 1, 16, 16, 0): ("it was less than 512 bytes", STACK),
}


@pytest.mark.parametrize("numbers", REFUSED)
def test_tilings_that_are_refused(probes: AdvProbes, numbers: tuple[int, ...]) -> None:
    x = np.zeros(1024, np.float16)
    says, rule = REFUSED[numbers]
    with pytest.raises(LaunchError) as refused:
        probes("Transpose half", [x], [x], numbers=numbers)
    assert report(refused) == f"Probe: block 0 of 1: HERE: Transpose: {says}\n  rule: {rule} [{PAGE}]"


def test_room_and_overlap(probes: AdvProbes) -> None:
    x = np.zeros(256, np.float16)
    with pytest.raises(LaunchError) as refused:
        probes("Transpose half room", [x], [x], numbers=tiling_of(6, (1, 1, 16, 16), 2), room=992)
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: Transpose: sharedTmpBuffer has 992 bytes, but at least 1024 are needed\n"
        f"  rule: {ROOM} [高阶API/数学计算/更多样例-83]"
    )
    with pytest.raises(LaunchError) as refused:
        probes("in place", [x], [x], numbers=[7, 16, 16, 16])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: Transpose: dst covers UB addresses 0 to 512, and src 0 to 512\n"
        f"  rule: {APART} [通用说明和约束, 通用地址重叠约束]"
    )
