"""Finds ops that several installed packages have: the runtime silently uses the first package's.

The order is: packages of ASCEND_CUSTOM_OPP_PATH, then those of ASCEND_OPP_PATH/vendors in the order of its config.ini
(documentation: the look-up of custom operator packages). Ops for different SoCs do not hide each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.frozen import dataclass

_LISTS = "op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"
_PRIORITY = "load_priority="
_NAMED = 3  # ops listed by name

HIDDEN_OP_HINT = "give the op another type in one of the projects, or take one away: opforge uninstall <package>"


@dataclass(frozen=True)
class Hidden:
    """Ops of the package ``by`` that are never used because ``first`` has them too."""

    ops: tuple[str, ...]
    first: Path
    by: Path

    def __str__(self) -> str:
        more = f" and {len(self.ops) - _NAMED} more" if len(self.ops) > _NAMED else ""
        named = ", ".join(self.ops[:_NAMED]) + more
        return f"two installed packages have {named}: {self.first} comes first and runs; {self.by} is ignored"


def look_up(environ: Mapping[str, str]) -> list[Path]:
    """The vendor folders in the runtime's search order."""
    folders = [Path(part) for part in environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if part]
    vendors = Path(environ.get("ASCEND_OPP_PATH", "/")) / "vendors"
    try:
        lines = (vendors / "config.ini").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    listed = [line.removeprefix(_PRIORITY).split(",") for line in lines if line.startswith(_PRIORITY)]
    folders += [vendors / name.strip() for names in listed for name in names if name.strip()]
    found: dict[Path, Path] = {}
    for folder in folders:
        found.setdefault(folder.resolve(), folder)
    return list(found.values())


def hidden_ops(folders: Sequence[Path]) -> list[Hidden]:
    """The ops that are hidden by packages in earlier folders."""
    owners: dict[tuple[str, str], Path] = {}
    hidden: dict[tuple[Path, Path], list[str]] = {}
    for folder in folders:
        for soc, op in _ops(folder):
            first = owners.setdefault((soc, op), folder)
            ops = hidden.setdefault((first, folder), [])
            if first != folder and op not in ops:
                ops.append(op)
    return [Hidden(tuple(ops), first, by) for (first, by), ops in hidden.items() if ops]


def ops_of(folder: Path) -> set[str]:
    """The op types of an installed package, for any SoC."""
    return {op for _, op in _ops(folder)}


def _ops(folder: Path) -> list[tuple[str, str]]:
    """The SoC and op type of each op; ignores unreadable lists, which other tools wrote."""
    found = []
    for path in sorted(folder.glob(_LISTS)):
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        found += [(path.parent.name, op) for op in read] if isinstance(read, dict) else []
    return found
