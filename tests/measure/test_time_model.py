"""The model of time on work by hand: what bounds a launch, and what each known cause costs."""

from __future__ import annotations

import pytest

from opforge.measure.time_constants import KINDS, TABLE, constants
from opforge.measure.time_model import PIPES, Unfused, Work, error_text, estimate, unfused_microseconds

SOC = "Ascend910B2"
KNOWN = {name: each.value for name, each in constants(SOC).items()}
MB = 10**6


def work(**fields: int | dict[str, int]) -> Work:
    """A streaming kernel of 40 MB in and out, unless the fields say otherwise."""
    base: dict[str, int] = {"read": 40 * MB, "written": 40 * MB, "crossed": 0, "bypassed": 0, "macs": 0, "span": 0}
    base |= {name: value for name, value in fields.items() if isinstance(value, int)}
    base = {"read_once": base["read"], "written_once": base["written"], **base}
    busy = fields.get("busy", {})
    assert isinstance(busy, dict)
    return Work(**base, busy={**dict.fromkeys(PIPES, 0), **busy})


def microseconds(one: Work, soc: str = SOC) -> float:
    return estimate([one], soc).microseconds


def test_bytes_through_hbm_bound_a_streaming_kernel() -> None:
    found = estimate([work()], SOC)
    assert found.bound == "HBM"
    assert found.microseconds == pytest.approx(KNOWN["launch"] + 40 * MB / KNOWN["hbm"] / 1e3)
    twice = microseconds(work(read=80 * MB, written=80 * MB))
    assert twice - KNOWN["launch"] == pytest.approx(2 * (found.microseconds - KNOWN["launch"]))
    assert found.roofline == pytest.approx(40 * MB / KNOWN["hbm_peak"] / 1e3 / found.microseconds)
    for size in (1, 10**4, MB, 90 * MB, 300 * MB, 5000 * MB):
        assert estimate([work(read=size, written=size)], SOC).roofline < 1


def test_what_l2_cannot_hold_is_written_back() -> None:
    small, large = work(read=90 * MB, written=90 * MB), work(read=300 * MB, written=300 * MB)
    assert estimate([small], SOC).parts["HBM"] == pytest.approx(90 * MB / KNOWN["hbm"] / 1e3)
    assert estimate([large], SOC).parts["HBM"] > 1.5 * 300 * MB / KNOWN["hbm"] / 1e3


def test_what_bypasses_l2_takes_no_room_there() -> None:
    """The Add of half with 8192 x 8192 elements in asc-devkit's add_high_performance: 264 us, with the hint 188 us."""
    plain, hinted = (work(read=2 << 27, written=1 << 27, bypassed=bypassed) for bypassed in (0, 2 << 27))
    assert microseconds(plain) == pytest.approx(264.02, rel=0.08)
    assert microseconds(hinted) == pytest.approx(187.68, rel=0.01)
    # Written bytes that L2 cannot hold are written back all the same, and bytes read twice come twice from memory.
    large = estimate([work(read=300 * MB, written=300 * MB, bypassed=300 * MB)], SOC).parts["HBM"]
    missed = 1 - KNOWN["l2_size"] / (300 * MB)
    assert large == pytest.approx(300 * MB * (1 / KNOWN["hbm_bypass"] + missed / KNOWN["hbm"]) / 1e3)
    twice = work(read=80 * MB, read_once=40 * MB, bypassed=80 * MB)
    assert estimate([twice], SOC).parts["HBM"] == pytest.approx(80 * MB / KNOWN["hbm_bypass"] / 1e3)


def test_what_is_read_again_comes_from_l2() -> None:
    again = work(read=400 * MB, read_once=40 * MB, written=MB)
    found = estimate([again], SOC)
    assert found.bound == "L2"
    assert found.microseconds < microseconds(work(read=400 * MB, written=MB))
    shared = KNOWN["same_address"] * (400 / 40 - 1)
    alone = estimate([again], SOC, {"same_address": 0.0}).parts["L2"]
    assert found.parts["L2"] == pytest.approx(alone * (1 + shared), rel=0.02)


def test_rows_that_are_not_aligned_cost_their_sectors() -> None:
    assert microseconds(work(crossed=20 * MB)) == pytest.approx(microseconds(work(read=60 * MB)))


def test_the_slowest_unit_bounds_and_launches_add_up() -> None:
    tiny = work(read=4096, written=4096, busy={"V": 100})
    assert estimate([tiny], SOC).bound == "launch"
    assert estimate([tiny] * 3, SOC).launch == pytest.approx(3 * KNOWN["launch"])
    assert estimate([work(busy={"M": 10**6})], SOC).bound == "cube"
    assert estimate([work(busy={"V": 10**6})], SOC).bound == "vector"
    assert estimate([work(busy={"S": 10**6})], SOC).bound == "scalar"
    assert estimate([work(span=10**6)], SOC).bound == "waiting"
    assert estimate([work(span=10**6, busy={"V": 9 * 10**5})], SOC).bound == "vector"


def test_unfused_operators_are_launched_alone() -> None:
    one = unfused_microseconds(Unfused(120 * MB, 0, 60 * MB, 1), 0, SOC)
    assert one == pytest.approx(KNOWN["launch"] + 120 * MB / KNOWN["hbm"] / 1e3)
    assert unfused_microseconds(Unfused(120 * MB, 0, 60 * MB, 4), 0, SOC) - one == pytest.approx(3 * KNOWN["launch"])
    assert unfused_microseconds(Unfused(1, 0, 1, 1), 10**12, SOC) > 1000
    # What an earlier operator has written comes from L2 as far as that holds it.
    assert unfused_microseconds(Unfused(120 * MB, 60 * MB, 60 * MB, 1), 0, SOC) < one
    assert unfused_microseconds(Unfused(1200 * MB, 600 * MB, 600 * MB, 1), 0, SOC) > 10 * one


def test_a_single_operator_is_no_slower_than_the_same_bytes_in_an_op() -> None:
    own = estimate([work(read=60 * MB, written=30 * MB)], SOC).microseconds
    assert unfused_microseconds(Unfused(60 * MB, 0, 30 * MB, 1), 0, SOC) == pytest.approx(own)


def test_only_910b_has_been_compared_with_measured_times() -> None:
    assert error_text("Ascend310P3") == "not compared with any measurement"
    assert "within" in error_text("Ascend910B3")
    assert not estimate([work()], "Ascend310P3").compared
    assert microseconds(work(), "Ascend310P3") > 3 * microseconds(work())


def test_every_constant_has_its_kind_and_source() -> None:
    for soc in ("Ascend910B1", "Ascend310P3"):
        assert len(constants(soc)) == TABLE.read_text(encoding="utf-8").count("\nTIME_CONSTANT(")
        for each in constants(soc).values():
            assert each.source
            assert each.unit
            assert each.kind in KINDS.values()
    assert "fitted" not in {each.kind for each in constants("Ascend310P3").values()}
