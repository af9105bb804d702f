"""Finds the headers that a C++ source includes, and what it has included before each of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)


def read_includes(source: Path, project: Path, folders: Sequence[Path]) -> Mapping[Path, tuple[str, ...]]:
    """The headers of the project that ``source`` includes, also through others, in the order of a compiler.

    Each has the paths of the headers before it. ``folders`` are searched after the folder of the including file;
    headers that are not there, such as those of the standard library, are left out. Conditions are not evaluated.
    """
    found: dict[Path, tuple[str, ...]] = {}
    _visit(source, [], found, project, folders)
    return found


def _visit(
    source: Path, before: list[str], found: dict[Path, tuple[str, ...]], project: Path, folders: Sequence[Path]
) -> None:
    try:
        text = source.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for name in _INCLUDE.findall(text):
        path = _looked_up(name, source, folders)
        if path is None:
            continue
        if path.is_relative_to(project) and path not in found:
            found[path] = tuple(before)
            _visit(path, list(before), found, project, folders)
        if str(path) not in before:
            before.append(str(path))


def _looked_up(name: str, source: Path, folders: Sequence[Path]) -> Path | None:
    paths = (Path(os.path.normpath(folder / name)) for folder in (source.parent, *folders))
    return next((path for path in paths if path.is_file()), None)
