"""The status of a project: edited files, broken files, and the changes of an update with their reasons."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from opforge.errors import OpforgeError, ProjectError
from opforge.fileset import FileSet, is_owned
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.scaffold.base_file import read_base
from opforge.scaffold.lock import Lock, TemplateRecord, lock_missing, text_sha256
from opforge.scaffold.project_root import SPEC_FILE
from opforge.scaffold.project_state import project_state
from opforge.scaffold.project_update import Update, plan_update, unmerged
from opforge.spec.model import Spec


@dataclass(frozen=True)
class Local:
    """The status that depends only on the files, even if the spec cannot be read."""

    root: Path
    lock: Lock
    edited: tuple[PurePosixPath, ...]
    missing: tuple[PurePosixPath, ...]
    spec_touched: bool  # the text of opforge.yaml changed; its contents may be equal
    unmerged: dict[PurePosixPath, tuple[int, ...]]  # edited files with conflict markers, and their lines
    bases_missing: tuple[PurePosixPath, ...]  # files whose rendered text is missing or wrong


@dataclass(frozen=True)
class Drift:
    """The changes of an update, and the reasons."""

    spec_changed: bool
    opforge_changed: bool  # another version of opforge rendered the files
    template_changed: bool
    update: Update | None  # None: files are in its way, see ``blocked``
    blocked: OpforgeError | None = None


def required_lock(root: Path, lock: Lock | None) -> Lock:
    """The lock. Raises ProjectError for a project without one."""
    if lock is None:
        raise lock_missing(root)
    return lock


def local_status(root: Path) -> Local:
    """Check the files of the project at ``root``. Raises ProjectError for a missing or damaged lock."""
    state = project_state(root)
    lock = required_lock(root, state.lock)
    bases, texts = [], read_base(root)
    for path, locked in sorted(lock.files.items()):
        data = texts.get(path)
        merged = path not in lock.own and not is_owned(path)
        if path != SPEC_FILE and merged and (data is None or text_sha256(data) != locked.sha256):
            bases.append(path)
    return Local(
        root, lock, state.edited, state.missing, state.spec_touched, unmerged(root, lock), bases_missing=tuple(bases)
    )


def drift(local: Local, spec: Spec, rendered: FileSet, template: TemplateRecord) -> Drift:
    """Compare a project with a new rendering of its spec."""
    lock = local.lock
    changed = not lock.is_of(spec), lock.opforge != __version__, lock.template != template
    if local.unmerged:
        return Drift(*changed, update=None)
    try:
        return Drift(*changed, update=plan_update(local.root, lock, rendered))
    except ProjectError as error:
        return Drift(*changed, update=None, blocked=error)
