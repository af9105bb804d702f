"""Writes files so that a reader sees the old one or the new one, and nothing in between; says what is in the way."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path, PurePosixPath


def write_text(path: Path, text: str, *, executable: bool = False) -> None:
    """Replace ``path`` by this text (UTF-8, line feeds) in one step; see ``write_bytes``."""
    write_bytes(path, text.encode(), executable=executable)


def write_bytes(path: Path, data: bytes, *, executable: bool = False) -> None:
    """Replace ``path`` by these bytes in one step; its folder is made when missing.

    A file that was there keeps its permissions, and can be executed in any case where ``executable`` says so.
    Raises OSError; a failed write leaves ``path`` as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    mode = 0o777 if executable else 0o666  # less the umask, as every new file
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
            error.filename = os.fspath(path)  # which file it was: a full disk has no name, and ours says little
        raise


def read_file(path: Path) -> bytes | None:
    """The bytes of a file; None where there is no file, whatever else may stand there."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself
            return None
        raise


def obstacle(root: Path, path: PurePosixPath) -> str | None:
    """Why ``root / path`` cannot be written or removed; None where nothing is in the way."""
    whole = root / path
    for folder in list(whole.parents)[len(path.parents) - 2 :: -1]:  # below root, outermost first
        if folder.is_symlink():
            return f"{folder.relative_to(root)} is a link, and what it leads to may not be this project's"
        if folder.exists() and not folder.is_dir():
            return f"{folder.relative_to(root)} is not a folder"
    if whole.is_symlink():
        return "it is a link, and what it leads to may not be this project's"
    if whole.is_dir():
        return "it is a folder"
    if whole.exists() and not whole.stat().st_mode & 0o222:
        return "it is read-only"
    nearest = next(folder for folder in whole.parents if folder.is_dir())
    return None if os.access(nearest, os.W_OK | os.X_OK) else "its folder cannot be written to"


def remove(root: Path, path: PurePosixPath) -> None:
    """Remove a file and the folders below ``root`` that it leaves empty."""
    (root / path).unlink(missing_ok=True)
    for folder in path.parents[:-1]:
        try:
            (root / folder).rmdir()
        except OSError:  # not empty, or not there
            return
