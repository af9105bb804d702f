"""The key of a build step: everything its outputs depend on, by name, so that a miss can name the changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar

from opforge.frozen import dataclass

Key = Mapping[str, str]  # fact -> value, e.g. "op_kernel/vector_add.cpp" -> "sha256:..."

_SHOWN = 3  # changed parts listed in a reason


@dataclass(frozen=True)
class Hit:
    """The outputs belong to this key, so the step need not run."""

    reason: ClassVar[str] = "up to date: nothing that it depends on changed"


@dataclass(frozen=True)
class Miss:
    """The step must run, for this reason."""

    reason: str


def compare(old: Key | None, new: Key) -> Hit | Miss:
    """Compares two keys. A miss names the parts that differ."""
    if old is None:
        return Miss("not built yet")
    changed = [name for name in new if old.get(name) != new[name]]
    gone = [name for name in old if name not in new]
    if not changed and not gone:
        return Hit()
    parts = []
    for verb, names in (
        ("changed", [name for name in changed if name in old]),
        ("is new", [name for name in changed if name not in old]),
        ("is gone", gone),
    ):
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            parts.append(f"{', '.join(names[:_SHOWN])}{more} {verb}")
    return Miss("; ".join(parts))


def print_key(step: str, key: Key) -> str:
    """One JSON line per fact, sorted."""
    return "\n".join(
        json.dumps({"step": step, "fact": name, "value": value}, ensure_ascii=False)
        for name, value in sorted(key.items())
    )
