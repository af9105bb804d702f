"""One row of a chip's table: a use in the source, what becomes of it on the chip, and what to write instead."""

from __future__ import annotations

import enum
import re

from opforge.frozen import dataclass


class Effect(enum.Enum):
    """How certain a finding is."""

    BREAKS = "breaks"  # does not compile there, or is wrong there
    CHECK = "check"  # breaks in a case that the text alone does not tell


@dataclass(frozen=True)
class Change:
    """``pattern`` finds the use in code without comments; its group 1, or else the match, is named in the report.

    ``but`` : the use is right where the whole file has this. ``once``: one line of each file is enough.
    """

    pattern: re.Pattern[str]
    files: tuple[str, ...]  # the ends of the names of files that have such uses
    effect: Effect
    why: str
    instead: str
    page: str  # below docs/zh of asc-devkit, without .md
    but: re.Pattern[str] | None = None
    once: bool = False
