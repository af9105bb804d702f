"""TransData and the layouts that it takes, against transpositions by NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import APART, ROOM, ROOMS, report, up
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError

pytestmark = pytest.mark.compiler

TYPES = ["int16_t", "uint16_t", "half", "bfloat16_t"]
PREAMBLE = """
constexpr TransDataConfig toSixteens{DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig fromSixteens{DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig toFractal{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig fromFractal{DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
"""
SIXTEENS = "MakeShape(n(0), n(2), n(5), n(3), n(4), n(6))"
FRACTAL = "MakeShape(n(2), n(5), n(3), n(4), n(7), n(8), n(6))"


def calls() -> dict[str, str]:
    found = {}
    for suffix, room in ROOMS.items():
        for t in TYPES:
            for other, shape in (("Sixteens", SIXTEENS), ("Fractal", FRACTAL)):
                for way in ("to", "from"):
                    layouts = ["plain", "other"] if way == "to" else ["other", "plain"]
                    found[f"{way}{other} {t}{suffix}"] = (
                        "Layout plain = MakeLayout(MakeShape(n(0), n(1), n(2), n(3), n(4)), MakeStride());"
                        f"Layout other = MakeLayout({shape}, MakeStride());"
                        f"TransDataParams<decltype({layouts[0]}), decltype({layouts[1]})> params"
                        f" = {{{', '.join(layouts)}}};"
                        f"TransData<{way}{other}>(Out(0)<{t}>(), In(0)<{t}>(), {room}params);"
                    )
    found["in place"] = found["toSixteens half"].replace("Out(0)", "In(0)")
    found["layout"] = (
        "auto layout = MakeLayout(MakeShape(n(0), n(1)), MakeStride(n(2)));"
        'static_assert(is_layout<decltype(layout)>::value && !is_layout<int>::value, "is_layout");'
        "auto out = Out(0)<int32_t>(); Duplicate(out, 0, 8);"
        "out.SetValue(0, Std::get<0>(layout.GetShape())); out.SetValue(1, Std::get<1>(layout.GetShape()));"
        "out.SetValue(2, Std::get<0>(layout.GetStride())); out.SetValue(3, Std::get<1>(layout.layout().GetShape()));"
    )
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_trans_data"), PREAMBLE)


def sixteens(x: Array, fractal: bool) -> Array:
    n, c, d, h, w = x.shape
    if fractal:
        x = np.pad(x, ((0, up(n) - n), (0, up(c) - c), (0, 0), (0, 0), (0, 0)))
        return x.reshape(up(n) // 16, 16, up(c) // 16, 16, d, h, w).transpose(4, 2, 5, 6, 0, 1, 3)
    x = np.pad(x, ((0, 0), (0, up(c) - c), (0, 0), (0, 0), (0, 0)))
    return x.reshape(n, up(c) // 16, 16, d, h, w).transpose(0, 3, 1, 4, 5, 2)


@pytest.mark.parametrize("t", TYPES)
def test_trans_data(probes: AdvProbes, t: str) -> None:
    """Channels and batches are filled up with zeros, planes by the caller, and by nothing on the way back."""
    rng = np.random.default_rng(2)
    for suffix in ROOMS:
        for n, c, d, h, w in [(1, 16, 1, 4, 4), (2, 17, 1, 3, 5), (17, 3, 1, 1, 1), (1, 16, 2, 2, 8)]:
            x = rng.integers(0, 1 << 16, (n, c, d, h, w)).astype(np.uint16)
            planes = np.full((n, c, d, up(h * w)), 7, np.uint16)
            planes[..., : h * w] = x.reshape(n, c, d, h * w)
            numbers = [n, c, d, h, w, up(c) // 16, 16, up(n) // 16, 16]
            for other in ("Sixteens", "Fractal"):
                want = sixteens(x, other == "Fractal")
                (got,) = probes(f"to{other} {t}{suffix}", [planes.ravel()], [np.zeros(want.size, np.uint16)],
                                numbers=numbers, room=98304)  # fmt: skip
                assert (got.reshape(want.shape) == want).all(), (other, n, c, d, h, w)
                (got,) = probes(f"from{other} {t}{suffix}", [want.ravel()], [np.zeros(planes.size, np.uint16)],
                                numbers=numbers, room=98304, load=True, checks=h * w % 16 == 0)  # fmt: skip
                assert (got.reshape(planes.shape)[..., : h * w] == planes[..., : h * w]).all(), (other, n, c, d, h, w)


def test_layouts(probes: AdvProbes) -> None:
    (got,) = probes("layout", [np.zeros(1, np.int32)], [np.zeros(8, np.int32)], numbers=[3, 5, 7])
    assert got.tolist() == [3, 5, 7, 5, 0, 0, 0, 0]


PAGE = "高阶API/张量变换/TransData"
ONE = "the layouts are those of one tensor, with C and N cut into sixteens"
REFUSED = {
    ("toSixteens half", (1, 17, 1, 4, 4, 1, 16)): (
        "NCDHW is [1, 17, 1, 4, 4], and the other format [1, 1, 1, 4, 4, 16] instead of [1, 1, 2, 4, 4, 16]"
    ),
    ("fromSixteens half", (1, 16, 1, 4, 4, 1, 8)): (
        "NCDHW is [1, 16, 1, 4, 4], and the other format [1, 1, 1, 4, 4, 8] instead of [1, 1, 1, 4, 4, 16]"
    ),
    ("toFractal half", (17, 16, 1, 4, 4, 1, 16, 1, 16)): (
        "NCDHW is [17, 16, 1, 4, 4], and the other format [1, 1, 4, 4, 1, 16, 16] instead of [1, 1, 4, 4, 2, 16, 16]"
    ),
    ("toFractal half", (0, 16, 1, 4, 4, 1, 16, 0, 16)): (
        "NCDHW is [0, 16, 1, 4, 4], and the other format [1, 1, 4, 4, 0, 16, 16] instead of [1, 1, 4, 4, 0, 16, 16]"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: tuple[str, tuple[int, ...]]) -> None:
    x = np.zeros(1024, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(case[0], [x], [x], numbers=case[1])
    assert report(refused) == f"Probe: block 0 of 1: HERE: TransData: {REFUSED[case]}\n  rule: {ONE} [{PAGE}]"


def test_room_overlap_and_the_ends_of_planes(probes: AdvProbes) -> None:
    x = np.zeros(256, np.uint16)
    numbers = [1, 16, 1, 4, 4, 1, 16]
    with pytest.raises(LaunchError) as refused:
        probes("toSixteens half room", [x], [x], numbers=numbers, room=512)
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: TransData: sharedTmpBuffer has 512 bytes, but at least 544 are needed\n"
        f"  rule: {ROOM} [高阶API/数学计算/更多样例-83]"
    )
    with pytest.raises(LaunchError) as refused:
        probes("in place", [x], [x], numbers=numbers)
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: TransData: dst covers UB addresses 0 to 512, and src 0 to 512\n"
        f"  rule: {APART} [通用说明和约束, 通用地址重叠约束]"
    )
    with pytest.raises(LaunchError) as refused:  # nothing is written behind a plane of fifteen
        probes("fromSixteens half", [x], [x], numbers=[1, 16, 1, 3, 5, 1, 16])
    assert "has never been written" in refused.value.report
