"""Finds the repository around a project. Builds may include headers from folders within it."""

from __future__ import annotations

import os
from pathlib import Path

from opforge.errors import BuildError

_MARKS = (".git", "LICENSE", "build.sh")  # files and folders at the top of a repository
_CLIMBED = 6


def repository_top(root: Path) -> Path:
    """The nearest folder, from ``root`` upwards, that looks like the top of a repository; else ``root``."""
    above = [root, *root.parents[:_CLIMBED]]
    return next((folder for folder in above if any((folder / mark).exists() for mark in _MARKS)), root)


def boundary(root: Path, folder: str) -> str:
    """The folder that links below a folder of the project must not leave. ``../x`` is a folder above the project.

    Raises BuildError for a folder outside the repository.
    """
    if folder.split("/", 1)[0] != "..":
        return os.path.realpath(root)
    top = os.path.realpath(repository_top(root))
    real = os.path.realpath(root / folder)
    if real != top and not real.startswith(f"{top}/"):
        raise BuildError(
            f"opforge.yaml includes from {folder}, which lies outside of the repository {top}",
            hint="the top of a repository is the nearest folder with .git, LICENSE or build.sh, else the project; "
            "copy the headers to a folder below it",
        )
    return top
