"""Finds functions of an op that other files register: families of ops share tiling or InferShape."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from opforge.adopt.layouts import ADOPTED, host_sources
from opforge.plain_files import read_plain

_ADDED = re.compile(r"^[ \t]*OP_ADD\(\s*(\w+)", re.MULTILINE)
_REGISTERED = re.compile(r"^[ \t]*IMPL_OP_(OPTILING|INFERSHAPE)\(\s*(\w+)", re.MULTILINE)
# The op itself registers all of its functions.
_WHOLE = re.compile(r"^[ \t]*IMPL_OP\(\s*(\w+)|\bSet(Tiling|InferShape)\(", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_NAMED = re.compile(r"\$\{\w+\}/([\w./-]+\.(?:cpp|cc))\b")  # a C++ file below the folder in a variable
_DEPENDED = re.compile(r"\bset\(\s*\w+_depends\s+([^)]*)\)")  # of an op of CANN's repositories: folders of other ops
_SKIPPED = frozenset(("build", "build_out", "docs", "examples", "test", "tests", "ut"))


def registered_elsewhere(here: Path, host: Sequence[Path], top: Path) -> tuple[Path, ...]:
    """C++ files that register what an op's own files, ``host``, do not.

    They lie in the op_host of folders beside ``here``, or its CMakeLists.txt names them. The tiling may also lie in the
    op's own folder of an architecture that opforge lacks (``arch35``) if the definition has one that opforge has.
    ``top`` is the repository.
    """
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
    if missing:
        found |= dict.fromkeys(_registering(_named(here, top), missing))
    if any(f'"{soc}"' in text for soc in ADOPTED for text in texts):
        tiling = {(what, name) for what, name in missing if what == "OPTILING"}
        found |= dict.fromkeys(_registering(sorted((here / "op_host").glob("arch*/*.cpp")), tiling))
    return tuple(found)


def _registering(paths: Iterable[Path], missing: set[tuple[str, str]]) -> Iterator[Path]:
    """The files that register something that is ``missing``, from which it is taken."""
    for path in paths:
        registered = missing.intersection(_REGISTERED.findall(_text(path)))
        missing -= registered
        if registered:
            yield path


def depended(here: Path, top: Path) -> tuple[Path, ...]:
    """The op_host of the ops on which this one's CMakeLists.txt says it depends, without their definitions."""
    texts = [_COMMENT.sub("", _text(path)) for path in _cmake_files(here)]
    words = [word for text in texts for listed in _DEPENDED.findall(text) for word in listed.split("CACHE")[0].split()]
    folders = [folder for folder in dict.fromkeys(top / word for word in words) if (folder / "op_host").is_dir()]
    paths = [folder / name for folder in folders for name in host_sources(folder)]
    return tuple(path for path in paths if not _ADDED.search(_text(path)))


def _cmake_files(here: Path) -> list[Path]:
    return [path for path in (here / "CMakeLists.txt", here / "op_host" / "CMakeLists.txt") if path.is_file()]


def _named(here: Path, top: Path) -> Iterator[Path]:
    """The C++ files that an op's CMakeLists.txt names by ``${VARIABLE}/path``: the first such path below ``top``."""
    wanted = {name for path in _cmake_files(here) for name in _NAMED.findall(_COMMENT.sub("", _text(path)))}
    for folder, inner, _ in os.walk(top):
        if not wanted:
            return
        inner[:] = sorted(name for name in inner if name not in _SKIPPED and name[0] != ".")
        for name in sorted(wanted):
            path = Path(os.path.normpath(Path(folder, name)))
            if path.is_file() and path.is_relative_to(top):
                wanted.remove(name)
                yield path


def _beside(here: Path) -> Iterator[tuple[Path, ...]]:
    """The C++ files of op_host of each folder beside ``here``."""
    for beside in sorted(here.parent.iterdir()):
        if beside != here and (beside / "op_host").is_dir():
            yield tuple(beside / name for name in host_sources(beside))


def _text(path: Path) -> str:
    return read_plain(path).decode(errors="replace")
