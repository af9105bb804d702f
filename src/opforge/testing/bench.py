"""Times a project's operators against PyTorch's own: `opforge run -- python -m opforge.testing.bench`.

This program runs in the project's environment and folder. Both sides get the same inputs in one run and take turns. A
time is that of one call including its launch, measured by the host's clock between two synchronisations. The report has
the median, minimum and maximum of several runs. On a simulated device it is the time of the simulation and says nothing
about hardware. The other numbers also hold on hardware: bytes moved, the share of each core, buffers in use, memory of
intermediates, and errors. At the sizes of a real model, a simulated device only counts, in one call.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from opforge.testing import report
from opforge.testing.interface import cases_of

RUNS, QUICK_RUNS = 7, 3


def show(row: dict[str, Any], *, simulated: bool) -> str:
    """A row as text."""
    head = f"{row['op']} {row['dtype']:>9} {row['label']:>24}"
    if row["custom_us"] is None:
        return f"{head}: counted {sum(row['gm_bytes']['measured'].values()):,} bytes"
    own, native = row["custom_us"]["median"], row["native_us"]
    unit = "us simulated" if simulated else "us"
    other = "" if native is None else f", native {native['median']:,.1f} {unit}"
    off = "" if row["error"] is None else f", error {row['error']['max']:.2g}"
    wrong = ", WRONG" if row["passed"] is False else ""
    return f"{head}: {own:,.1f} {unit}{other}{off}{wrong}"


def main() -> int:
    """Writes or prints the report. 1 if a result is wrong."""
    parser = report.options("bench", "Times the operators against PyTorch's own.")
    parser.add_argument("--size", choices=("small", "full"), default="small", help="full: for hardware")
    options = parser.parse_args()
    file = cases_of(Path.cwd())
    # Imported late, because torch cannot be imported without an activated environment.
    from opforge.testing.measuring.cases_file import load_cases  # noqa: PLC0415
    from opforge.testing.measuring.timing import count, measure  # noqa: PLC0415

    project = load_cases(file)
    ops, left_out = report.chosen(project.ops, options.op, project.root)
    made: dict[str, Any] = {**report.surroundings(), "left_out": left_out, "rows": []}

    def add(row: dict[str, Any] | None) -> None:
        if row is not None:
            made["rows"].append(row)
            print(show(row, simulated=made["simulated"]), file=sys.stderr if options.json else sys.stdout)

    for op in ops:
        cases = report.of_dtype(project.timed(op, options.size), options.dtype)
        least = min(cases, key=lambda case: case.elements).label if cases else ""
        for case in [case for case in cases if not options.quick or case.label == least]:
            add(measure(case, QUICK_RUNS if options.quick else RUNS, project.limits))
        counts = made["simulated"] and options.size == "small" and not options.quick
        for case in report.of_dtype(project.counted(op), options.dtype) if counts else ():
            add(count(case))
    for each in left_out:
        print(f"{each['op']} is left out: {each['why']}", file=sys.stderr)
    made["passed"] = all(row["passed"] is not False for row in made["rows"])
    if options.json:
        report.write_json(options.json, made)
    return 0 if made["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
