"""Finds function names that op-plugin already uses in an installed torch_npu.

Source: the declarations in the wheel's CustomFunctions.h, which torchnpugen generates from op-plugin's YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_DECLARED = re.compile(r"^TORCH_NPU_API .*? (\w+)\(", re.MULTILINE)


def names_taken(torch_npu: Path | None, names: Iterable[str]) -> tuple[str, ...]:
    """The ``names`` that the wheel has; empty without a wheel or without its header."""
    if torch_npu is None:
        return ()
    try:
        header = (torch_npu / "include" / "torch_npu" / "csrc" / "aten" / "CustomFunctions.h").read_text("utf-8")
    except OSError:
        return ()
    declared = set(_DECLARED.findall(header))
    return tuple(name for name in names if name in declared)
