"""Which functions op-plugin has already, as far as an installed torch_npu tells.

Source: the declarations in the wheel's CustomFunctions.h, which torchnpugen made of op-plugin's YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_DECLARED = re.compile(r"^TORCH_NPU_API .*? (\w+)\(", re.MULTILINE)


def names_taken(torch_npu: Path | None, names: Iterable[str]) -> tuple[str, ...]:
    """Those of ``names`` that the wheel has; none where there is no wheel, or one without the header."""
    if torch_npu is None:
        return ()
    try:
        header = (torch_npu / "include" / "torch_npu" / "csrc" / "aten" / "CustomFunctions.h").read_text("utf-8")
    except OSError:
        return ()
    declared = set(_DECLARED.findall(header))
    return tuple(name for name in names if name in declared)
