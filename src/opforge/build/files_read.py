"""Reads each file of a project once per step and hashes it, so that the step's key matches the bytes that were read."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from opforge.build import key_parts
from opforge.build.key_parts import packed_hash, source_files
from opforge.errors import BuildError
from opforge.plain_files import read_plain

_SMALL_BYTES = 1_000_000
_TRIES = 20
_PAUSE_SECONDS = 0.05  # enough for an editor to finish replacing a file

Made = TypeVar("Made")


class Inputs:
    """The files below some folders of a project, by their relative paths. ``hashes`` covers the files that were read.

    ``pages`` adds those of ``key_parts.PAGES`` that exist.
    """

    def __init__(self, root: Path, folders: Iterable[str], *, pages: bool = False) -> None:
        self.root = root
        self.names = source_files(root, folders) + (key_parts.pages(root) if pages else [])
        self.hashes: dict[str, str] = {}
        self.programs: set[str] = set()  # executable files among those read
        self._small: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        """The bytes of one of the files. A repeated read returns the same bytes; large files are read again.

        Raises OSError.
        """
        if name in self._small:
            return self._small[name]
        data = read_plain(self.root / name)
        self.hashes[name] = hashlib.sha256(data).hexdigest()
        if os.access(self.root / name, os.X_OK):
            self.programs.add(name)
        if len(data) <= _SMALL_BYTES:
            self._small[name] = data
        return data

    @property
    def packed_hashes(self) -> dict[str, str]:
        """The hashes of files that are packed with their executable bit."""
        return {name: packed_hash(digest, runs=name in self.programs) for name, digest in self.hashes.items()}


def read_whole(root: Path, folders: Iterable[str], use: Callable[[Inputs], Made], *, pages: bool = False) -> Made:
    """The result of ``use``, which reads each file once. Tries again if a file disappears during the read.

    Raises BuildError if files keep disappearing.
    """
    folders = tuple(folders)
    for _ in range(_TRIES):
        try:
            return use(Inputs(root, folders, pages=pages))
        except FileNotFoundError as error:
            gone = str(error.filename)
            inside = gone.startswith(tuple(f"{root}/{folder}/" for folder in folders))
            if not inside and gone not in {f"{root}/{page}" for page in key_parts.PAGES if pages}:
                raise
        time.sleep(_PAUSE_SECONDS)
    raise BuildError(f"{gone} appears and disappears during the build", hint="build again when no program writes there")
