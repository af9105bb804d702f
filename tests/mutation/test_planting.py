"""The rules that plant mistakes, and the results of planting them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

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


PAGE = Path(__file__).parents[2] / "docs" / "mutation.md"
HEAD = """\
# How well a project's tests catch mistakes

A test writes this page from the files in `tests/mutation/results/` (`pytest tests/mutation --update-golden`), which
`make qualify` writes. Rules plant one mistake at a time into a kernel (`tests/mutation/mistakes.py`). The kernel is
compiled, and the project's own tests of results and gradients run with it on the simulated device, until one fails.
A mistake is *harmless* if it changes no result; the reasons are in `tests/mutation/harmless.json`. Mistakes that do
not compile do not count.
"""


def results() -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(RESULTS.glob("*.json"))]


def table(*rows: tuple[object, ...]) -> str:
    lines = [" | ".join(map(str, row)) for row in rows]
    return "\n".join([f"| {lines[0]} |", "|" + "---|" * len(rows[0]), *(f"| {line} |" for line in lines[1:])]) + "\n"


def page() -> str:
    planted, caught, harmless, by = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    survived = []
    kernels: list[tuple[object, ...]] = []
    for each in results():
        planted.update(each["planted"])
        caught.update(each["caught"])
        by.update(each["by"])
        harmless.update(row["kind"] for row in each["harmless"])
        survived += [
            (f"`{each['file']}`", row["kind"], f"`{row['old']}`", f"`{row['new']}`", row["why"])
            for row in each["survived"]
        ]
        counts = (sum(each["planted"].values()), sum(each["caught"].values()), len(each["harmless"]))
        kernels.append((each["op"], f"`{each['file']}`", *counts, len(each["survived"])))
    total = sum(planted.values())
    share = sum(caught.values()) / (total - sum(harmless.values()))
    classes = [
        (kind, planted[kind], caught[kind], harmless[kind], planted[kind] - caught[kind] - harmless[kind])
        for kind in sorted(planted)
    ]
    whole = ("all", total, sum(caught.values()), sum(harmless.values()), len(survived))
    told = ", ".join(f"{count} by {name}" for name, count in by.most_common())
    parts = [
        HEAD,
        f"{total} mistakes were planted. Of those that change a result, {100 * share:.1f} % are caught: {told}.\n",
        table(("class", "planted", "caught", "harmless", "survived"), *classes, whole),
        "## Kernels\n",
        table(("op", "file", "planted", "caught", "harmless", "survived"), *kernels),
        "## Survivors\n",
        table(("file", "class", "right", "wrong", "why"), *survived) if survived else "None.\n",
    ]
    return "\n".join(parts)


def test_page(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_nearly_all_mistakes_are_caught() -> None:
    """At least 99 % of the mistakes that change a result, of at least 300."""
    found = results()
    planted = sum(sum(each["planted"].values()) for each in found)
    caught = sum(sum(each["caught"].values()) for each in found)
    harmless = sum(len(each["harmless"]) for each in found)
    assert planted >= 300
    assert caught / (planted - harmless) >= 0.99
    assert caught + harmless + sum(len(each["survived"]) for each in found) == planted
