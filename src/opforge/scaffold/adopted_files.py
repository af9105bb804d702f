"""Adds opforge's files to an existing project: all or none, without touching the project's own files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.scaffold.base_file import BASE_FILE, base_of, dump_base
from opforge.scaffold.disk import obstacle, read_file, write_bytes, write_text
from opforge.scaffold.lock import BUILT_IN, LOCK_FILE, OWN, LockedFile, dump_lock, lock_of
from opforge.scaffold.project_root import SPEC_FILE
from opforge.spec.model import Spec

# Files about the whole project. If the project has one, it stays and opforge's is not written.
_ITS_OWN = frozenset(map(PurePosixPath, ("README.md", "AGENTS.md", "pyproject.toml", ".gitignore", ".gitattributes")))


@dataclass(frozen=True)
class Placed:
    """The files to write, and the project's own files that stay."""

    written: FileSet
    kept: tuple[PurePosixPath, ...]


def place(rendered: FileSet, root: Path) -> Placed:
    """Choose the files of ``rendered`` for the project at ``root``.

    Raises:
        ProjectError: it is a project of opforge, or some of its files are in the way; the message names all of them.
    """
    if os.path.lexists(root / SPEC_FILE):
        raise ProjectError(
            f"{root} has an {SPEC_FILE} already",
            hint="it is an opforge project: `opforge add` adds an op to it, `opforge update` updates its files",
        )
    kept, blocked = [], []
    for file in rendered:
        found = read_file(root / file.path)
        if found is not None and file.path in _ITS_OWN:
            kept.append(file.path)
        elif found is not None and found != file.text.encode():
            blocked.append(f"  {file.path}: exists already")
        elif found is None:
            why = obstacle(root, file.path)
            if why:
                blocked.append(f"  {file.path}: {why}")
    if blocked:
        raise ProjectError(
            f"{len(blocked)} of opforge's files cannot be written into {root}",
            detail="\n".join(blocked[:20] + ([f"  ... and {len(blocked) - 20} more"] if len(blocked) > 20 else [])),
            hint="nothing was written, and nothing is overwritten: move what is in the way, or make the folder "
            "writable; another --package gives the Python package another folder",
        )
    return Placed(FileSet.of(*(file for file in rendered if file.path not in kept)), tuple(kept))


def write_adopted(placed: Placed, spec: Spec, root: Path, extra: FileSet) -> None:
    """Write the files, their lock and the base of later merges; ``extra`` files belong to the user from the start.

    A failed or interrupted call removes its files. opforge.yaml is written last, by a link that fails if another call
    was faster, so that a folder without opforge.yaml has no files of opforge.
    """
    made: list[Path] = []
    folders: list[Path] = []
    own = {path: LockedFile("", OWN) for path in placed.kept}
    scratch = root / f".opforge.{os.urandom(4).hex()}.new"
    try:
        scratch.mkdir()
        base = dump_base(base_of(placed.written))
        write_bytes(scratch / BASE_FILE.name, base)
        write_text(scratch / LOCK_FILE.name, dump_lock(lock_of(placed.written, spec, BUILT_IN, own)))
        try:
            scratch.rename(root / LOCK_FILE.parent)
        except OSError:
            raise ProjectError(
                f"{root / LOCK_FILE.parent} is there already",
                hint="another opforge may be running there; otherwise remove it",
            ) from None
        made.append(root / LOCK_FILE.parent)
        for file in (*placed.written, *extra):
            target = root / file.path
            folders += [folder for folder in target.parents if not folder.exists()]
            if file.path != SPEC_FILE and not target.exists():
                made.append(target)
                write_text(target, file.text, executable=file.executable)
        write_text(root / SPEC_FILE, placed.written.files[SPEC_FILE].text)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        for path in reversed(made):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        for folder in sorted(set(folders), key=lambda path: len(path.parts), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise
