"""The digest of the simulator's sources, and a note of it: to read 550 files again would cost each build 10 ms.

The note holds the stat of every file and folder. It is valid as long as all of them are the same: a file that is added
or removed changes its folder's stat.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from opforge.file_stats import is_settled, stat_of
from opforge.plain_files import read_plain
from opforge.sha256 import sha256
from opforge.toolkit.digests import write_note

SOC_TABLE = str(Path(__file__).parents[1] / "soc.py")


def source_digest(sources: Path, notes: Path | None = None) -> str:
    """SHA-256 over names, contents and executable bits of the files below ``sources``, and over the SoC table.

    ``notes`` is the folder for the note; None means to read every file.
    """
    if notes is None:
        return _read_all(sources)
    note = notes / f"{sha256(os.fsencode(sources)).hexdigest()[:16]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        noted = json.loads(read_plain(note))
        folder = os.open(sources, os.O_RDONLY | os.O_DIRECTORY)  # from here, a stat costs a fifth less
        try:
            if all(stat_of(path, folder) == tuple(stat) for path, stat in noted["stats"].items()):
                return str(noted["digest"])
        finally:
            os.close(folder)
    return _noted(sources, note)


def _noted(sources: Path, note: Path) -> str:
    """Reads every file and writes the note, unless a file has just changed or the cache cannot be written."""
    top = f"{sources}/"
    # Before reading: a later edit has other stats.
    stats = {path.removeprefix(top): stat_of(path) for path in _looked_at(str(sources))}
    digest = _read_all(sources)
    if all(stat is not None and is_settled(stat) for stat in stats.values()):
        with suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            write_note(note, {"digest": digest, "stats": stats})
    return digest


def _read_all(sources: Path) -> str:
    digest = sha256()
    for name, path in [*_files(str(sources)), ("soc.py", SOC_TABLE)]:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  (Path.open costs as much again)
            content = file.read()
            runs = bool(os.fstat(file.fileno()).st_mode & 0o111)
        digest.update(f"{name}\0{len(content)}\0{runs}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _looked_at(sources: str) -> Iterator[str]:
    """Every path on which the digest depends: files, folders, and this module, which chooses them."""
    yield from (SOC_TABLE, __file__)
    yield from (folder for folder, _, _ in _walk(sources))
    yield from (path for _, path in _files(sources))


def _files(sources: str) -> Iterator[tuple[str, str]]:
    """Name below ``sources`` and path of each file, in a fixed order, without documentation and editors' files."""
    for folder, _, files in _walk(sources):
        for file in sorted(files):
            if not file.endswith((".md", ".pyc", ".swp", ".orig", "~")):
                path = f"{folder}/{file}"
                yield path[len(sources) + 1 :], path


def _walk(sources: str) -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, folders, files in os.walk(sources):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        yield folder, folders, files
