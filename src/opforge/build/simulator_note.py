"""Writes ``simulator.json`` in a vendor folder: the rules that the simulated device applies to its kernels.

nnopbase reads the file when it loads the package (`simulator/host/nnopbase/opp.cpp`), so that the ``simulator`` block
of opforge.yaml applies in every process. Nothing is compiled when the block changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from opforge.scaffold.disk import write_text
from opforge.spec.model import OpSpec, Spec

NAME = "simulator.json"
_SCHEMA = 1


def simulator_note(spec: Spec, ops: Sequence[OpSpec]) -> str:
    """The text of the file. ``ops`` are all ops with a kernel, including derived ones."""
    allow = [
        {
            "rule": entry.rule or "",
            "op": entry.op or "",
            "in": entry.file or "",
            "level": "warning" if entry.warn else "silent",
            "why": entry.why,
        }
        for entry in spec.simulator.allow
    ]
    device = [op.type for op in ops if spec.simulator.as_device(op)]
    note = {"schema": _SCHEMA, "rules": spec.simulator.rules or "", "device": device, "allow": allow}
    return json.dumps(note, indent=2, ensure_ascii=False) + "\n"


def write_simulator_note(vendor: Path, text: str) -> None:
    """Writes the file into an installed vendor folder by one rename. An unchanged file is not written."""
    file = vendor / NAME
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    write_text(file, text)
