"""Compares a project with its lock: files that people edited or removed, and whether the spec changed.

It only compares hashes, without parsing the spec or rendering, because every build does it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from opforge.frozen import dataclass
from opforge.scaffold.disk import read_file
from opforge.scaffold.lock import Lock, read_lock, text_sha256
from opforge.scaffold.project_root import SPEC_FILE


@dataclass(frozen=True)
class ProjectState:
    """A project's files against its lock. Without a lock, no file is opforge's, edited or missing."""

    root: Path
    lock: Lock | None
    edited: tuple[PurePosixPath, ...]
    missing: tuple[PurePosixPath, ...]
    spec_touched: bool  # the text of opforge.yaml differs from the lock's; its contents may be equal


def file_sha256(path: Path) -> str | None:
    """``text_sha256`` of a file; None if it is missing."""
    data = read_file(path)
    return None if data is None else text_sha256(data)


def project_state(root: Path) -> ProjectState:
    """Compare the project at ``root`` with its lock. Raises ProjectError for a damaged lock."""
    lock = read_lock(root)
    edited: list[PurePosixPath] = []
    missing: list[PurePosixPath] = []
    spec_touched = False
    for path, locked in lock.files.items() if lock else ():
        if lock is not None and path in lock.own:
            continue
        found = file_sha256(root / path)
        if path == SPEC_FILE:
            spec_touched = found != locked.sha256
        elif found is None:
            missing.append(path)
        elif found != locked.sha256:
            edited.append(path)
    return ProjectState(root, lock, tuple(edited), tuple(missing), spec_touched)


def edited_texts(root: Path) -> Callable[[str], str | None]:
    """A function from a path in the project at ``root`` to the file's text; None if missing or as rendered."""
    lock = read_lock(root)

    def edited(name: str) -> str | None:
        path = PurePosixPath(name)
        locked = lock.files.get(path) if lock is not None else None
        data = read_file(root / path) if locked is not None else None
        if data is None or locked is None or text_sha256(data) == locked.sha256:
            return None
        return data.decode("utf-8", "replace")

    return edited
