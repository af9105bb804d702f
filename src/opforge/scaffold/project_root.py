"""Finds the project that a command is started in. Every command imports this module."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError

SPEC_FILE = PurePosixPath("opforge.yaml")


def find_root(start: Path) -> Path:
    """The nearest folder from ``start`` upwards with an opforge.yaml. Raises ProjectError if there is none."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / SPEC_FILE).is_file():
            return folder
    raise ProjectError(
        f"there is no {SPEC_FILE} in {start} or above it",
        hint="change into a project, or create one: opforge new VectorAdd --inputs x,y",
    )
