"""Decides whether CMake's build folder can be reused: only if the last build in it ended normally.

make trusts any object that is newer than its source. After a kill, the object may be incomplete, and changes made since
the kill would go unnoticed, so the folder is recreated. A failing compiler leaves the folder in a usable state.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from opforge.build.plain_folder import remove_tree
from opforge.errors import BuildError, ProjectError
from opforge.plain_files import read_plain


@contextmanager
def settled(out: Path, configured_with: Mapping[str, str]) -> Iterator[bool]:
    """Yields whether ``out`` is as the last normal block left it, with the same configuration. Records the new state.

    A block ends normally without an exception, or with a BuildError of a tool that ended by itself.
    """
    mark = _mark(out)
    try:
        noted = json.loads(read_plain(mark))
    except (OSError, ValueError, ProjectError):
        noted = None
    trusted = noted == {"with": dict(configured_with), "files": _look(out)}
    mark.unlink(missing_ok=True)
    try:
        yield trusted
    except BuildError as error:
        if not error.interrupted:
            _note(out, configured_with)
        raise
    _note(out, configured_with)


def remove(out: Path) -> None:
    """Removes the folder and its mark."""
    _mark(out).unlink(missing_ok=True)
    remove_tree(out)


def _mark(out: Path) -> Path:
    return out.with_name(f"{out.name}.settled")


def _note(out: Path, configured_with: Mapping[str, str]) -> None:
    fresh = _mark(out).with_suffix(".new")
    fresh.write_text(json.dumps({"with": dict(configured_with), "files": _look(out)}), encoding="utf-8")
    fresh.replace(_mark(out))


def _look(out: Path) -> str:
    """A digest of the stats of all files."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(out):
        folders.sort()
        for name in sorted(files):
            path = f"{folder}/{name}"
            found = os.lstat(path)
            stat = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode)
            digest.update(f"{path}\0{stat}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()
