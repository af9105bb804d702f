"""Passes on the output of a job as it grows, with the paths of this machine."""

from __future__ import annotations

import codecs


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
