"""Reads and writes build/state.json: step keys, stats and hashes of outputs, and hashes of files by stat.

The file is written after each step, as the last action. After an interrupted step it therefore has no key for the
step's outputs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from opforge.errors import InternalError, ProjectError
from opforge.file_stats import Stat, is_settled, stat_of
from opforge.frozen import dataclass
from opforge.plain_files import read_plain
from opforge.release import __version__
from opforge.sha256 import sha256

SCHEMA = 5


def sha256_of(path: Path | str) -> str | None:
    """SHA-256 of a file's content; None if the path is missing or not a regular file."""
    try:
        return sha256(read_plain(path)).hexdigest()
    except (OSError, ProjectError):
        return None


@dataclass(frozen=True)
class SpecMeaning:
    """Digests of the parsed spec, for the keys of later steps and for ``opforge install``."""

    says: str  # digest of everything about the ops
    interface: str  # digest of the input of op_host and the CMake files
    simulator: str  # the text of simulator.json
    package: str
    folders: tuple[str, ...]  # with op_host and op_kernel files


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter's layout. It is valid while ``asked`` stays the same."""

    asked: str
    executable: str
    prefix: str
    version: str
    purelib: str
    path: tuple[str, ...]


@dataclass
class StepRecord:
    """A step that succeeded: its key, its outputs at that time, and the other files that its compilers read."""

    key: dict[str, str]
    outputs: dict[str, tuple[Stat, str]]  # stat and SHA-256 by path relative to the project
    outside: tuple[str, ...] = ()  # paths of files; searched folders end with a slash
    artifact: str | None = None  # the output in dist/
    meaning: SpecMeaning | None = None  # set by the step that reads the spec
    moved: bool = False  # an output has a new stat but the same content, so the new stat must be saved

    def outputs_untouched(self, root: Path) -> str | None:
        """None if every output is unchanged, else the first changed one. Files whose stat changed are read."""
        for name, (stat, digest) in self.outputs.items():
            found = stat_of(f"{root}/{name}")
            if found == stat:
                continue
            if found is None or sha256_of(f"{root}/{name}") != digest:
                return name
            self.outputs[name] = (found, digest)
            self.moved = True
        return None


@dataclass
class State:
    """The recorded builds of one project."""

    steps: dict[str, StepRecord] = field(default_factory=dict)
    hashes: dict[str, tuple[Stat, str]] = field(default_factory=dict)
    interpreter: Interpreter | None = None
    used: set[str] = field(default_factory=set)

    @property
    def meaning(self) -> SpecMeaning | None:
        """The digests of the parsed spec, from the last run of the step that reads it."""
        record = self.steps.get("spec")
        return None if record is None else record.meaning

    def artifact(self, step: str) -> str:
        """The file in dist/ that a step made, as a path relative to the project."""
        made = self.steps[step].artifact
        if made is None:
            raise InternalError(f"step {step} makes no artifact")
        return made

    def file_hash(self, path: Path | str) -> str | None:
        """SHA-256 of a file's content, from memory if its stat is unchanged; None if the file is missing.

        Raises SpecialFileError for a FIFO, a device or a socket.
        """
        name = str(path)
        stat = stat_of(name)
        if stat is None:
            return None
        self.used.add(name)
        known = self.hashes.get(name)
        if known is not None and known[0] == stat:
            return known[1]
        digest = sha256(read_plain(name)).hexdigest()
        if is_settled(stat):
            self.hashes[name] = (stat, digest)
        else:
            self.hashes.pop(name, None)
        return digest

    def dump(self) -> str:
        """The text of state.json, without the hashes of files that no step uses any more."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "opforge": __version__,
                "steps": {name: _row(record) for name, record in self.steps.items()},
                "interpreter": None if self.interpreter is None else vars(self.interpreter),
                "hashes": {name: value for name, value in self.hashes.items() if name in self.used},
            },
            indent=0,
        )


def load_state(path: Path) -> State:
    """The saved state; empty if the file is missing, damaged, or written by another version of opforge."""
    try:
        fields = json.loads(path.read_bytes())
        if fields["schema"] != SCHEMA or fields["opforge"] != __version__:
            return State()
        return State(
            steps={name: _record(row) for name, row in fields["steps"].items()},
            hashes={name: (_stat(stat), digest) for name, (stat, digest) in fields["hashes"].items()},
            interpreter=_interpreter(fields["interpreter"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return State()


def save_state(path: Path, state: State) -> None:
    """Replaces state.json by one rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(state.dump(), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def look_of(root: Path, paths: Iterable[Path]) -> dict[str, tuple[Stat, str]]:
    """The stats and hashes of a finished step's outputs, by path relative to ``root``."""
    found: dict[str, tuple[Stat, str]] = {}
    for path in paths:
        stat, digest = stat_of(path), sha256_of(path)
        if stat is not None and digest is not None:
            found[os.path.relpath(path, root)] = (stat, digest)
    return found


def _row(record: StepRecord) -> dict[str, Any]:
    row = {name: value for name, value in vars(record).items() if name != "moved"}
    return row | {"meaning": None if record.meaning is None else vars(record.meaning)}


def _record(row: Mapping[str, Any]) -> StepRecord:
    return StepRecord(
        key=dict(row["key"]),
        outputs={name: (_stat(stat), digest) for name, (stat, digest) in row["outputs"].items()},
        outside=tuple(row["outside"]),
        artifact=row["artifact"],
        meaning=_meaning(row["meaning"]),
    )


def _meaning(fields: Mapping[str, Any] | None) -> SpecMeaning | None:
    return None if fields is None else SpecMeaning(**{**fields, "folders": tuple(fields["folders"])})


def _interpreter(fields: Mapping[str, Any] | None) -> Interpreter | None:
    return None if fields is None else Interpreter(**{**fields, "path": tuple(fields["path"])})


def _stat(value: list[int]) -> Stat:
    size, mtime, ctime, inode = value
    return size, mtime, ctime, inode
