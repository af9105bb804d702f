"""Finds functions of an op that the op_host of another op registers: families of ops share tiling or InferShape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opforge.adopt.layouts import host_sources
from opforge.plain_files import read_plain

_ADDED = re.compile(r"^[ \t]*OP_ADD\(\s*(\w+)", re.MULTILINE)
_REGISTERED = re.compile(r"^[ \t]*IMPL_OP_(OPTILING|INFERSHAPE)\(\s*(\w+)", re.MULTILINE)
# The op itself registers all of its functions.
_WHOLE = re.compile(r"^[ \t]*IMPL_OP\(\s*(\w+)|\bSet(Tiling|InferShape)\(", re.MULTILINE)


def registered_beside(here: Path, host: Sequence[Path]) -> tuple[Path, ...]:
    """C++ files in the op_host of folders beside ``here`` that register what an op's own files, ``host``, do not."""
    texts = [_text(path) for path in host]
    added = {name for text in texts for name in _ADDED.findall(text)}
    own = {registration for text in texts for registration in _REGISTERED.findall(text)}
    if not added or any(_WHOLE.search(text) for text in texts):
        return ()
    missing = {(what, name) for what in ("OPTILING", "INFERSHAPE") for name in added} - own
    found: dict[Path, None] = {}
    for files in _beside(here) if missing else ():
        every = {path: _text(path) for path in files}
        adds = any(_ADDED.search(text) for text in every.values())
        for path, text in every.items():
            registered = missing.intersection(_REGISTERED.findall(text))
            if not registered:
                continue
            missing -= registered
            # The tiling of another op is made of several files.
            found |= {one: None for one, other in every.items() if one == path or (adds and not _ADDED.search(other))}
    return tuple(found)


def _beside(here: Path) -> Iterator[tuple[Path, ...]]:
    """The C++ files of op_host of each folder beside ``here``."""
    for beside in sorted(here.parent.iterdir()):
        if beside != here and (beside / "op_host").is_dir():
            yield tuple(beside / name for name in host_sources(beside))


def _text(path: Path) -> str:
    return read_plain(path).decode(errors="replace")
