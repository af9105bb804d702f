"""Generated ops whose op_host has plans."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from generated_ops import GeneratedOps, compile_host

from opforge.build.tuned_table import TunedPlan, table_of
from opforge.program import Kernel
from opforge.render.ascendc.tuned_plans import tuned_header


def with_plans(
    ops: GeneratedOps, plans: Sequence[TunedPlan], kernels: Iterable[Kernel], folder: Path, toolkit_root: Path
) -> GeneratedOps:
    """A copy of the ops in ``folder``, compiled with the plans; each of them is for the ops' sources."""
    shutil.copytree(ops.folder, folder, ignore=shutil.ignore_patterns("chips", "*.o", "*.so"))
    entries, stale = table_of(plans, kernels, folder)
    assert len(entries) == len(plans)
    assert not stale
    header = tuned_header(entries)
    (folder / header.path).write_text(header.text, encoding="utf-8")
    compile_host(folder, toolkit_root)
    return replace(ops, folder=folder)
