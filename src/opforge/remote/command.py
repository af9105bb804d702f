"""A command for another machine, and what it brings back."""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class Command:
    """``opforge WORDS`` with the Python at a path there. All paths that it brings back are relative to the project."""

    words: tuple[str, ...]
    python: str
    merged: bool = False  # stdout and stderr come as one text, in their order, while it runs
    whole: tuple[str, ...] = ("dist",)  # folders of packages that replace those here, if the command succeeded
    written: tuple[str, ...] = ("build/reports", "build/logs")  # of these, the files that the command wrote

    @property
    def meaning(self) -> str:
        """A text that differs for different commands."""
        return repr((self.words, self.python, self.merged, self.whole, self.written))
