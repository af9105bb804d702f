"""Modules below tests/ that opforge no longer renders, and that tests which stay still import: they stay, too.

Tests of older projects shared modules, as precision.py, with tests that people wrote or edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from opforge.scaffold.disk import read_file

FOLDER = PurePosixPath("tests")
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.MULTILINE)


def imported(text: bytes) -> frozenset[str]:
    """The top modules that a Python file imports."""
    names = [name for match in _IMPORT.finditer(text) for name in (match[1] or match[2]).decode().split(",")]
    return frozenset(name.split()[0].partition(".")[0] for name in names if name.strip())


def still_imported(
    root: Path, gone: Iterable[PurePosixPath], after: Mapping[PurePosixPath, bytes]
) -> dict[PurePosixPath, PurePosixPath]:
    """Those of the modules in ``gone`` that files in tests/ import, with one of these files each.

    ``after`` are texts that an update is about to write.
    """
    modules = {path.stem: path for path in gone if path.parent == FOLDER and path.suffix == ".py"}
    found = {FOLDER / path.name: read_file(path) or b"" for path in sorted((root / FOLDER).glob("*.py"))}
    texts = {**found, **{path: text for path, text in after.items() if path.parent == FOLDER}}
    needed: dict[PurePosixPath, PurePosixPath] = {}
    waiting = [path for path in texts if path not in modules.values()]
    while waiting:
        by = waiting.pop(0)
        for name in sorted(imported(texts[by]) & modules.keys()):
            if modules[name] not in needed:
                needed[modules[name]] = by
                waiting.append(modules[name])
    return needed
