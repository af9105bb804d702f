"""The interface through which commands report progress, without printing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Receives each step of a longer job. The console shows it; tests record it."""

    def start(self, step: str, why: str = "") -> None:
        """A step begins; ``why`` is the reason, such as "op_kernel/vector_add.cpp changed"."""

    def finish(self, step: str, outcome: str) -> None:
        """A step ended: "built in 3.1 s", "up to date"."""

    def skip(self, step: str, why: str) -> None:
        """A step does not run, for this reason."""

    def note(self, text: str) -> None:
        """One line that a user should see once, such as the chosen toolkit and the reason."""


class Silent:
    """Discards all reports."""

    def start(self, step: str, why: str = "") -> None:
        """Nothing."""

    def finish(self, step: str, outcome: str) -> None:
        """Nothing."""

    def skip(self, step: str, why: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


@contextmanager
def step(progress: Progress, name: str, why: str = "") -> Iterator[None]:
    """Reports the block as a step, with its time when it ends or raises."""
    began = time.monotonic()
    progress.start(name, why)
    outcome = "failed after"
    try:
        yield
        outcome = "done in"
    finally:
        progress.finish(name, f"{outcome} {time.monotonic() - began:.1f} s")


@contextmanager
def step_when_told(progress: Progress, name: str) -> Iterator[Callable[[str], None]]:
    """For a block that usually has nothing to do: its first text begins a step, which ends with the block."""
    began: list[float] = []

    def tell(text: str) -> None:
        if began:
            progress.note(text)
        else:
            began.append(time.monotonic())
            progress.start(name, text)

    outcome = "failed after"
    try:
        yield tell
        outcome = "done in"
    finally:
        if began:
            progress.finish(name, f"{outcome} {time.monotonic() - began[0]:.1f} s")
