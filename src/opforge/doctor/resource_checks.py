"""Checks memory and disks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from opforge.doctor.place import Finding, Place
from opforge.explain.local_checks import memory_fields
from opforge.explain.machine import Machine

_OF_A_COMPILER = 1_200_000_000  # bytes that one compiler of a kernel or adapter may need
_LOW_DISK = 500_000_000


def check_memory(place: Place) -> Iterator[Finding]:
    """Memory that is free, by Linux or by the limit of the container, and the number of compilers that it is for."""
    fields = memory_fields(Machine(place.environ, place.top))
    free, total = fields.get("MemAvailable", 0), fields.get("MemTotal", 0)
    limit = _container_limit(place.top)
    if not total:
        return
    if limit is not None and limit < total:
        free, total = min(free, limit), limit
    cores = os.cpu_count() or 1
    text = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB are free, {cores} cores"
    jobs = max(1, free // _OF_A_COMPILER)
    if jobs < cores:
        yield Finding("memory", "warning", f"{text}: too little for {cores} compilers", f"opforge build -j {jobs}")
    else:
        yield Finding("memory", "ok", text)


def check_disks(place: Place) -> Iterator[Finding]:
    """Free space of the current folder and of the folder for temporary files."""
    for folder in dict.fromkeys((os.getcwd(), place.environ.get("TMPDIR") or "/tmp")):  # noqa: PTH109, S108
        if not Path(folder).is_dir():
            yield Finding("disk", "warning", f"{folder} does not exist", "unset TMPDIR")
            continue
        free = shutil.disk_usage(folder).free
        text = f"{folder}: {free / 1e9:.1f} GB free"
        if free < _LOW_DISK:
            yield Finding("disk", "warning", text, f"free some space in {folder}")
        else:
            yield Finding("disk", "ok", text)


def _container_limit(top: Path) -> int | None:
    """The limit of the container's memory in bytes (cgroup 2 or 1)."""
    for name in ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = (top / name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if text.isdigit():
            return int(text)
    return None
