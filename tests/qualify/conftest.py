"""What `make qualify` runs to the end and `make test-all` runs a part of, and the files of results that it leaves."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

TESTS = Path(__file__).parents[1]

sys.path.insert(0, str(TESTS / "render" / "ascendc"))  # generated_ops is imported by name
sys.path.insert(0, str(TESTS / "fidelity"))

from kept_results import commit, keep_result  # noqa: E402

Item = TypeVar("Item")
Portion = Callable[[Sequence[Item], int], list[Item]]


@pytest.fixture(scope="session")
def seed() -> str:
    """Each commit tests another sample, and the same commit always the same."""
    return commit().rstrip("+")


@pytest.fixture
def portion(seed: str, request: pytest.FixtureRequest) -> Portion[Any]:
    """``portion(items, count)``: so many of the items, chosen by the commit, in their order."""

    def choose(items: Sequence[Any], count: int) -> list[Any]:
        chance = random.Random(f"{seed} {request.node.name}")
        chosen = sorted(chance.sample(range(len(items)), min(count, len(items))))
        return [items[index] for index in chosen]

    return choose


@pytest.fixture
def keep() -> Callable[[str, dict[str, Any]], None]:
    """``keep("every_size", {...})`` writes what a run has found, with the commit it was of, for docs/fidelity.md."""
    return keep_result
