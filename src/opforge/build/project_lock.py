"""File locks: one build, update or installation at a time in a project, and one measurement."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from opforge.errors import ProjectError

LOCK = ".lock"


@contextlib.contextmanager
def project_lock(build: Path, doing: str = "at work") -> Iterator[None]:
    """Holds the lock of a build folder during the work ``doing``. Raises ProjectError if another process holds it."""
    build.mkdir(parents=True, exist_ok=True)
    path = build / (LOCK if doing == "at work" else f".{doing}.lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip()
            who = f" (process {holder})" if holder.isdigit() else ""
            raise ProjectError(
                f"another opforge is {doing} in {build.parent}{who}",
                hint="wait for it to end, then try again",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
