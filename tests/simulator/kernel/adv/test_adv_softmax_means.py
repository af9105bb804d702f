"""SoftmaxFlashV3, against the pseudocode of its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import ROOM, ROOMS, report
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from ulps import distance

pytestmark = pytest.mark.compiler

PAGE = "高阶API/激活函数/SoftMax接口/SoftmaxFlashV3"


def calls() -> dict[str, str]:
    found = {}
    numbers = ", ".join(f"(uint32_t)n({i})" for i in range(6))
    params = f"SoftMaxParams params{{{numbers}, f(0)}}; SoftMaxTiling tiling;"
    out = "Out(1)<float>(), Out(2)<float>(), Out(3)<float>()"
    for suffix, room in ROOMS.items():
        for update in ("false", "true"):
            # expMax overwrites In(4), which is stored in place of the result where n(6) says so
            found[f"{update}{suffix}"] = (
                f"{params} SoftmaxFlashV3<half, float, {update}>(Out(0)<half>(), {out}, In(0)<half>(), In(4)<half>(),"
                f" In(1)<float>(), In(2)<float>(), In(3)<float>(), {room}tiling, params);"
                "if (n(6) != 0) { DataCopy(Out(0)<half>(), In(4)<half>(), n(0) * 16); }"
            )
    found["in place"] = (
        found["true"].replace("Out(0)<half>(), Out(1)<float>(), Out(2)<float>(), Out(3)<float>()",
                              "In(0)<half>(), In(1)<float>(), In(2)<float>(), In(3)<float>()", 1)
        + "DataCopy(Out(0)<half>(), In(0)<half>(), n(0) * n(1)); DataCopy(Out(1)<float>(), In(1)<float>(), n(0) * 8);"
        "DataCopy(Out(2)<float>(), In(2)<float>(), n(0) * 8); DataCopy(Out(3)<float>(), In(3)<float>(), n(0) * 8);"
    )  # fmt: skip
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_softmax_means"))


def flash(x: Array, alpha: float, loop: int, given: tuple[Array, Array, Array] | None) -> tuple[Array, ...]:
    """The page's pseudocode in float64: dst, mean, sum, max, expMax, of [m, 1] each but dst."""
    x = x.astype(np.float64)
    rows, width = x.shape
    scalar = alpha / (1 - alpha)
    sums = x[:, :512].reshape(rows, 64, 8).sum(axis=2)
    sums += x[:, 512:].reshape(rows, -1, 64).sum(axis=1)
    local = sums.reshape(rows, 8, 8).sum(axis=2) / (width // 8)
    whole = x.mean(axis=1, keepdims=True)
    x = x - np.repeat((whole - local) * scalar, width // 8, axis=1)
    if given is None:
        most = x.max(axis=1, keepdims=True)
        exp = np.exp(x - most)
        return exp, whole, exp.sum(axis=1, keepdims=True), most, np.zeros_like(most)
    before, before_sum, before_max = (a.astype(np.float64) for a in given)
    mean = (whole + before * (loop - 1)) / loop
    shift, shift_before = (whole - mean) * scalar, (before - mean) * scalar
    most = np.maximum(shift + x.max(axis=1, keepdims=True), shift_before + before_max)
    exp = np.exp(x - (most - shift))
    factor = np.exp(before_max - most + shift_before)
    return exp, mean, factor * before_sum + exp.sum(axis=1, keepdims=True), most, factor


@pytest.mark.parametrize("update", [False, True])
def test_softmax_flash_v3(probes: AdvProbes, update: bool) -> None:
    rng = np.random.default_rng(12)
    for suffix in ROOMS:
        for rows, width, alpha, loop in [(8, 512, 0.9375, 1), (8, 576, 0.9375, 3), (16, 1024, 0.984497, 7)]:
            x = rng.uniform(-2, 2, (rows, width)).astype(np.float16)
            given = tuple(rng.uniform(0, 2, (rows, 1)).astype(np.float32) for _ in range(3))
            stats = [np.repeat(a, 8, axis=1).ravel() for a in given]
            inputs = [x.ravel(), *stats, np.zeros(rows * 16, np.float16)]
            want = flash(x, float(np.float32(alpha)), loop, given if update else None)
            sizes = [x.size, rows * 8, rows * 8, rows * 8]
            outs = [np.zeros(n, np.float32 if i else np.float16) for i, n in enumerate(sizes)]
            numbers = [rows, width, rows, width, loop, 8]
            name = f"{str(update).lower()}{suffix}"
            got = probes(name, inputs, outs, numbers=numbers, reals=[alpha], room=32768)
            assert distance(got[0].reshape(x.shape), want[0].astype(np.float16)) <= 1, (rows, width)
            for i in (1, 2, 3):
                assert np.allclose(got[i].reshape(rows, 8), want[i], rtol=1e-6, atol=1e-7), (i, rows, width)
            if name == "true":
                placed = probes("in place", inputs, outs, numbers=numbers, reals=[alpha])
                assert all((a == b).all() for a, b in zip(placed, got, strict=True)), "in place"
            if update:  # and where the result of the call is expMax
                outs[0] = np.zeros(rows * width, np.float16)
                (exp_max, *_) = probes(name, inputs, outs, numbers=[*numbers, 1], reals=[alpha], room=32768)
                got_max = exp_max[: rows * 16].reshape(rows, 16)
                assert distance(got_max, np.repeat(want[4], 16, axis=1).astype(np.float16)) <= 1


SHAPE = "srcM is a multiple of 8 and srcK one of 64, 512 or more, and both are the original ones"
COUNTS = "splitMeanCnt is 8, and with isUpdate loopCnt 1 or more"
REFUSED = {
    ("true", 0.5, (7, 512, 7, 512, 1, 8)): ("srcM is 7, srcK 512, oriSrcM 7, oriSrcK 512", SHAPE),
    ("true", 0.5, (8, 448, 8, 448, 1, 8)): ("srcM is 8, srcK 448, oriSrcM 8, oriSrcK 448", SHAPE),
    ("true", 0.5, (8, 520, 8, 520, 1, 8)): ("srcM is 8, srcK 520, oriSrcM 8, oriSrcK 520", SHAPE),
    ("true", 0.5, (8, 512, 8, 511, 1, 8)): ("srcM is 8, srcK 512, oriSrcM 8, oriSrcK 511", SHAPE),
    ("true", 0.5, (8, 512, 8, 512, 0, 8)): ("they are 8 and 0", COUNTS),
    ("false", 0.5, (8, 512, 8, 512, 1, 4)): ("they are 4 and 1", COUNTS),
    ("false", 1.0, (8, 512, 8, 512, 1, 8)): ("alpha is 1", "alpha / (1 - alpha) is finite"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: tuple[str, float, tuple[int, ...]]) -> None:
    said, rule = REFUSED[case]
    x = np.zeros(64, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(case[0], [x] * 5, [x] * 4, numbers=case[2], reals=[case[1]])
    assert report(refused) == f"Probe: block 0 of 1: HERE: SoftmaxFlashV3: {said}\n  rule: {rule} [{PAGE}]"


def test_room(probes: AdvProbes) -> None:
    x, stats = np.zeros(4096, np.float16), np.zeros(64, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes("false room", [x, stats, stats, stats, stats], [x, stats, stats, stats],
               numbers=[8, 512, 8, 512, 1, 8], reals=[0.5], room=224)  # fmt: skip
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: SoftmaxFlashV3: sharedTmpBuffer has 224 bytes, but at least 4512 are needed\n"
        f"  rule: {ROOM} [高阶API/数学计算/更多样例-83]"
    )
