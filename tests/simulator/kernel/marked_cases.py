"""Sources of many small kernels: the tiling key chooses one, and a comment marks the line that a message names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MarkedCases:
    """One such source; its cases stand in a macro CASES, those that must pass begin with "ok_"."""

    source: Path

    @property
    def names(self) -> list[str]:
        """In the order of their tiling keys."""
        return re.findall(r"CASE\((\w+)\)", self.source.read_text().split("#define CASES(CASE)")[1].split("extern")[0])

    @property
    def wrong(self) -> list[str]:
        return [name for name in self.names if not name.startswith("ok_")]

    @property
    def right(self) -> list[str]:
        return [name for name in self.names if name.startswith("ok_")]

    def key(self, case: str) -> int:
        return self.names.index(case)

    def here(self, case: str) -> str:
        """file:line of the one mark inside of a case."""
        lines = self.source.read_text().splitlines()
        start = next(i for i, line in enumerate(lines) if f" {case}(" in line and line.endswith("{"))
        marked = next(i for i in range(start, len(lines)) if lines[i].endswith("// <- here"))
        assert "}" not in lines[start:marked], f"{case} has no mark"
        return f"{self.source}:{marked + 1}"
