"""Creates a folder atomically and only once, also with several processes and Ctrl-C."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from opforge.errors import ToolkitError


@contextlib.contextmanager
def published(
    target: Path,
    stamp: str,
    progress: Callable[[str], None],
    damage: Callable[[], str | None] = lambda: None,
) -> Iterator[Path | None]:
    """Gives a scratch folder beside ``target``; its ``root`` becomes ``target`` when the block ends.

    Gives None if another process made ``target`` (that is, ``target/stamp`` exists) during the wait for its lock. If
    ``damage`` names a damaged file, the folder is made again. The block must make ``root/stamp``. After an exception or
    a kill, ``target`` has no partial contents; the next build removes scratch folders of killed processes.

    Raises:
        ToolkitError: the folder above ``target`` cannot be written.
    """
    parent = target.parent
    prefix = f".{target.name}-"
    with contextlib.ExitStack() as stack:
        try:
            parent.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context((parent / f"{prefix}lock").open("w"))
        except OSError as e:
            raise _not_writable(parent, e) from e
        wait_for(lock.fileno(), target, progress)
        if (target / stamp).exists():
            bad = damage()
            if bad is None:
                yield None
                return
            progress(f"{target / bad} is damaged: {target.name} is made again")
        for left in parent.glob(f"{prefix}build-*"):
            shutil.rmtree(left, ignore_errors=True)
        _remove_unfinished(parent)
        try:
            scratch = Path(tempfile.mkdtemp(prefix=f"{prefix}build-", dir=parent))
        except OSError as e:
            raise _not_writable(parent, e) from e
        stack.callback(shutil.rmtree, scratch, ignore_errors=True)
        yield scratch
        if not (scratch / "root" / stamp).exists():
            raise ToolkitError(f"{target} was not made: the build succeeded but did not produce {stamp}")
        if os.path.lexists(target):  # without its stamp, or damaged
            target.rename(scratch / "old")
        (scratch / "root").rename(target)


def _remove_unfinished(parent: Path) -> None:
    """Removes unlocked scratch folders of other targets: their processes were killed."""
    for scratch in parent.glob(".*-build-*"):
        owner = scratch.name.rpartition("-build-")[0]
        with contextlib.suppress(OSError), (parent / f"{owner}-lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(scratch, ignore_errors=True)


def wait_for(lock: int, target: Path, progress: Callable[[str], None]) -> None:
    """Locks the file with the descriptor ``lock``, in which processes that make ``target`` take turns."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        progress(f"waiting for another process that makes {target}")
        fcntl.flock(lock, fcntl.LOCK_EX)


def _not_writable(folder: Path, error: OSError) -> ToolkitError:
    there = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    what = f"cannot write to {folder}: {error.strerror}"
    hint = "choose a cache folder of your own with OPFORGE_CACHE"
    if there.is_dir() and not os.access(there, os.W_OK):
        hint = f"{there} belongs to someone else or is read-only; {hint}"
    return ToolkitError(what, hint=hint)
