"""The counts of launches, from the lines that the simulated device appends to its profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def size_of(profile: Path) -> int:
    """How many bytes the profile has so far."""
    return profile.stat().st_size if profile.exists() else 0


def works_after(profile: Path, before: int) -> list[dict[str, Any]]:
    """The counts of each launch behind the first ``before`` bytes."""
    lines = profile.read_bytes()[before:].splitlines() if profile.exists() else []
    return [_work_of(json.loads(line)) for line in lines]


def _work_of(line: dict[str, Any]) -> dict[str, Any]:
    """What ``opforge.measure.time_model.Work`` has of a launch, and the instructions of the busiest core."""
    cores = line["cores"]
    return {
        **{name: line["gm"][name] for name in ("read", "written", "read_once", "written_once")},
        "crossed": sum(core["crossed"] for core in cores),
        "macs": sum(core["macs"] for core in cores),
        "instructions": max(core["instructions"] for core in cores),
        "span": max(core["span"] for core in cores),
        "busy": {pipe: max(core["busy"][pipe] for core in cores) for pipe in cores[0]["busy"]},
    }
