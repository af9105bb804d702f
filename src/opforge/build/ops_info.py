"""Reads op_build's lists of operators per SoC, ``aic-<soc>-ops-info``: ini files in builds, JSON in packages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from opforge.errors import BuildError

OpInfo = Mapping[str, Mapping[str, str]]  # parameter ("input0", "attr_alpha", "opFile") -> key -> value
OpsInfo = Mapping[str, OpInfo]  # op type -> its parameters


def read_packed(tree: Path, soc: str) -> OpsInfo:
    """The list inside a vendor folder."""
    path = tree / "op_impl" / "ai_core" / "tbe" / "config" / soc / f"aic-{soc}-ops-info.json"
    try:
        info: OpsInfo = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise BuildError(f"the run package has no readable {path.name}: {e}") from e
    return info


def read_generated(folder: Path, soc: str) -> OpsInfo | None:
    """The list among op_build's files; None if op_build wrote none for this SoC."""
    path = folder / f"aic-{soc}-ops-info.ini"
    if not path.is_file():
        return None
    ops: dict[str, dict[str, dict[str, str]]] = {}
    op: dict[str, dict[str, str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            op = ops.setdefault(line[1:-1], {})
        elif "=" in line:
            key, _, value = line.partition("=")
            parameter, _, field = key.partition(".")
            op.setdefault(parameter, {})[field] = value
    return ops


def op_file(tree: Path, soc: str, op_type: str) -> str:
    """The file stem that op_build gave an op."""
    info = read_packed(tree, soc)
    if op_type not in info:
        raise BuildError(
            f"op_host registers no op {op_type} for {soc}",
            detail=f"it registers {', '.join(info) or 'none'}",
            hint="the op types and SoCs of opforge.yaml and of OP_ADD and AddConfig in op_host must be the same",
        )
    return info[op_type].get("opFile", {}).get("value", "")
