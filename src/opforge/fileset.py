"""Rendered files in memory: the pure part of opforge hands them to the parts that touch a disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import PurePosixPath

from opforge.errors import InternalError
from opforge.frozen import dataclass

OWNED_FOLDERS = ("op_host/opforge", "op_kernel/opforge", "csrc/opforge", "aclnn/opforge")
OWNED_MODULES = "_opforge"  # below python/<package>
COMMENT = {".cpp": "//", ".h": "//", ".py": "#", ".sh": "#", ".txt": "#"}  # what starts a comment, by suffix


@dataclass(frozen=True)
class File:
    """One rendered text file. ``origin`` names its template or form, for the lock.

    An ``authored`` file never changes again once somebody has edited it; ``generated_part`` is the header that it then
    includes. Where that is not rendered, the file is one that an older opforge began.
    """

    path: PurePosixPath
    text: str
    origin: str
    executable: bool = False
    authored: bool = False
    generated_part: PurePosixPath | None = None

    @property
    def sha256(self) -> str:
        """Hex digest of the UTF-8 text, as stored in the lock."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def is_owned(path: PurePosixPath) -> bool:
    """Whether opforge alone writes the file of a project: `opforge update` replaces it instead of merging edits."""
    parts = path.parts
    modules = len(parts) > 3 and parts[0] == "python" and parts[2] == OWNED_MODULES
    return modules or (len(parts) > 2 and "/".join(parts[:2]) in OWNED_FOLDERS)


@dataclass(frozen=True)
class FileSet:
    """An ordered set of files with distinct relative paths."""

    files: Mapping[PurePosixPath, File] = field(default_factory=dict)

    @classmethod
    def of(cls, *files: File) -> FileSet:
        """A file set of these files; two with one path are an internal error."""
        table: dict[PurePosixPath, File] = {}
        for file in files:
            if file.path.is_absolute() or ".." in file.path.parts:
                raise InternalError(f"rendered path leaves the project: {file.path}")
            if file.path in table:
                raise InternalError(f"two forms render {file.path}: {table[file.path].origin} and {file.origin}")
            table[file.path] = file
        return cls(dict(sorted(table.items())))

    def __iter__(self) -> Iterator[File]:
        return iter(self.files.values())

    def __len__(self) -> int:
        return len(self.files)

    def __or__(self, other: FileSet) -> FileSet:
        return FileSet.of(*self, *other)


def with_comment(file: File, text: str) -> File:
    """The file with the lines of ``text`` as comments on top, below a ``#!`` line; data files are unchanged."""
    mark = COMMENT.get(file.path.suffix)
    if mark is None or not text.strip():
        return file
    comment = "".join(f"{mark} {line}".rstrip() + "\n" for line in text.rstrip().splitlines())
    first, newline, rest = file.text.partition("\n")
    changed = f"{first}{newline}{comment}{rest}" if first.startswith("#!") else comment + file.text
    return replace(file, text=changed)
