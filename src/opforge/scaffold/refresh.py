"""Updates a project to a changed spec during a build: renders unedited files again, and stops if a file is edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet, is_owned
from opforge.frozen import dataclass
from opforge.scaffold.disk import write_bytes
from opforge.scaffold.lock import Lock, TemplateRecord, read_lock, text_sha256
from opforge.scaffold.project_update import Update, apply_update, check_merged, plan_update, write_lock
from opforge.spec.model import Spec


@dataclass(frozen=True)
class Refresh:
    """The result of a refresh."""

    written: tuple[PurePosixPath, ...] = ()
    removed: tuple[PurePosixPath, ...] = ()
    notes: tuple[str, ...] = ()  # notes for the authors of edited files
    lock: bytes | None = None  # the bytes of the lock afterwards; None for a project without one


def refresh(
    root: Path,
    rendered: FileSet,
    spec: Spec,
    template: TemplateRecord | None = None,
    spec_text: bytes | None = None,
) -> Refresh:
    """Update the project at ``root`` to ``spec``, whose rendering is ``rendered``, and return the result.

    opforge.yaml belongs to the user and is never written. If only its comments or layout changed, only the lock is
    written. ``template`` is the template of the rendering if it is not the lock's; ``spec_text`` is the text that
    ``spec`` was read from, in case an editor changed the file since. A project without a lock is not changed.

    Raises ProjectError, before writing anything, if edited files would have to change or if a conflict of an earlier
    merge is unresolved; the message lists the files.
    """
    lock = read_lock(root)
    if lock is None:
        return Refresh()
    if lock.is_of(spec):
        check_merged(root, lock)
        return Refresh(lock=write_lock(root, replace(lock, template=template or lock.template), spec_text))
    todo = _without_untouched_edits(plan_update(root, lock, rendered), lock, rendered)
    edited = todo.paths("merged", "conflict", "replaced", "kept")
    if edited:
        raise ProjectError(
            "opforge.yaml changed, and edited files depend on it",
            detail="\n".join(f"  {path}" for path in edited),
            hint="nothing was written. `opforge update` merges the changes with your edits; with --dry-run it only "
            "prints them",
        )
    left = apply_update(root, todo, rendered, spec, template or lock.template, spec_text=spec_text)
    return Refresh(todo.paths("added", "changed"), todo.paths("removed"), todo.notes, left)


def deleted(root: Path, lock: Lock) -> tuple[PurePosixPath, ...]:
    """Missing files that `restore` may write again: headers, and files that opforge owns."""
    needed = (path for path in lock.files if path not in lock.own and (is_owned(path) or path.suffix == ".h"))
    return tuple(path for path in needed if not (root / path).exists())


def restore(root: Path, lock: Lock, rendered: FileSet) -> tuple[PurePosixPath, ...]:
    """Write deleted files again that other files need, if ``rendered`` has them as they were; return their paths.

    Files that authors write stay deleted. Another version of opforge may render other text: that needs an update.
    """
    missing = set(deleted(root, lock))
    restored = []
    for path in plan_update(root, lock, rendered).paths("added") if missing else ():
        file = rendered.files[path]
        if path in missing and not file.authored and text_sha256(file.text.encode()) == lock.files[path].sha256:
            write_bytes(root / path, file.text.encode(), executable=file.executable)
            restored.append(path)
    return tuple(restored)


def _without_untouched_edits(todo: Update, lock: Lock, rendered: FileSet) -> Update:
    """Leave an edited file that opforge owns to `opforge update`, unless the changed spec changes it."""

    def changes(path: PurePosixPath) -> bool:
        locked = lock.files.get(path)
        return locked is None or locked.sha256 != rendered.files[path].sha256

    return Update(tuple(each for each in todo.changes if each.action != "replaced" or changes(each.path)))
