"""How the working parts of opforge say what they are doing, without printing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of each step of a longer job. The console shows it; tests record it."""

    def start(self, step: str, why: str = "") -> None:
        """A step begins; ``why`` says what made it necessary ("op_kernel/vector_add.cpp changed")."""

    def finish(self, step: str, outcome: str) -> None:
        """A step ended: "built in 3.1 s", "up to date"."""

    def note(self, text: str) -> None:
        """One line that a user should see once: which toolkit was taken, and why."""


class Silent:
    """Says nothing."""

    def start(self, step: str, why: str = "") -> None:
        """Nothing."""

    def finish(self, step: str, outcome: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
