"""The stat of a file, as a sign that it has not changed since somebody read it."""

from __future__ import annotations

import os
import time
from pathlib import Path

_RACY_NS = 50_000_000  # a file changed within this time of being read may change again under the same times

# Size, time of the last change of the content and of the inode in nanoseconds, inode. Programs set the first time as
# they like (touch -r, tar); the second one is the kernel's.
Stat = tuple[int, int, int, int]


def stat_of(path: Path | str, folder: int | None = None) -> Stat | None:
    """The stat of a file or folder; None where there is none. ``folder``: a descriptor that ``path`` is relative to."""
    try:
        found = os.stat(path, dir_fd=folder)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def is_settled(stat: Stat) -> bool:
    """Whether the last change is so long ago that the next one will have another stat."""
    return time.time_ns() - max(stat[1], stat[2]) > _RACY_NS
