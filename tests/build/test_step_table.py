"""The table of steps is complete: each has what it comes after, a key, an action, and a row in the docs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from opforge.build.step_actions import Work
from opforge.build.step_table import STEPS, Step

PAGE = Path(__file__).resolve().parents[2] / "docs" / "internals.md"


class Recorder:
    """Stands in for ``Work``: notes which of its actions are called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Callable[[], None]:
        return lambda: self.called.append(name)


def actions() -> list[str]:
    """The functions of ``Work`` that are the action of a step."""
    found = inspect.getmembers(Work, inspect.isfunction)
    return [name for name, function in found if inspect.signature(function).return_annotation == "StepResult"]


def before(step: Step, steps: Sequence[Step]) -> set[str]:
    """All steps that have ended when a step starts."""
    named = {each.name: each for each in steps}
    found: set[str] = set()
    todo = list(step.after)
    while todo:
        name = todo.pop()
        if name in named and name not in found:
            found.add(name)
            todo += named[name].after
    return found


def faults(steps: Sequence[Step]) -> list[str]:
    """What is wrong with a table of steps."""
    found = []
    names = [step.name for step in steps]
    called = Recorder()
    for place, step in enumerate(steps):
        step.how(called)  # type: ignore[arg-type]
        if step.name in names[:place]:
            found.append(f"{step.name}: two steps of this name")
        if not step.after and place:
            found.append(f"{step.name}: comes after no step")
        found += [f"{step.name}: after {name}, which is no earlier step" for name in {*step.after} - {*names[:place]}]
        found += [f"{step.name}: packs {name} and may start before" for name in {*step.packs} - before(step, steps)]
    found += [f"{name}: {called.called.count(name)} steps" for name in actions() if called.called.count(name) != 1]
    return found


def test_the_table_of_steps_is_complete() -> None:
    assert faults(STEPS) == []


SPEC, SKELETON, OPERATORS, ADAPTER, WHEEL = STEPS


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((SPEC, SKELETON, OPERATORS, WHEEL), ["wheel: after adapter, which is no earlier step", "adapter: 0 steps"]),
        ((*STEPS, WHEEL), ["wheel: two steps of this name", "wheel: 2 steps"]),
        ((SPEC, SKELETON, OPERATORS, replace(ADAPTER, after=()), WHEEL), ["adapter: comes after no step"]),
        (
            (SPEC, SKELETON, OPERATORS, ADAPTER, replace(WHEEL, after=("adapter",))),
            ["wheel: packs operators and may start before"],
        ),
        (
            (SPEC, replace(SKELETON, after=("operators",)), OPERATORS, ADAPTER, WHEEL),
            ["skeleton: after operators, which is no earlier step"],
        ),
    ],
)
def test_a_fault_in_the_table_of_steps_is_found(steps: Sequence[Step], found: list[str]) -> None:
    assert [fault for fault in faults(steps) if "packs adapter" not in fault] == found


def test_the_docs_list_every_step() -> None:
    rows = [f"| {step.name} | {', '.join(step.after)} | {step.what} |" for step in STEPS]
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index("| step | after | what happens |")
    assert lines[start + 2 : start + 2 + len(rows) + 1] == [*rows, ""]
