"""The kernel API's headers, compiled once for each set of options: most of the time a kernel's compilation takes.

Kept in the toolkit, <root>/cache/kernel_headers. The compiler itself decides whether one fits a kernel and reads the
headers where it does not, so nothing here can make a kernel wrong.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
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
    if compiled.is_file():
        return place
    try:
        place.mkdir(parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one compiles, the others wait for it
            if not compiled.is_file():
                _compile(compiler, options, header, compiled)
    except OSError:
        return None  # a toolkit that may only be read
    return place if compiled.is_file() else None


def _compile(compiler: Sequence[str], options: Sequence[str], header: Path, compiled: Path) -> None:
    # What a kernel gets when it includes the header again, or when the compiled one does not fit.
    (compiled.parent / HEADER).write_text(f'#include "{header}"\n', encoding="utf-8")
    fresh = compiled.with_name(f"{HEADER}.{os.getpid()}.tmp")
    command = [*compiler, "-x", "c++-header", *options, str(header), "-o", str(fresh)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0 and fresh.is_file():
        fresh.replace(compiled)
    fresh.unlink(missing_ok=True)
