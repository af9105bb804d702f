"""Samples that change with the commit: each commit tests another one, and the same commit always the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

from tests.fidelity.kept_results import commit

Item = TypeVar("Item")
Portion = Callable[[Sequence[Item], int], list[Item]]


@pytest.fixture(scope="session")
def seed() -> str:
    """The commit under test."""
    return commit().rstrip("+")


@pytest.fixture
def portion(seed: str, request: pytest.FixtureRequest) -> Portion[Any]:
    """``portion(items, count)``: so many of the items, chosen by the commit, in their order."""

    def choose(items: Sequence[Any], count: int) -> list[Any]:
        chance = random.Random(f"{seed} {request.node.name}")
        chosen = sorted(chance.sample(range(len(items)), min(count, len(items))))
        return [items[index] for index in chosen]

    return choose
