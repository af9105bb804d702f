"""Compiled forms beside Python's own compiled modules, as compiling them takes longer than all the rest of rendering.

Like a ``.pyc`` file it is only a saving: keyed by the form's text, written where Python may write, missed without harm.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

_FOLDER = Path(__file__).parent / "__pycache__" / "forms"


class CompiledForms(BytecodeCache):
    """One file a form in ``folder``; a folder that cannot be written is left alone."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills the bucket if there is a compiled form of its text, for this Python and this Jinja."""
        with contextlib.suppress(OSError), (self.folder / bucket.key).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps the bucket for the next process, whole or not at all."""
        if sys.dont_write_bytecode:
            return
        unfinished = self.folder / f"{bucket.key}.{os.getpid()}"
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(bucket.bytecode_to_string())
            unfinished.replace(self.folder / bucket.key)
