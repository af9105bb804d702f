"""Which sizes of named dimensions tests draw."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def sizes() -> ModuleType:
    from opforge.testing.measuring import sizes

    return sizes


@pytest.mark.parametrize("names", [("...",), ("...", "H"), ("T", "N", "H"), ("A", "B", "C", "D")])
def test_every_dimension_has_every_size(sizes: ModuleType, names: tuple[str, ...]) -> None:
    made = sizes.varied(names, {})
    for name in names:
        assert {each[name] for each in made} >= {0, *sizes.LEVELS, sizes.LARGE}
    assert [list(each) for each in made] == [list(names)] * len(made)


@pytest.mark.parametrize("names", [("...", "H"), ("T", "N", "H"), ("A", "B", "C", "D")])
def test_sizes_occur_in_pairs(sizes: ModuleType, names: tuple[str, ...]) -> None:
    made = sizes.varied(names, {})
    pairs = 0
    for one, two in itertools.combinations(names, 2):
        for x, y in itertools.product(sizes.LEVELS, repeat=2):
            if x * y <= sizes.MOST:
                assert any(each[one] == x and each[two] == y for each in made), (one, x, two, y)
                pairs += 1
    assert len(made) < pairs if len(names) > 2 else len(made) >= pairs


def test_the_smallest_sizes_are_first_and_none_is_too_large(sizes: ModuleType) -> None:
    counts = [math.prod(each.values()) for each in sizes.varied(("T", "N", "H"), {})]
    assert counts == sorted(counts)
    assert counts[-1] <= 2 * sizes.MOST
    assert sizes.varied(("...",), {})[-1] == {"...": sizes.ALONE}


def test_only_supported_sizes_are_drawn(sizes: ModuleType) -> None:
    limit = sizes.Size(min=2, max=8200, multiple_of=16)
    found = {each["H"] for each in sizes.varied(("...", "H"), {"H": limit})}
    assert found == {16, 256, 4096, 8192}
    assert not limit.allows(0)
    assert sizes.usual(("...", "H", "I"), {"H": limit}) == {"H": 16, "I": 7}


def test_a_range_of_one_size(sizes: ModuleType) -> None:
    assert {each["H"] for each in sizes.varied(("N", "H"), {"H": sizes.Size(min=64, max=64)})} == {64}
