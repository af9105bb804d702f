"""Which buffers begin half a row of banks later: as few instructions as possible read two in the same half."""

from __future__ import annotations

from itertools import combinations

import pytest

from opforge.plan.banks import shifted_places
from opforge.plan.vector_model import Instruction, Place

X, Y, Z = (Place("input", name) for name in "xyz")
T, U = (Place("temp", number=number) for number in range(2))


def reads(*pairs: tuple[Place, ...]) -> list[Instruction]:
    return [Instruction("Add", U, pair) for pair in pairs]


def conflicts(instructions: list[Instruction], shifted: frozenset[Place]) -> int:
    """The instructions that read two buffers in the same half; kept values are in the shifted one."""

    def half(place: Place) -> bool:
        return (
            place.kind == "kept"
            or Place("input" if place.kind == "column" else place.kind, place.name, place.number) in shifted
        )

    return sum(a != b and half(a) == half(b) for i in instructions for a, b in combinations(i.sources, 2))


def test_the_second_operand_is_shifted() -> None:
    assert shifted_places(reads((X, Y))) == {Y}
    assert shifted_places(reads((X, Y), (T, X))) == {Y, T}
    assert shifted_places(reads((X, Place("column", "w")))) == {Place("input", "w")}


def test_nothing_is_shifted_without_two_operands() -> None:
    assert shifted_places(reads((X,), (Y, Y), (X, Place("row")), (Place("mask"), X))) == frozenset()


def test_a_few_pairs_may_not_be_worth_it() -> None:
    assert shifted_places(reads((X, Y), (T, X)), fewest=3) == frozenset()
    assert shifted_places(reads((X, Y), (T, X), (X, Y)), fewest=3) == {Y, T}


def test_an_operand_of_a_kept_value_stays_in_front() -> None:
    kept = Place("kept", number=1)
    assert X not in shifted_places(reads((kept, X), (X, Y)))
    assert conflicts(reads((kept, X), (X, Y)), shifted_places(reads((kept, X), (X, Y)))) == 0


def test_the_last_work_tile_of_a_function_is_read_with_the_others() -> None:
    work = (*(Place("temp", number=number) for number in range(2, 5)), Place("mask"))
    function = Instruction("Erf", Y, (X,), work=work)
    assert shifted_places([function]) == {work[2]}
    assert shifted_places([function], fewest=7) == frozenset()
    assert shifted_places([Instruction("Sum", Y, (X,), work=(T,))]) == frozenset()


@pytest.mark.parametrize(
    ("pairs", "fewest"),
    [
        ([(X, Y), (Y, Z), (Z, X)], 1),
        ([(X, Y), (X, Y), (Y, Z), (Z, X)], 1),
        ([(X, Y), (Y, Z), (Z, T), (T, X)], 0),
        ([(X, Y, Z)], 1),
        ([(X, T), (Y, T), (Z, T), (X, U), (U, Y), (U, T)], 1),
    ],
)
def test_few_conflicts_are_left(pairs: list[tuple[Place, ...]], fewest: int) -> None:
    instructions = reads(*pairs)
    assert conflicts(instructions, shifted_places(instructions)) == fewest
    places = {place for pair in pairs for place in pair}
    subsets = (frozenset(some) for count in range(len(places) + 1) for some in combinations(places, count))
    assert fewest == min(conflicts(instructions, some) for some in subsets)
