"""Updates a project to a new rendering and keeps edits: merges three versions of each file and writes the results.

Each file is replaced in one step; after a merged file, the base gets its new text; the lock is written last. The next
update completes an interrupted one, because written files are as rendered or have their new base. No edit is lost. At
worst, after an interruption between the two writes for one file, a conflict is marked a second time.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

from opforge.errors import ProjectError
from opforge.fileset import File, FileSet, is_owned
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.scaffold.base_file import Texts, base_of, read_base, write_base
from opforge.scaffold.disk import obstacle, read_file, remove, write_bytes
from opforge.scaffold.generated_parts import part_notes
from opforge.scaffold.lock import (
    LOCK_FILE,
    TEMPLATE_ORIGIN,
    Lock,
    LockedFile,
    TemplateRecord,
    check_not_newer,
    dump_lock,
    lock_of,
    read_lock,
    text_sha256,
)
from opforge.scaffold.merge import Merged, conflict_lines, merge, with_line_ends_of
from opforge.scaffold.project_root import SPEC_FILE
from opforge.scaffold.test_imports import still_imported
from opforge.spec.model import Spec

# added: new in the rendering. changed: was not edited. merged: edited, without conflicts. conflict: has markers.
# replaced: edited, in a folder that opforge owns; the edit stays beside it, in a file whose name ends with a tilde.
# removed: no longer rendered. kept: no longer rendered, but edited, or still imported. left out: people removed it.
Action = Literal["added", "changed", "merged", "conflict", "replaced", "removed", "kept", "left out"]


@dataclass(frozen=True)
class Change:
    """The change of one file; ``before`` and ``after`` are its bytes, None if it does not exist."""

    path: PurePosixPath
    action: Action
    before: bytes | None
    after: bytes | None
    conflicts: tuple[int, ...] = ()  # lines (from 1) in which conflicts begin
    executable: bool = False
    imported_by: PurePosixPath | None = None  # a test that needs a module which is no longer rendered

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of added and removed lines."""
        before, after = ((data or b"").replace(b"\r\n", b"\n").splitlines() for data in (self.before, self.after))
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        same = sum(size for _, _, size in matcher.get_matching_blocks())
        return len(after) - same, len(before) - same


@dataclass(frozen=True)
class Update:
    """The changes of an update, sorted by path."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()  # notes for the authors of edited files

    def paths(self, *actions: Action) -> tuple[PurePosixPath, ...]:
        """The files with one of these actions."""
        return tuple(change.path for change in self.changes if change.action in actions)

    @property
    def conflicts(self) -> tuple[Change, ...]:
        """The changes that leave conflict markers."""
        return tuple(change for change in self.changes if change.action == "conflict")


def plan_update(root: Path, lock: Lock, rendered: FileSet) -> Update:
    """Compare three versions of each file: rendered last time, on disk, and rendered now. Writes nothing.

    Raises ProjectError if a later opforge rendered the project, if files have markers of an earlier merge, or if files
    that must change cannot be written; the message lists the files.
    """
    check_not_newer(lock)
    check_merged(root, lock)
    changes: list[Change] = []
    blocked: list[str] = []
    base = read_base(root)
    parts = {file.generated_part for file in rendered}
    for path in sorted({*lock.files, *rendered.files} - {SPEC_FILE, *lock.own}):
        locked = lock.files.get(path)
        new = rendered.files.get(path)
        needed = path in parts or (new is not None and new.generated_part is not None)
        if needed and not (root / path).exists():  # the op does not compile without it
            locked = None
        change = _change(root, path, locked, new, base.get(path), template=lock.template.name)
        if change is None:
            continue
        changes.append(change)
        if change.action not in ("kept", "left out"):
            why = obstacle(root, path) or (_unmergeable(change) if change.action in ("merged", "conflict") else None)
            if why:
                blocked.append(f"  {path}: {why}")
    if blocked:
        raise ProjectError(
            "files that have to change cannot be changed",
            detail="\n".join(blocked),
            hint="nothing was written. Move them out of the way, or make them writable (chmod u+w); "
            "`opforge inspect files FILE` prints what opforge would write",
        )
    return Update(_with_imported(root, changes), part_notes(root, lock, rendered, base))


def _with_imported(root: Path, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes; modules that tests still import are kept instead of removed."""
    gone = [change.path for change in changes if change.action == "removed"]
    after = {change.path: change.after for change in changes if change.after is not None}
    needed = still_imported(root, gone, after) if gone else {}
    return tuple(
        replace(change, action="kept", after=change.before, imported_by=needed[change.path])
        if change.path in needed
        else change
        for change in changes
    )


def _change(
    root: Path, path: PurePosixPath, locked: LockedFile | None, new: File | None, base: bytes | None, *, template: str
) -> Change | None:
    found = read_file(root / path)
    after = None if new is None else new.text.encode()
    before_sha = locked.sha256 if locked else None
    after_sha = text_sha256(after) if after is not None else None
    if found is None:
        if after is None or new is None:
            return None
        if locked is not None and not is_owned(path):
            return Change(path, "left out", None, None) if before_sha != after_sha else None
        return Change(path, "added", None, after, executable=new.executable)
    found_sha = text_sha256(found)
    if after is None or new is None:
        return Change(path, "removed", found, None) if found_sha == before_sha else Change(path, "kept", found, found)
    runs = new.executable and not (locked is not None and locked.executable)
    if found_sha == after_sha:
        return Change(path, "changed", found, found, executable=True) if runs and not _runs(root / path) else None
    if found_sha == before_sha:
        return Change(path, "changed", found, with_line_ends_of(after, found), executable=runs)
    if is_owned(path):
        return Change(path, "replaced", found, with_line_ends_of(after, found), executable=runs)
    if before_sha == after_sha or new.authored:
        return None
    label = f"template {template}" if new.origin.startswith(TEMPLATE_ORIGIN) else f"opforge {__version__}"
    return _merged(path, found, after, base, before_sha, label=label, runs=runs)


def _merged(
    path: PurePosixPath,
    found: bytes,
    after: bytes,
    base: bytes | None,
    before_sha: str | None,
    *,
    label: str,
    runs: bool,
) -> Change | None:
    """Merges an edited file with its new rendering, which ``label`` names in a conflict.

    ``before_sha`` is the hash of the previous rendering.
    """
    base_sha = text_sha256(base) if base is not None else None
    if base_sha == text_sha256(after):  # an interrupted update merged it
        return None
    merged = merge(base if base_sha == before_sha else None, found, after, label)
    if merged == Merged(found):
        return None
    action: Action = "conflict" if merged.conflicts else "merged"
    return Change(path, action, found, merged.data, merged.conflicts, runs)


def _runs(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o111)


def _unmergeable(change: Change) -> str | None:
    binary = change.before is not None and b"\0" in change.before
    return "it holds a NUL byte, and only text can be merged" if binary else None


def check_merged(root: Path, lock: Lock) -> None:
    """Raise ProjectError with ``file:line`` of every unresolved conflict of an earlier merge."""
    places = [f"  {path}:{line}" for path, lines in unmerged(root, lock).items() for line in lines]
    if places:
        raise ProjectError(
            "conflicts of an earlier merge are not resolved",
            detail="\n".join(places),
            hint="at each `<<<<<<<`, keep the right lines of both sides and remove the three markers",
        )


def unmerged(root: Path, lock: Lock) -> dict[PurePosixPath, tuple[int, ...]]:
    """The edited files that contain conflict markers, with their lines."""
    found = {}
    for path, locked in sorted(lock.files.items()):
        data = read_file(root / path) if path not in lock.own else None
        lines = conflict_lines(data) if data is not None and text_sha256(data) != locked.sha256 else ()
        if lines:
            found[path] = lines
    return found


def apply_update(
    root: Path,
    update: Update,
    rendered: FileSet,
    spec: Spec,
    template: TemplateRecord,
    *,
    spec_text: bytes | None = None,
) -> bytes:
    """Write the changes of ``plan_update``, then the lock, and return its bytes. ``opforge.yaml`` is not changed.

    ``spec_text`` is the text that was read of it, in case the file changed meanwhile. Raises OSError, and ProjectError
    for a file that was edited meanwhile: then some files are updated and others not, and the update can be repeated.
    """
    by_path = {change.path: change for change in update.changes}
    before = read_lock(root)
    own = before.own if before is not None else {}
    base = read_base(root)
    for file in rendered:
        change = by_path.get(file.path)
        if change is not None and change.after is not None and change.action != "kept":
            _check_unedited(root, change)
            if change.action == "replaced" and change.before is not None:
                _keep_edit(root / file.path, change.before)
            write_bytes(root / file.path, change.after, executable=change.executable)
            if change.action in ("merged", "conflict"):
                base[file.path] = file.text.encode()
                write_base(root, base)
    for change in update.changes:
        if change.action == "removed":
            _check_unedited(root, change)
            remove(root, change.path)
    texts = base_of(rendered, own)
    return write_lock(root, lock_of(rendered, spec, template, own), spec_text, texts)


def _keep_edit(path: Path, edit: bytes) -> None:
    """Write the edit of a replaced file beside it, to a name that has no other content."""
    names = itertools.chain((f"{path.name}~",), (f"{path.name}.{number}~" for number in itertools.count(2)))
    kept = next(path.with_name(name) for name in names if read_file(path.with_name(name)) in (None, edit))
    write_bytes(kept, edit)


def _check_unedited(root: Path, change: Change) -> None:
    if read_file(root / change.path) != change.before:
        raise ProjectError(
            f"{change.path} was edited while opforge was about to write it",
            hint="your edit is kept: run the command again",
        )


def write_lock(root: Path, lock: Lock, spec_text: bytes | None = None, texts: Texts | None = None) -> bytes:
    """Write the base, then the lock, and return the lock's bytes. The base also contains the text of opforge.yaml.

    ``spec_text`` is its text, by default as on disk; ``texts`` are the new base, by default the old one's.
    """
    if spec_text is None:
        spec_text = (root / SPEC_FILE).read_bytes()
    write_base(root, {**(read_base(root) if texts is None else texts), SPEC_FILE: spec_text})
    entry = LockedFile(text_sha256(spec_text), "spec")
    data = dump_lock(replace(lock, files={**lock.files, SPEC_FILE: entry})).encode()
    if read_file(root / LOCK_FILE) != data:
        write_bytes(root / LOCK_FILE, data)
    return data
