"""Writes files atomically, and explains what prevents a file from being written."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path, PurePosixPath


def write_text(path: Path, text: str, *, executable: bool = False) -> None:
    """Replace ``path`` by this text (UTF-8, line feeds) in one step; see ``write_bytes``."""
    write_bytes(path, text.encode(), executable=executable)


def write_bytes(path: Path, data: bytes, *, executable: bool = False) -> None:
    """Replace ``path`` by these bytes in one step; creates its folder if missing.

    An existing file keeps its permissions; ``executable`` adds those to execute it. Raises OSError; a failed write
    leaves ``path`` unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    mode = 0o777 if executable else 0o666  # minus the umask, like every new file
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        with suppress(FileNotFoundError):
            kept = path.stat().st_mode & 0o777
            readers = (kept & 0o444) >> 2 if executable else 0
            temporary.chmod(kept | readers)
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and (error.filename is None or error.filename == os.fspath(temporary)):
            error.filename = os.fspath(path)  # ours is the temporary file's
        raise


def read_file(path: Path) -> bytes | None:
    """The bytes of a file; None if ``path`` is missing or not a file."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a circular link
            return None
        raise


def obstacle(root: Path, path: PurePosixPath) -> str | None:
    """Why ``root / path`` cannot be written or removed; None if it can."""
    whole = root / path
    for folder in list(whole.parents)[len(path.parents) - 2 :: -1]:  # below root, outermost first
        if folder.is_symlink():
            return f"{folder.relative_to(root)} is a link, and its target may not belong to this project"
        if folder.exists() and not folder.is_dir():
            return f"{folder.relative_to(root)} is not a folder"
    if whole.is_symlink():
        return "it is a link, and its target may not belong to this project"
    if whole.is_dir():
        return "it is a folder"
    if whole.exists() and not whole.stat().st_mode & 0o222:
        return "it is read-only"
    nearest = next(folder for folder in whole.parents if folder.is_dir())
    return None if os.access(nearest, os.W_OK | os.X_OK) else "its folder cannot be written to"


def remove(root: Path, path: PurePosixPath) -> None:
    """Remove a file, then the folders below ``root`` that are empty."""
    (root / path).unlink(missing_ok=True)
    for folder in path.parents[:-1]:
        try:
            (root / folder).rmdir()
        except OSError:  # not empty, or missing
            return
