"""Allows one installation at a time into an environment, by a lock file in each of its folders."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from opforge.errors import InstallError

LOCK = ".opforge.lock"
_HINT = "make an environment of your own (python3 -m venv .venv) and activate it, or give --python"


@contextlib.contextmanager
def environment_lock(*folders: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Holds the locks of existing folders; waits for another process that holds one, and reports the wait.

    Raises InstallError for a folder that is not writable.
    """
    with contextlib.ExitStack() as stack:
        for folder in sorted({folder.resolve() for folder in folders}):  # a fixed order prevents deadlocks
            stack.enter_context(_locked(folder, tell))
        yield


@contextlib.contextmanager
def _locked(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    path = folder / LOCK
    descriptor = _acquire(path, tell)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        path.unlink(missing_ok=True)  # before the release: a waiting process notices and makes a new one
        os.close(descriptor)


def _acquire(path: Path, tell: Callable[[str], None]) -> int:
    told = False
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as e:
            raise InstallError(f"{path.parent} is not writable: {e.strerror}", hint=_HINT) from e
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not told:
                    holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
                    who = f" (process {holder})" if holder.isdigit() else ""
                    tell(f"waiting for another opforge{who} that installs into {path.parent} or uninstalls there")
                    told = True
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one at the path; its holder may have removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def require_writable(*folders: Path) -> None:
    """Raises InstallError for a folder that cannot be written or created."""
    for folder in folders:
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(existing, os.W_OK):
            raise InstallError(f"{folder} is not writable", hint=_HINT)
