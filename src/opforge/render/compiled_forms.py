"""Stores compiled Jinja forms, because compiling them takes longer than the rest of rendering.

The forms stand beside Python's compiled modules. Like a ``.pyc`` file, a stored form only saves time: it is keyed by
the text of the form, it is written only into writable folders, and it may be missing.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

_FOLDER = Path(__file__).parent / "__pycache__" / "forms"


class CompiledForms(BytecodeCache):
    """Stores one file per form in ``folder``. A folder that is not writable is left alone."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills the bucket if a compiled form exists for its text, this Python version and this Jinja version."""
        with contextlib.suppress(OSError), (self.folder / bucket.key).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Stores the bucket for later processes. The write is atomic."""
        if sys.dont_write_bytecode:
            return
        unfinished = self.folder / f"{bucket.key}.{os.getpid()}"
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(bucket.bytecode_to_string())
            unfinished.replace(self.folder / bucket.key)
