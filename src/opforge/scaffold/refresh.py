"""Brings a project to a changed spec during a build: re-renders what nobody edited, and stops where edits are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.scaffold.lock import TemplateRecord, read_lock, spec_sha256
from opforge.scaffold.project_update import apply_update, check_merged, plan_update, write_lock
from opforge.spec.model import Spec


@dataclass(frozen=True)
class Refresh:
    """What a refresh did."""

    written: tuple[PurePosixPath, ...] = ()
    removed: tuple[PurePosixPath, ...] = ()
    lock: bytes | None = None  # what it has left in the lock; None for a project without one


def refresh(
    root: Path,
    rendered: FileSet,
    spec: Spec,
    template: TemplateRecord | None = None,
    spec_text: bytes | None = None,
) -> Refresh:
    """Bring the project at ``root`` to ``spec``, whose rendering is ``rendered``, and say what was done.

    opforge.yaml itself is the user's and is never written. A spec that says the same as before (a comment, an order of
    lines) changes nothing but the lock. ``template`` is what it was rendered from, where that is not the lock's;
    ``spec_text`` is the text that ``spec`` was read from, where an editor may have written another since.
    Raises ProjectError with the list when an edited file would have to change, or when a conflict of an earlier merge
    is left, and then nothing was written; a project without a lock is left alone.
    """
    lock = read_lock(root)
    if lock is None:
        return Refresh()
    if lock.spec_sha256 == spec_sha256(spec):
        check_merged(root, lock)
        return Refresh(lock=write_lock(root, replace(lock, template=template or lock.template), spec_text))
    todo = plan_update(root, lock, rendered)
    edited = todo.paths("merged", "conflict", "replaced", "kept")
    if edited:
        raise ProjectError(
            "opforge.yaml changed, and with it files that were edited by hand",
            detail="\n".join(f"  {path}" for path in edited),
            hint="nothing was written. `opforge update` merges what changed with your edits; with --dry-run it only "
            "says what it would do",
        )
    left = apply_update(root, todo, rendered, spec, template or lock.template, spec_text=spec_text)
    return Refresh(todo.paths("added", "changed"), todo.paths("removed"), left)
