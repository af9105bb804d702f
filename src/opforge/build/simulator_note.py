"""Writes ``simulator.json`` in a vendor folder: the rules by which the simulated device judges its kernels.

nnopbase reads it when it loads the package (`simulator/host/nnopbase/opp.cpp`), so that the ``simulator`` block of
opforge.yaml holds in every process. It is not part of what is built: nothing is compiled when the block changes.
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
    """The file's text; ``ops`` are all that have a kernel, derived ones too."""
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
    """Puts it into an installed vendor folder in one step; what is there already as it should be is left alone."""
    file = vendor / NAME
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    write_text(file, text)
