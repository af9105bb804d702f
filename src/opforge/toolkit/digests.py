"""Detects damage in a folder of the cache: compares stats at each use, and contents if a stat changed.

``note_files`` records the files of a folder with their stats and digests; ``damage`` compares. Files added later are
ignored, such as Python's compiled modules.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from opforge.errors import ProjectError
from opforge.plain_files import read_plain
from opforge.sha256 import sha256

_Look = list[int]  # size, times of content and inode, inode


def note_files(folder: Path, note: Path, without: Collection[str] = ()) -> None:
    """Writes ``note``: every file below ``folder``, except those at its top named in ``without``."""
    found: dict[str, list[int | str]] = {}
    for name in _files(str(folder), without):
        path = f"{folder}/{name}"
        if path != str(note):
            found[name] = [*_look(path), _digest(path)]
    write_note(note, found)


def damage(folder: Path, note: Path) -> str | None:
    """The first file that differs from ``note``, or ``note`` itself if damaged; None if all are intact.

    Costs a stat per file. If a stat changed and the content did not, the new stats are recorded if possible.
    """
    name, moved, top = note.name, False, -1
    try:
        noted = json.loads(read_plain(note))
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for name, (*look, digest) in noted.items():
            found = _look(name, top)
            if found == look:
                continue
            if _digest(f"{folder}/{name}") != digest:
                return str(name)
            noted[name] = [*found, digest]
            moved = True
    except (OSError, ProjectError):
        return str(name)
    except (ValueError, TypeError, AttributeError):
        return note.name
    finally:
        if top != -1:
            os.close(top)
    if moved:
        with suppress(OSError):
            write_note(note, noted)
    return None


def _files(folder: str, without: Collection[str]) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        if place == folder:
            folders[:] = [name for name in folders if name not in without]
        folders.sort()
        yield from (f"{place}/{name}"[len(folder) + 1 :] for name in sorted(files))


def _look(path: str, folder: int | None = None) -> _Look:
    """The stat of a file; ``folder`` is a descriptor that ``path`` is relative to: a stat then costs a fifth less."""
    found = os.stat(path, dir_fd=folder, follow_symlinks=False)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _digest(path: str) -> str:
    if os.path.islink(path):  # noqa: PTH114
        return f"link to {os.readlink(path)}"  # noqa: PTH115
    return sha256(read_plain(path)).hexdigest()


def write_note(note: Path, content: Mapping[str, object]) -> None:
    """Replaces a note by ``content`` as JSON, in one step. Raises OSError."""
    scratch = note.with_name(f".{note.name}.{os.getpid()}")
    try:
        scratch.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")
        scratch.replace(note)
    finally:
        scratch.unlink(missing_ok=True)
