"""Passes on the output of a job as it grows, with the paths of this machine."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path


class LocalOutput:
    """Replaces the project's folder there by the one here in a text that arrives in pieces, also across pieces."""

    def __init__(self, here: str) -> None:
        self._here = here
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._held = ""

    def feed(self, piece: bytes, there: str, *, last: bool) -> str:
        """The text that can be shown now. An end that may be the beginning of a path waits for the next piece."""
        text = self._held + self._decoder.decode(piece, final=last)
        text = text.replace(there, self._here)
        longest = min(len(text), len(there) - 1)
        held = 0 if last else next((n for n in range(longest, 0, -1) if there.startswith(text[-n:])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]


class GrowingLog:
    """Shows the answers of the follow script: each is a line with the folder there, then the log from ``seen`` on."""

    def __init__(self, file: Path, root: Path, show: Callable[[str], None]) -> None:
        self._file, self._show = file, show
        self._output = LocalOutput(str(root))
        self._answered = 0  # bytes of this answer that were read
        self.seen = 0  # bytes of the log that were read
        self.project = ""  # there; empty before an answer

    def begin(self) -> None:
        """A new answer begins in the file."""
        self._answered = 0

    def read(self) -> None:
        """Shows what has arrived since the last time."""
        with self._file.open("rb") as file:
            file.seek(self._answered)
            new = file.read()
        if self._answered == 0:
            there, end, new = new.partition(b"\n")
            if not end:
                return
            self.project = f"{there.decode(errors='replace')}/project"
            self._answered = len(there) + 1
        self._answered += len(new)
        self.seen += len(new)
        self._show(self._output.feed(new, self.project, last=False))

    def end(self) -> None:
        """Shows what was held back."""
        self._show(self._output.feed(b"", self.project, last=True))
