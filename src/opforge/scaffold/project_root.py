"""Finds the project that a command is started in. Every command imports this module."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError

SPEC_FILE = PurePosixPath("opforge.yaml")


def find_project(start: Path) -> Path | None:
    """The nearest folder from ``start`` upwards with an opforge.yaml, or None."""
    start = start.absolute()
    return next((folder for folder in (start, *start.parents) if (folder / SPEC_FILE).is_file()), None)


def find_root(start: Path) -> Path:
    """The same folder. Raises ProjectError if there is none."""
    root = find_project(start)
    if root is not None:
        return root
    raise ProjectError(
        f"there is no {SPEC_FILE} in {start.absolute()} or above it",
        hint="change into a project, or create one: opforge new VectorAdd --inputs x,y",
    )
