"""Finds the include folders that a unit's files need, by the names of headers.

Operator repositories keep shared headers in folders that their build files name (``common/inc``). opforge does not read
these files. It searches the repository, nearest folder first, for each header that is neither beside its includer nor
in the toolkit; the name in the #include gives the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from opforge.adopt.cmake_definitions import definitions, needs_definition
from opforge.adopt.layouts import OTHER_ARCH, Unit
from opforge.adopt.registrations import depended, registered_elsewhere
from opforge.build.repository import repository_top
from opforge.frozen import dataclass
from opforge.plain_files import read_plain
from opforge.spec.op_sources import FOLDERS, is_source

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+/[^>\n]+)>)', re.MULTILINE)
_OF_HEADERS = ("inc", "include", "pkg_inc")  # beside src, which has the C++ files of their headers
_HEADERS = (".h", ".hpp", ".hh", ".inc", ".inl", ".tpp", ".cuh")
# Folders whose headers are not for kernels: tests, stubs for other compilers, files made by tools.
_SKIPPED = frozenset(("build", "build_out", "docs", "examples", "python", "stub", "stubs", "test", "tests", "ut"))


@dataclass
class Included:
    """Paths relative to the project. ``outside`` are headers above it, which need a project of the whole repository."""

    folders: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)  # C++ files of op_host that define what headers declare
    outside: list[str] = field(default_factory=list)
    define: dict[str, str] = field(default_factory=dict)  # by name, for the compilers of op_host


class Repository:
    """The headers around a project; headers in the ``toolkit`` folders are not searched for."""

    def __init__(
        self, root: Path, toolkit: Sequence[Path], given: Sequence[str] = (), define: Sequence[str] = ()
    ) -> None:
        self.root = root
        self.toolkit = toolkit
        self.given = given
        self.define = define
        self._of_an_op: dict[Path, bool] = {}

    @cached_property
    def top(self) -> Path:
        """The repository's own folder."""
        return repository_top(self.root)

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        """Headers of the repository by file name."""
        found: dict[str, list[Path]] = {}
        for folder, inner, files in os.walk(self.top):
            inner[:] = sorted(name for name in inner if name not in _SKIPPED and name[0] != ".")
            for name in files:
                if name.endswith(_HEADERS):
                    found.setdefault(name, []).append(Path(folder, name))
        return found

    @cached_property
    def _definitions(self) -> dict[str, str]:
        """Values of macros that the repository's CMake files define."""
        return definitions(self.top)

    def included(self, unit: Unit, *, with_depended: bool = False) -> Included:
        """The folders that a unit's files, and the headers they include, need.

        With ``with_depended``, its sources contain those of the ops on which its CMakeLists.txt says it depends.
        """
        made = Included(list(self.given), define={text.partition("=")[0]: text for text in self.define})
        here = self.root / unit.folder
        own = tuple(f"{here / part}{os.sep}" for part in ("op_host", "op_kernel"))
        pending = [(here / name, True) for name in unit.host] + [(here / name, False) for name in unit.kernels]
        elsewhere = registered_elsewhere(here, [here / name for name in unit.host], self.top)
        for source in dict.fromkeys((*elsewhere, *(depended(here, self.top) if with_depended else ()))):
            pending.append((source, True))
            self._note(source, made)
        seen = {path for path, _ in pending}
        while pending:
            file, on_host = pending.pop(0)
            text = read_plain(file).decode(errors="replace")
            for name, value in self._definitions.items() if on_host else ():
                if name in text and needs_definition(text, name):
                    made.define.setdefault(name, f"{name}={value}")
            for name, quoted in _includes(text, on_host=on_host):
                path = self._resolved(here, file, name, made, quoted=quoted)
                if path is None or path in seen:
                    continue
                seen.add(path)
                pending.append((path, on_host))
                if str(path).startswith(own):
                    continue
                self._note(path, made)
                for source in _companions(path) if on_host else ():
                    if source not in seen:
                        seen.add(source)
                        pending.append((source, True))
                        self._note(source, made)
        return made

    def _resolved(self, here: Path, file: Path, name: str, made: Included, *, quoted: bool) -> Path | None:
        """The included file, for the unit at ``here``; None for one of the toolkit or the system, or without a file."""
        beside = Path(os.path.normpath(file.parent / name))
        if quoted and beside.is_file():
            return beside
        for folder in made.folders:
            path = Path(os.path.normpath(self.root / folder / name))
            if path.is_file():
                return path
        if any((folder / name).is_file() for folder in self.toolkit):
            return None
        if ".." in name.split("/"):
            return self._of_another_op(here, file, name)
        header = self._found(here, file, name)
        if header is None:
            return None
        found = Path(str(header)[: -len(name) - 1])
        if not self.root.is_relative_to(found) or found == self.root:
            made.folders.append(Path(os.path.relpath(found, self.root)).as_posix())
        return header

    def _of_another_op(self, here: Path, file: Path, name: str) -> Path | None:
        """The file of `../rms_norm/rms_norm_base.h`: CANN's builds put all op_kernel folders side by side."""
        parts = name.split("/")
        if file.parent.name != "op_kernel" or len(parts) <= 2 or ".." in parts[1:]:
            return None
        return self._found(here, file, "/".join([parts[1], "op_kernel", *parts[2:]]))

    def _found(self, here: Path, file: Path, name: str) -> Path | None:
        """The header of this name that shares the most folders with its includer.

        The op's own headers come first, those of other ops last. A header in another architecture's folder counts only
        if the name contains that folder.
        """

        def rank(one: Path) -> tuple[bool, bool, int, int, str]:
            own = one.is_relative_to(here)
            shared = len(os.path.commonpath([one, file]))
            return (not own, not own and self._is_of_an_op(one.parent), -shared, len(str(one)), str(one))

        fitting = []
        for path in self._by_name.get(name.rpartition("/")[2], ()):
            if path.as_posix().endswith(f"/{name}"):
                outer = path.parts[len(self.top.parts) : -len(name.split("/"))]
                if not any(OTHER_ARCH.fullmatch(part) for part in outer):
                    fitting.append(path)
        return min(fitting, key=rank, default=None)

    def _is_of_an_op(self, folder: Path) -> bool:
        """Whether a folder lies in that of an op, which has op_host or op_kernel; the repository's own is none."""
        if folder == self.top or not folder.is_relative_to(self.top):
            return False
        if folder not in self._of_an_op:
            parts = any((folder / part).is_dir() for part in FOLDERS)
            self._of_an_op[folder] = parts or self._is_of_an_op(folder.parent)
        return self._of_an_op[folder]

    def _note(self, path: Path, made: Included) -> None:
        """Records a file outside the unit: by its folder or, above the project, by its name."""
        name = os.path.relpath(path, self.root)
        if any(folder != "." and f"{name}{os.sep}".startswith(f"{folder}/") for folder in made.folders):
            if path.suffix in (".cpp", ".cc") and is_source(name):
                made.sources.append(name)
        elif name.startswith(".."):
            made.outside.append(name)
        elif not is_source(name):
            made.folders.append(Path(name).parent.as_posix())
        elif path.suffix in (".cpp", ".cc"):
            made.sources.append(name)
        else:
            made.headers.append(name)


def _includes(text: str, *, on_host: bool) -> Iterator[tuple[str, bool]]:
    """The names that a file includes, and whether they are in quotes.

    Without those of other architectures: a kernel includes them under a condition, and op_host's are in folders.
    """
    for match in _INCLUDE.finditer(text):
        name = match[1] or match[2]
        first, in_folder, _ = name.partition("/")
        if (on_host and not in_folder) or not OTHER_ARCH.search(first):
            yield name, match[1] is not None


def _companions(header: Path) -> Iterator[Path]:
    """The C++ file of a header: beside it, or below ``src`` for a header below ``inc`` or ``include``."""
    folders = [header.parent]
    parts = header.parent.parts
    for place, part in enumerate(parts):
        if part in _OF_HEADERS:
            folders.append(Path(*parts[:place], "src", *parts[place + 1 :]))
    for folder in folders:
        for suffix in (".cpp", ".cc"):
            path = folder / f"{header.stem}{suffix}"
            if path.is_file():
                yield path
