"""Writes rendered files so that a reader sees the old file or the new one, and nothing in between."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def write_text(path: Path, text: str, *, executable: bool = False) -> None:
    """Replace ``path`` by this text (UTF-8, line feeds) in one step; its folder is made when missing.

    Raises OSError; a failed write leaves ``path`` as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    mode = 0o777 if executable else 0o666  # less the umask, as every new file
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
