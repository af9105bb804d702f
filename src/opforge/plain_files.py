"""Reads and lists regular files only: a FIFO would hang, a device might never end, and a link may lead anywhere.

A build with nothing to do lists files. The listing therefore uses plain strings and makes no system call for a file
that is not a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from opforge.errors import ProjectError

_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class SpecialFileError(ProjectError):
    """The path to be read is not a regular file, or is a link that leads out of its folder."""


def kind_of(mode: int) -> str | None:
    """The type of a file by its mode, in words; None for a regular file."""
    return None if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no file")


def read_plain(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: it cannot be read; IsADirectoryError for a folder.
        SpecialFileError: a FIFO, a device or a socket. The function never waits for one.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):  # a socket, or a device without a driver
            raise _special(os.fspath(path)) from None
        raise
    with open(descriptor, "rb") as file:  # noqa: PTH123  (a descriptor)
        if kind_of(os.fstat(descriptor).st_mode) is not None:
            raise _special(os.fspath(path))
        return file.read()


def read_within(path: str | os.PathLike[str], top: str | os.PathLike[str]) -> bytes:
    """``read_plain`` of a file below ``top``; also raises SpecialFileError for a link that leads out of ``top``."""
    folder, target = os.path.realpath(top), os.path.realpath(path)
    if not target.startswith(f"{folder}/"):
        raise _leads_out(os.fspath(path), target, folder)
    return read_plain(target)


def is_leaving(name: str) -> bool:
    """Whether an editor, Python or version control made the file: hidden files, backups and compiled modules."""
    return name.startswith(".") or name == "__pycache__" or name.endswith((".pyc", "~"))


def list_files(root: str, folder: str, top: str) -> Iterator[str]:
    """The files below ``root/folder`` by their paths from ``root``, without leavings; empty if there is no folder.

    ``folder`` may also be a file, which is then the only one.

    ``top`` is a real path, which links may not leave.

    Raises:
        SpecialFileError: a FIFO, a device, a socket, or a link that leads out of ``top``, to nothing or in a circle.
    """
    if os.path.isfile(f"{root}/{folder}"):  # noqa: PTH113
        if os.path.islink(f"{root}/{folder}"):  # noqa: PTH114
            _checked_link(f"{root}/{folder}", top)
        yield folder
    else:
        yield from _files_below(root, folder, top)


def _files_below(root: str, folder: str, top: str) -> Iterator[str]:
    pending = [(folder, _checked_folder(root, folder, top))]
    while pending:
        here, around = pending.pop()
        if around is None:
            continue
        with os.scandir(f"{root}/{here}") as entries:
            for entry in entries:
                if is_leaving(entry.name):
                    continue
                name = f"{here}/{entry.name}"
                if entry.is_symlink():
                    target = _checked_link(f"{root}/{name}", top)
                    if not entry.is_dir():
                        yield name
                    elif target in around or any(above.startswith(f"{target}/") for above in around):
                        raise SpecialFileError(
                            f"{root}/{name} is a link back to a folder that it lies in ({target})",
                            hint="remove the link",
                        )
                    else:
                        pending.append((name, (*around, target)))
                elif entry.is_dir(follow_symlinks=False):
                    pending.append((name, around))
                elif entry.is_file(follow_symlinks=False):
                    yield name
                else:
                    raise _special(f"{root}/{name}")


def _checked_folder(root: str, folder: str, top: str) -> tuple[str, ...] | None:
    """The folder's real path, where a listing begins; None if there is no folder."""
    path = f"{root}/{folder}"
    if not os.path.isdir(path):  # noqa: PTH112
        return None
    real = os.path.realpath(path)
    if real != top and not real.startswith(f"{top}/"):
        raise _leads_out(path, real, top)
    return (real,)


def _checked_link(path: str, top: str) -> str:
    """The target of a link below ``top``. Raises SpecialFileError if it leads out of ``top`` or to nothing."""
    target = os.path.realpath(path)
    if not target.startswith(f"{top}/"):
        raise _leads_out(path, target, top)
    try:
        mode = os.stat(target).st_mode  # noqa: PTH116
    except OSError:
        raise SpecialFileError(
            f"{path} is a link to {target}, which does not exist", hint="restore its target, or remove the link"
        ) from None
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise _special(path)
    return target


def _leads_out(path: str, target: str, top: str) -> SpecialFileError:
    return SpecialFileError(
        f"{path} is a link that leads out of {top}, to {target}",
        hint="replace it by a copy: files outside are not packed",
    )


def _special(path: str) -> SpecialFileError:
    kind = kind_of(os.stat(path).st_mode) or "no file"  # noqa: PTH116
    hint = "remove it or move it: opforge reads every file of this folder"
    return SpecialFileError(f"{path} is {kind}, not a file", hint=hint)
