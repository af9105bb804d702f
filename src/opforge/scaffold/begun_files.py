"""Adds files to a project that count as its author's: what a new op begins with."""

from __future__ import annotations

from pathlib import Path

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.scaffold.disk import write_text


def check_begun(begun: FileSet, root: Path) -> None:
    """Raise ProjectError if one of the files exists, since it may belong to somebody else."""
    for file in begun:
        if (root / file.path).exists():
            raise ProjectError(
                f"{root / file.path} exists already, and `opforge add` overwrites nothing",
                hint="rename or remove it, or use another name for the op",
            )


def write_begun(begun: FileSet, root: Path) -> None:
    """Write the files over those that opforge rendered for the op. Raises OSError."""
    for file in begun:
        write_text(root / file.path, file.text, executable=file.executable)
