"""Times the operators against PyTorch's own: `opforge run -- python benchmarks/bench.py`.

On the same inputs, in the same run, by turns. A time is that of one call with its launch, as the host's clock sees it
between two synchronisations: median, least and most of several runs. On a simulated device it is the time of the
simulation and says nothing about hardware; what does carry over is what the report has besides: bytes moved, the share
of each core, buffers in use, memory of intermediates, errors.
"""

from __future__ import annotations

import sys
from typing import Any

import report

RUNS, QUICK_RUNS = 7, 3


def show(row: dict[str, Any], *, simulated: bool) -> str:
    """A row for people."""
    own, native = row["custom_us"]["median"], row["native_us"]
    unit = "us simulated" if simulated else "us"
    other = "" if native is None else f", native {native['median']:,.1f} {unit}"
    off = "" if row["error"] is None else f", error {row['error']['max']:.2g}"
    return f"{row['op']} {row['dtype']:>9} {row['label']:>24}: {own:,.1f} {unit}{other}{off}"


def main() -> None:
    """Writes or prints the report."""
    parser = report.options("bench", "Times the operators against PyTorch's own.")
    parser.add_argument("--size", choices=("small", "full"), default="small", help="full: for hardware")
    options = parser.parse_args()
    from cases import OPS, timed  # torch only now: without an activated environment its import fails
    from timing import measure

    ops, left_out = report.chosen(OPS, options.op)
    made = {**report.surroundings(), "left_out": left_out, "rows": []}
    for op in ops:
        cases = report.of_dtype(timed(op, options.size), options.dtype)
        least = min(cases, key=lambda case: case.elements).label if cases else ""
        for case in [case for case in cases if not options.quick or case.label == least]:
            made["rows"].append(measure(case, QUICK_RUNS if options.quick else RUNS))
            print(show(made["rows"][-1], simulated=made["simulated"]), file=sys.stderr if options.json else sys.stdout)
    for each in left_out:
        print(f"{each['op']} is left out: {each['why']}", file=sys.stderr)
    if options.json:
        report.write_json(options.json, made)


if __name__ == "__main__":
    main()
