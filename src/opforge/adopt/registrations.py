"""Finds functions of an op that the op_host of another op registers: families of ops share tiling or InferShape."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opforge.adopt.layouts import OTHER_ARCH
from opforge.plain_files import read_plain

_ADDED = re.compile(r"^[ \t]*OP_ADD\(\s*(\w+)", re.MULTILINE)
_REGISTERED = re.compile(r"^[ \t]*IMPL_OP_(OPTILING|INFERSHAPE)\(\s*(\w+)", re.MULTILINE)
# The op itself registers all of its functions.
_WHOLE = re.compile(r"^[ \t]*IMPL_OP\(\s*(\w+)|\bSet(Tiling|InferShape)\(", re.MULTILINE)
_SKIPPED = frozenset(("op_api", "op_graph", "op_plugin", "test", "tests", "ut"))


def registered_beside(here: Path, host: Sequence[Path]) -> tuple[Path, ...]:
    """C++ files in the op_host of folders beside ``here`` that register what an op's own files, ``host``, do not."""
    texts = [_text(path) for path in host]
    added = {name for text in texts for name in _ADDED.findall(text)}
    own = {registration for text in texts for registration in _REGISTERED.findall(text)}
    if not added or any(_WHOLE.search(text) for text in texts):
        return ()
    missing = {(what, name) for what in ("OPTILING", "INFERSHAPE") for name in added} - own
    found = []
    for path in _hosts(here) if missing else ():
        registered = missing.intersection(_REGISTERED.findall(_text(path)))
        if registered:
            found.append(path)
            missing -= registered
    return tuple(found)


def _hosts(here: Path) -> Iterator[Path]:
    """The C++ files below op_host of the folders beside ``here``, without those of other architectures."""
    for beside in sorted(here.parent.iterdir()):
        if beside == here or not (beside / "op_host").is_dir():
            continue
        for folder, inner, files in os.walk(beside / "op_host"):
            inner[:] = sorted(name for name in inner if name not in _SKIPPED and not OTHER_ARCH.fullmatch(name))
            yield from (Path(folder, name) for name in sorted(files) if name.endswith((".cpp", ".cc")))


def _text(path: Path) -> str:
    return read_plain(path).decode(errors="replace")
