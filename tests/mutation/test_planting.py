"""The rules that plant mistakes, and the results of planting them."""

from __future__ import annotations

import json

import pytest

from tests.mutation.mistakes import RULES, mistakes
from tests.mutation.planting import RESULTS, chosen

KERNEL = """\
__aicore__ inline void Process() {
    const int64_t begin = tiling->perCore * AscendC::GetBlockIdx();
    for (int64_t row = begin; row < end; row++) {
        const uint32_t count = tile_io::AtMost(end - row, tiling->tileRows);
        AscendC::DataCopy(xLocal, xGm[row * tiling->hidden], count * sizeof(float));
        AscendC::Sub(yLocal, xLocal, gammaLocal, count);
        AscendC::Cast(zLocal, yLocal, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
    }
}
"""


def test_every_class_of_mistakes_has_sites() -> None:
    assert {mistake.kind for mistake in mistakes(KERNEL)} == {kind for kind, _, _ in RULES}


def test_one_line_is_changed() -> None:
    for mistake in mistakes(KERNEL):
        before, after = KERNEL.split("\n"), mistake.planted(KERNEL).split("\n")
        changed = [number for number, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new]
        assert changed == [mistake.line]


def test_the_choice_is_the_same_each_time_and_has_every_class() -> None:
    first = chosen(KERNEL, 12)
    assert first == chosen(KERNEL, 12)
    assert len({mistake.kind for mistake in first}) == len({kind for kind, _, _ in RULES})


def test_comments_and_includes_stay() -> None:
    assert not list(mistakes("#include <a + 1>\n// xGm[row]\nstatic constexpr uint32_t kBuffers = 2;\n"))


@pytest.mark.skipif(not RESULTS.is_dir(), reason="`make qualify` has not run")
def test_nearly_all_mistakes_are_caught() -> None:
    """At least 99 % of the mistakes that change a result, of at least 300."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(RESULTS.glob("*.json"))]
    planted = sum(sum(each["planted"].values()) for each in found)
    caught = sum(sum(each["caught"].values()) for each in found)
    harmless = sum(len(each["harmless"]) for each in found)
    assert planted >= 300
    assert caught / (planted - harmless) >= 0.99
    assert caught + harmless + sum(len(each["survived"]) for each in found) == planted
