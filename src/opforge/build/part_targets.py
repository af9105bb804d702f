"""The make targets of the kernels of some ops and SoCs.

CANN's functions add a target for each op and SoC, under one name (asc-devkit cmake/asc/fwk_modules/func.cmake:253, and
in the project template of 8.1.RC1, cmake/func.cmake:158). The simulated toolkit has one target for all kernels; its
rules are in one makefile, which can make single files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from opforge.build.part import Kernels
from opforge.errors import BuildError
from opforge.frozen import dataclass
from opforge.toolkit.protocol import Toolkit

_RULES = "CMakeFiles/binary.dir"


@dataclass(frozen=True)
class Targets:
    """The arguments of one or more runs of make, and the files that exist afterwards."""

    runs: tuple[tuple[str, ...], ...]
    made: tuple[Path, ...]


def targets_of(out: Path, toolkit: Toolkit, kernels: Kernels) -> Targets:
    """The targets in a configured folder ``out``. Raises BuildError if the toolkit has none for one of the ops."""
    if not toolkit.simulated:
        names = tuple(f"{op}_{soc}" for op in kernels.ops for soc in kernels.socs)
        return Targets((names,), ())
    objects = tuple(dict.fromkeys(_objects(out, kernels)))
    rules = out / _RULES / "build.make"
    if not rules.is_file():
        raise BuildError(f"CMake wrote no {rules}", hint="opforge clean, then build again")
    names = tuple(str(path.relative_to(out)) for path in objects)
    both = tuple(path.with_suffix(suffix) for path in objects for suffix in (".o", ".json"))
    made_by = ("-f", f"{_RULES}/build.make")
    return Targets(((*made_by, f"{_RULES}/depend"), (*made_by, *names)), both)


def _objects(out: Path, kernels: Kernels) -> Iterator[Path]:
    rows = json.loads((out / "kernels" / "columns.json").read_text(encoding="utf-8"))
    found = set()
    for row in rows:
        if row["op_type"] in kernels.ops and row["unit"] in kernels.socs:
            found.add(row["op_type"])
            yield Path(row["folder"]) / f"{row['name']}.o"
    missing = [op for op in kernels.ops if op not in found]
    if missing:
        raise BuildError(f"{', '.join(missing)}: CMake has no kernel of it for {', '.join(kernels.socs)}")
