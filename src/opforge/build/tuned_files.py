"""Makes the header of a project's tuned plans, which op_host includes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from opforge.build import key_parts, tuned_table
from opforge.program import Program


def tuned_files(root: Path, program: Program, note: Callable[[str], None]) -> tuple[dict[Path, str], dict[str, str]]:
    """The header with the plans of tuning/, if there are any, and the hashes of the files as they were read.

    ``note`` gets a warning for each plan that is not used.
    """
    names = key_parts.source_files(root, (key_parts.TUNING,))
    if not names:
        return {}, {}
    from opforge.render.ascendc.tuned_plans import tuned_header  # noqa: PLC0415  (Jinja)
    from opforge.render.project import with_head  # noqa: PLC0415

    texts = {name: (root / name).read_bytes() for name in names}
    read = {name: hashlib.sha256(data).hexdigest() for name, data in texts.items()}
    tables = {name: data for name, data in texts.items() if name.endswith(".json")}
    plans = [plan for name, data in tables.items() for plan in tuned_table.parse_plans(data, root / name)]
    entries, stale = tuned_table.table_of(plans, program.kernels, root)
    for line in stale:
        note(f"warning: a plan of tuning/ is not used: {line}; `opforge tune` looks again")
    header = with_head(tuned_header(entries), program.spec.project.license)
    return ({Path(header.path): header.text} if entries else {}), read
