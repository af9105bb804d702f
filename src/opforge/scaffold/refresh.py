"""Brings a project to a changed spec: re-renders what nobody edited, and stops where an edit would be lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.scaffold.disk import write_text
from opforge.scaffold.lock import (
    BASE_FOLDER,
    LOCK_FILE,
    SPEC_FILE,
    Lock,
    LockedFile,
    dump_lock,
    lock_of,
    read_lock,
    spec_sha256,
    text_sha256,
)
from opforge.scaffold.state import file_sha256
from opforge.spec.model import Spec


@dataclass(frozen=True)
class Refresh:
    """What a refresh does, or did. ``kept`` are edited or removed files that the changed spec leaves alone."""

    written: tuple[PurePosixPath, ...] = ()
    removed: tuple[PurePosixPath, ...] = ()
    kept: tuple[PurePosixPath, ...] = ()
    conflicts: tuple[PurePosixPath, ...] = ()


def plan_refresh(root: Path, lock: Lock, rendered: FileSet) -> Refresh:
    """Compare three versions of each file: as rendered last time, as it is, as rendered now. Writes nothing."""
    written: list[PurePosixPath] = []
    removed: list[PurePosixPath] = []
    kept: list[PurePosixPath] = []
    conflicts: list[PurePosixPath] = []
    for path in sorted({*lock.files, *rendered.files} - {SPEC_FILE}):
        before = lock.files[path].sha256 if path in lock.files else None
        after = text_sha256(rendered.files[path].text.encode()) if path in rendered.files else None
        found = file_sha256(root / path)
        if found == after:
            continue
        if found == before or (found is None and before != after):  # a file that is gone holds no edit to lose
            (removed if after is None else written).append(path)
        elif before == after:
            kept.append(path)
        else:
            conflicts.append(path)
    return Refresh(tuple(written), tuple(removed), tuple(kept), tuple(conflicts))


def refresh(root: Path, rendered: FileSet, spec: Spec) -> Refresh:
    """Bring the project at ``root`` to ``spec``, whose rendering is ``rendered``, and say what was done.

    opforge.yaml itself is the user's and is never written. A spec that says the same as before (a comment, an order of
    lines) changes nothing but the lock. Raises ProjectError with the list when an edited file would have to change, and
    then nothing was written; a project without a lock is left alone.
    """
    lock = read_lock(root)
    if lock is None:
        return Refresh()
    spec_text = (root / SPEC_FILE).read_text(encoding="utf-8")
    spec_entry = LockedFile(text_sha256(spec_text.encode()), "spec")
    if lock.spec_sha256 == spec_sha256(spec):
        _write_lock(root, replace(lock, files={**lock.files, SPEC_FILE: spec_entry}), spec_text)
        return Refresh()
    todo = plan_refresh(root, lock, rendered)
    if todo.conflicts:
        raise ProjectError(
            "opforge.yaml changed, and with it files that were edited by hand",
            detail="\n".join(f"  {path}" for path in todo.conflicts),
            hint="nothing was written. Carry your edit over: move the file away, build again, and edit the new one; "
            "the version you started from is below .opforge/base",
        )
    for path in todo.written:
        write_text(root / path, rendered.files[path].text, executable=rendered.files[path].executable)
    for path in todo.removed:
        _remove(root, path)
    for path in lock.files.keys() - rendered.files.keys():
        _remove(root, BASE_FOLDER / path)
    for file in rendered:
        if file.path != SPEC_FILE and file_sha256(root / BASE_FOLDER / file.path) != text_sha256(file.text.encode()):
            write_text(root / BASE_FOLDER / file.path, file.text)
    fresh = lock_of(rendered, spec)
    _write_lock(root, replace(fresh, files={**fresh.files, SPEC_FILE: spec_entry}), spec_text)
    return todo


def _remove(root: Path, path: PurePosixPath) -> None:
    """Remove a file and the folders below ``root`` that it leaves empty."""
    (root / path).unlink(missing_ok=True)
    for folder in path.parents[:-1]:
        try:
            (root / folder).rmdir()
        except OSError:  # not empty
            return


def _write_lock(root: Path, lock: Lock, spec_text: str) -> None:
    """The lock goes last: an interrupted refresh starts again, and finds that its files are there already."""
    write_text(root / BASE_FOLDER / SPEC_FILE, spec_text)
    write_text(root / LOCK_FILE, dump_lock(lock))
