"""The kernel API's headers, compiled once for each set of options: most of the time a kernel's compilation takes.

Kept in the toolkit, <root>/cache/kernel_headers. The compiler itself decides whether one fits a kernel and reads the
headers where it does not. It does not see damage: each has its digest beside it, which is compared where its stat is
another than when it was made, and a damaged one is made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

HEADER = "kernel_operator.h"


def folder(root: Path, compiler: Sequence[str], options: Sequence[str]) -> Path | None:
    """Where the precompiled header lies, to be searched first; None where it cannot be made."""
    program = shutil.which(compiler[0])
    if program is None:
        return None
    header = root / "include" / "ascendc" / HEADER
    try:
        stamps = [(path.stat().st_mtime_ns, path.stat().st_size) for path in (Path(program).resolve(), header)]
    except OSError:
        return None
    key = hashlib.sha256(repr((compiler, stamps, options)).encode()).hexdigest()[:24]
    place = root / "cache" / "kernel_headers" / key
    compiled = place / f"{HEADER}.gch"
    if _whole(compiled, header):
        return place
    try:
        place.mkdir(parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one compiles, the others wait for it
            if not _whole(compiled, header):
                _remove(compiled)
                _compile(compiler, options, header, compiled)
    except OSError:
        return None  # a toolkit that may only be read
    return place if _whole(compiled, header) else None


def _compile(compiler: Sequence[str], options: Sequence[str], header: Path, compiled: Path) -> None:
    (compiled.parent / HEADER).write_text(_wrapper(header), encoding="utf-8")
    fresh = compiled.with_name(f"{HEADER}.{os.getpid()}.tmp")
    command = [*compiler, "-x", "c++-header", *options, str(header), "-o", str(fresh)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0 and fresh.is_file():
        fresh.replace(compiled)
        _note(compiled, hashlib.sha256(compiled.read_bytes()).hexdigest())
    fresh.unlink(missing_ok=True)


def _wrapper(header: Path) -> str:
    """What a kernel gets when it includes the header again, or when the compiled one does not fit."""
    return f'#include "{header}"\n'


def _whole(compiled: Path, header: Path) -> bool:
    """Whether a precompiled header is as it was made; its content is read where its stat differs."""
    try:
        noted = json.loads(_look(compiled).read_bytes())
        if (compiled.parent / HEADER).read_text(encoding="utf-8") != _wrapper(header):
            return False
        if noted["stat"] == _stat(compiled):
            return True
        digest = hashlib.sha256(compiled.read_bytes()).hexdigest()
        if digest != noted["sha256"]:
            return False
        with suppress(OSError):
            _note(compiled, digest)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _note(compiled: Path, digest: str) -> None:
    fresh = compiled.with_name(f"look.{os.getpid()}.tmp")
    fresh.write_text(json.dumps({"stat": _stat(compiled), "sha256": digest}), encoding="utf-8")
    fresh.replace(_look(compiled))


def _look(compiled: Path) -> Path:
    return compiled.with_name("look.json")


def _stat(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _remove(compiled: Path) -> None:
    """Takes a damaged one away, whatever it has become."""
    if os.path.lexists(compiled):
        print(f"asc_opc: note: {compiled} is damaged: made again", file=sys.stderr)
    for path in (compiled, compiled.parent / HEADER, _look(compiled)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
