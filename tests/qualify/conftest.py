"""What `make qualify` runs to the end and `make test-all` runs a part of, and the files of results that it leaves."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

TESTS = Path(__file__).parents[1]
RESULTS = TESTS / "fidelity" / "results"

sys.path[:0] = [str(TESTS / "render" / "ascendc")]  # generated_ops is imported by name

Item = TypeVar("Item")
Portion = Callable[[Sequence[Item], int], list[Item]]


def commit() -> str:
    """The commit under test; "unknown" outside of a repository. Its tree has changes where it ends with a plus."""

    def git(*words: str) -> str:
        done = subprocess.run(("git", *words), cwd=TESTS, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    changed = git(
        "status", "--porcelain", "--untracked-files=no", "--", ".", ":!fidelity/results", "../src", "../templates"
    )
    return (git("rev-parse", "HEAD") or "unknown") + ("+" if changed else "")


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

    def write(name: str, found: dict[str, Any]) -> None:
        RESULTS.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"commit": commit(), **found}, indent=1, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")

    return write
