"""Writes exported files outside a project; a later export does not overwrite edits.

A list of hashes beside the files tells which ones were edited.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.scaffold.disk import obstacle, read_file, remove, write_text

LIST = PurePosixPath(".opforge-export.json")
ELSEWHERE = "give another folder with --out"


@dataclass(frozen=True)
class Export:
    """The result below ``folder``: files written, including unchanged ones, and files removed."""

    folder: Path
    written: tuple[PurePosixPath, ...]
    removed: tuple[PurePosixPath, ...]


def write_export(files: FileSet, folder: Path, *, force: bool, instead: str = ELSEWHERE) -> Export:
    """Write the files below ``folder``, and remove files of an earlier export that this one lacks.

    Raises ProjectError, before writing anything, if a file was edited or is not opforge's. With ``force`` such files
    are replaced; edited files that are no longer exported stay. ``instead`` is the hint of these errors.
    """
    known = _known(folder)
    foreign, blocked = [], []
    for file in files:
        there = read_file(folder / file.path)
        same = there is not None and _hash(there) in (file.sha256, known.get(str(file.path)))
        if there is not None and not same:
            foreign.append(str(file.path))
        why = obstacle(folder, file.path) if folder.is_dir() else None
        if why is not None:
            blocked.append(f"{file.path}: {why}")
    if folder.exists() and not folder.is_dir():
        raise ProjectError(f"{folder} is not a folder", hint=instead)
    if blocked:
        raise ProjectError(f"{folder} cannot be written to", detail="\n".join(f"  {line}" for line in blocked))
    if foreign and not force:
        raise ProjectError(
            f"{folder} has files that opforge did not write, or that were edited since",
            detail="\n".join(f"  {path}" for path in foreign),
            hint=f"{instead}, or replace them with --force",
        )
    for file in files:
        write_text(folder / file.path, file.text, executable=file.executable)
    removed = []
    for name, digest in known.items():
        path = PurePosixPath(name)
        there = None if path in files.files else read_file(folder / path)
        if there is not None and _hash(there) == digest:
            remove(folder, path)
            removed.append(path)
    hashes = {str(file.path): file.sha256 for file in files}
    write_text(folder / LIST, json.dumps({"schema": 1, "files": hashes}, indent=2) + "\n")
    return Export(folder, tuple(files.files), tuple(removed))


def _known(folder: Path) -> Mapping[str, str]:
    """Hashes by path; empty if there is no list, or it cannot be read or has paths outside the folder."""
    data = read_file(folder / LIST)
    try:
        rows = json.loads(data or b"{}").get("files", {})
        items = {str(name): str(digest) for name, digest in rows.items()}
    except (ValueError, AttributeError):
        return {}
    return {name: digest for name, digest in items.items() if _inside(PurePosixPath(name))}


def _inside(path: PurePosixPath) -> bool:
    return not path.is_absolute() and ".." not in path.parts


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
