"""The header with the plans that `opforge tune` found. Only the build's copy of op_host has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.render.ascendc.ascendc_files import form_file

if TYPE_CHECKING:
    from opforge.fileset import File


@dataclass(frozen=True)
class TunedEntry:
    """One plan: what a person reads of it, the op, the column of types, the chip's cores, shapes, and the plan."""

    note: str
    op: str
    column: int
    cores: int
    inputs: str
    plan: str


@dataclass(frozen=True)
class TunedForm:
    """Context of ``op_host/tuned_plans.h``."""

    entries: tuple[TunedEntry, ...]


def tuned_header(entries: Sequence[TunedEntry]) -> File:
    """The header with these plans."""
    return form_file("op_host/opforge/tuned_plans.h", "op_host/tuned_plans.h", TunedForm(tuple(entries)))
