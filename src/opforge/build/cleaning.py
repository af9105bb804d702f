"""Removes the outputs of a project's builds: build/, dist/, and its build folder in the cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from opforge.build.editable import FOLDER
from opforge.build.plain_folder import cann_place, remove_tree
from opforge.build.project_lock import LOCK, project_lock
from opforge.build.request import BuildRequest
from opforge.errors import ProjectError
from opforge.frozen import dataclass

_MARKS = ("state.json", "logs", LOCK)  # one of them is in each build folder of opforge


@dataclass(frozen=True)
class Removed:
    """A removed folder, the number of its files and their size in bytes."""

    path: Path
    files: int
    size: int


@dataclass(frozen=True)
class Cleaned:
    """The removed folders, and the ones that stay, each with the reason."""

    removed: tuple[Removed, ...]
    kept: tuple[str, ...]


def clean(request: BuildRequest, *, dry_run: bool) -> Cleaned:
    """Removes the outputs, or only lists them. The sources, the installed package and the toolkit stay.

    Raises ProjectError if another opforge is at work in the project, or if a folder cannot be removed.
    """
    build, editable = request.folder, request.folder / FOLDER
    kept: list[str] = []
    targets = [request.dist]
    with ExitStack() as stack:
        if build.is_dir() and not any((build / mark).exists() for mark in _MARKS):
            kept.append(f"{build} was not made by opforge")
        elif build.is_dir():
            stack.enter_context(project_lock(build))
            if editable.is_dir():
                kept.append(f"{editable} is what pip's editable installation imports")
                targets += [path for path in sorted(build.iterdir()) if path != editable and path.name[0] != "."]
            else:
                targets.append(build)
        place = cann_place(request)
        if build not in place.parents:
            targets.append(place)
        removed = tuple(_measured(path) for path in targets if os.path.lexists(path))
        for each in () if dry_run else removed:
            _remove(each.path)
            if each.path.exists() and not each.path.is_symlink():
                raise ProjectError(f"{each.path} cannot be removed", hint="check who owns its files, and remove it")
    return Cleaned(removed, tuple(kept))


def _remove(path: Path) -> None:
    """Removes a folder or a file. A link to a folder stays, and the folder is emptied."""
    for each in path.iterdir() if path.is_symlink() and path.is_dir() else (path,):
        if each.is_dir() and not each.is_symlink():
            remove_tree(each)
        else:
            each.unlink()


def _measured(path: Path) -> Removed:
    sizes = [file.lstat().st_size for file in _files(path)]
    return Removed(path, len(sizes), sum(sizes))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names if name != LOCK)
