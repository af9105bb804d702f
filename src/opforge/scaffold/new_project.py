"""Writes a new project to disk: all of it or nothing."""

from __future__ import annotations

import fcntl
import glob
import os
import re
import shutil
from pathlib import Path

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.scaffold.base_file import BASE_FILE, base_of, dump_base
from opforge.scaffold.disk import write_bytes, write_text
from opforge.scaffold.lock import BUILT_IN, LOCK_FILE, TemplateRecord, dump_lock, lock_of
from opforge.spec.model import Spec

_NONE = FileSet()
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.new")


def check_free(root: Path) -> None:
    """Raise ProjectError if ``root`` exists or its parent is not a folder."""
    if os.path.lexists(root):
        kind = "folder" if root.is_dir() else "file"
        raise ProjectError(
            f"the {kind} {root} exists already, and opforge new overwrites nothing",
            hint="choose another place with --path, another name with --package, or remove it yourself",
        )
    if not root.parent.is_dir():
        raise ProjectError(f"the folder {root.parent} does not exist", hint="create it first")


def write_project(
    rendered: FileSet, spec: Spec, root: Path, template: TemplateRecord = BUILT_IN, begun: FileSet = _NONE
) -> None:
    """Write a rendered project to ``root``, which must not exist, with its lock and the base of later merges.

    The files of ``begun`` replace rendered ones or join them, as if the project's author had written them.
    All files are written beside ``root`` and then renamed: an interrupted or failed call leaves nothing behind.
    Raises ProjectError (see ``check_free``) or OSError.
    """
    check_free(root)
    _remove_left(root)
    temporary = root.with_name(f".{root.name}.{os.urandom(4).hex()}.new")
    lock = None
    try:
        temporary.mkdir()
        lock = _locked(temporary)
        for file in {**rendered.files, **begun.files}.values():
            write_text(temporary / file.path, file.text, executable=file.executable)
        base = dump_base(base_of(rendered))
        write_bytes(temporary / BASE_FILE, base)
        write_text(temporary / LOCK_FILE, dump_lock(lock_of(rendered, spec, template)))
        check_free(root)
        try:
            temporary.rename(root)
        except OSError:
            check_free(root)  # another call may have made it meanwhile
            raise
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = str(error.filename).replace(str(temporary), str(root))  # the requested name
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _remove_left(root: Path) -> None:
    """Removes folders left by killed calls for the same ``root``; running calls hold a lock on theirs."""
    for left in root.parent.glob(f".{glob.escape(root.name)}.*.new"):
        lock = _locked(left) if _TEMPORARY.fullmatch(left.name) else None
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """A descriptor that locks the folder; None if another process has the lock or the file system lacks locks."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
