"""Finds modules below tests/ that opforge no longer renders but that remaining tests import. Such modules stay.

In older projects, tests that people wrote or edited shared modules such as precision.py with generated tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from opforge.scaffold.disk import read_file

FOLDER = PurePosixPath("tests")
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.MULTILINE)


def imported(text: bytes) -> frozenset[str]:
    """The top-level modules that a Python file imports."""
    names = [name for match in _IMPORT.finditer(text) for name in (match[1] or match[2]).decode().split(",")]
    return frozenset(name.split()[0].partition(".")[0] for name in names if name.strip())


def still_imported(
    root: Path, gone: Iterable[PurePosixPath], after: Mapping[PurePosixPath, bytes]
) -> dict[PurePosixPath, PurePosixPath]:
    """The modules in ``gone`` that files in tests/ import, each with one of these files.

    ``after`` has the texts that an update is about to write.
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
