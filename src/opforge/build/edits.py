"""Notices edits of a project's sources by their stats, and selects the tests that they concern."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from opforge.file_stats import Stat, stat_of
from opforge.naming import snake, torch_function
from opforge.plain_files import is_leaving
from opforge.spec.model import OpSpec, Spec

Snapshot = Mapping[str, Stat]

_SUFFIXES = (".cpp", ".cc", ".c", ".h", ".hpp", ".py", ".yaml", ".toml", ".cmake", "CMakeLists.txt")
_OUTPUTS = ("build", "dist")
_UNTESTED = ("benchmarks/", "aclnn/")  # opforge bench, verify and test --aclnn run these
_INTERVAL = 0.25  # seconds between two looks
_SHARE = 0.1  # of the time, at most, that looking takes in a large project
_SETTLES = 0.1  # seconds without a change after which an editor has written everything


def snapshot(root: Path) -> Snapshot:
    """The stats of the sources by their paths in the project: without outputs, hidden files and editors' backups."""
    found: dict[str, Stat] = {}
    for folder, folders, files in os.walk(root):
        top = folder == str(root)
        folders[:] = [name for name in folders if not is_leaving(name) and not (top and name in _OUTPUTS)]
        for name in files:
            if name.endswith(_SUFFIXES) and not is_leaving(name):
                path = os.path.join(folder, name)  # noqa: PTH118  (a Path costs more than the stat)
                stat = stat_of(path)
                if stat is not None:
                    found[os.path.relpath(path, root)] = stat
    return found


def wait_for_edits(root: Path, seen: Snapshot) -> tuple[str, ...]:
    """Waits until sources differ from ``seen`` and have stopped changing; returns the changed paths, sorted."""
    while True:
        began = time.monotonic()
        now = snapshot(root)
        took = time.monotonic() - began
        if now != seen:
            break
        time.sleep(max(_INTERVAL, took / _SHARE))
    while True:
        time.sleep(_SETTLES)
        later = snapshot(root)
        if later == now:
            return changed(seen, now)
        now = later


def changed(old: Snapshot, new: Snapshot) -> tuple[str, ...]:
    """The paths of files that are new, gone or edited."""
    return tuple(sorted(name for name in {*old, *new} if old.get(name) != new.get(name)))


def selected_tests(edited: Iterable[str], spec: Spec, root: Path) -> tuple[str, ...] | None:
    """Pytest's arguments for the tests of edited files: () for all tests, None for none.

    Sources of some ops select the tests whose names contain these ops. Edited test files select themselves.
    """
    files: dict[str, None] = {}
    ops: dict[str, None] = {}
    for name in edited:
        if name.startswith(_UNTESTED):
            continue
        if name.startswith("tests/") and os.path.basename(name).startswith("test_"):  # noqa: PTH119
            if (root / name).is_file():
                files[name] = None
            continue
        op = _op_of(name, spec.ops)
        if op is None or len(spec.ops) == 1:
            return ()
        ops[torch_function(op.type, spec.project.package)] = None
    if files and ops:
        return ()
    if ops:
        return ("-k", " or ".join(ops))
    return tuple(files) or None


def _op_of(name: str, ops: Iterable[OpSpec]) -> OpSpec | None:
    """The op that a source of op_host or op_kernel belongs to; None for shared files and other folders."""
    listed = [op for op in ops if name in op.sources]
    if listed:
        return listed[0] if len(listed) == 1 else None
    folder, _, file = name.rpartition("/")
    if folder not in ("op_host", "op_kernel"):
        return None
    stem = file.partition(".")[0]
    owners = [op for op in ops if stem == snake(op.type) or stem.startswith(f"{snake(op.type)}_")]
    return max(owners, key=lambda op: len(op.type), default=None)
