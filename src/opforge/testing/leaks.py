"""Checks whether calls leave objects behind: `opforge run -- python -m opforge.testing.leaks`.

This program runs in the project's environment and folder. It calls each operator and its gradient a thousand times, on
the current stream and on another one, with the task queue that TASK_QUEUE_ENABLE selects. Before and after, it counts
the bytes that PyTorch's allocator has allocated, the memory of the process, and on a simulated device the live objects
of CANN. Objects and allocated bytes must not increase. The memory of the process changes in pages and at irregular
times. It counts as grown if most of several batches of calls add to it, and do so again in a second and a third try.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from opforge.testing import report
from opforge.testing.interface import cases_of


def show(row: dict[str, Any]) -> str:
    """A row as text."""
    head = f"{'GREW' if row['grew'] else 'ok  '} {row['op']} {row['what']}, {row['stream']} stream"
    rss = row["rss_bytes"]
    return f"{head}: process {(rss['after'] - rss['before']) / 1024:+,.0f} KiB{row['why'] and '; ' + row['why']}"


def main() -> int:
    """Writes or prints the report. Returns 1 if something grew."""
    parser = report.options("leaks", "Calls the operators often and counts what is left.")
    parser.add_argument("--calls", type=int, default=1000, help="of each operator (default: 1000)")
    options = parser.parse_args()
    file = cases_of(Path.cwd())
    # Imported late, because torch cannot be imported without an activated environment.
    from opforge.testing.measuring.cases_file import load_cases  # noqa: PLC0415
    from opforge.testing.measuring.counting import (  # noqa: PLC0415
        counted,
        kinds_of_call,
        streams,
        task_queue,
        tried,
    )

    calls = min(options.calls, 200) if options.quick else options.calls
    if calls < 1:
        parser.error("--calls must be at least 1")
    project = load_cases(file)
    ops, left_out = report.chosen(project.ops, options.op, project.root)
    made: dict[str, Any] = {**report.surroundings(), "task_queue": task_queue(), "calls": calls, "rows": []}
    cases = [case for op in ops for case in report.of_dtype(tried(op), options.dtype)[:1]]
    places = streams(cases[0]) if cases else {}
    for case in cases:
        for what in kinds_of_call(case.op):
            for place, stream in places.items():
                made["rows"].append(counted(case, what, place, stream, calls))
                if not options.json:
                    print(show(made["rows"][-1]))
    for each in left_out:
        print(f"{each['op']} is left out: {each['why']}", file=sys.stderr)
    made |= {"left_out": left_out, "grew": any(row["grew"] for row in made["rows"])}
    if options.json:
        report.write_json(options.json, made)
    return 1 if made["grew"] else 0


if __name__ == "__main__":
    sys.exit(main())
