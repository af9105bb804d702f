"""Measures the precision of a project's operators: `opforge run -- python -m opforge.testing.verify`.

A program of its own, run in the project's environment and folder. It compares each output, and the gradient of each
input, of every operator with every combination of dtypes, with the reference in float64 on the CPU, by the three
standards of measuring/standards.py. A row passes where it passes all three; but for products, float32 passes by A and
B, as C compares with the CPU, whose functions are more precise there than a chip's. None applies to an empty tensor, C
applies from a thousand elements on, and integers and truth values are exact.

The gradient of a matrix product, or of a broadcast input, is computed by several operators in a row, PyTorch's own
among them; each rounds to the tensors' dtype, and then sums cancel. By B PyTorch's own results fail there as well, and
A's limit of absolute errors is not for sums of large terms. Such rows have the verdicts of all three; they pass by A,
whose tolerance covers results near zero, else by B, else by C, as PyTorch's own operators would ("judged_by"). With
--standard only the named standards decide; the report has all of them.

The data are those of CANN's standard, half uniform in [-5, 5] and half normal. Operands of matrix products are normal
instead, and weights divided by the root of the number of terms, as layers initialise them: of uniform data with a mean
the result is nearly a constant, and float16 overflows.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from opforge.testing import report
from opforge.testing.interface import cases_of


def show(row: dict[str, Any]) -> str:
    """A row for people."""
    numbers = []
    if row["A"] is not None:
        a = row["A"]
        numbers.append(f"A {_said(a)} {100 * a['matched']:.2f} % match, off by {a['max_abs_error']:.2g} at most")
    if row["B"] is not None:
        numbers.append(f"B {_said(row['B'])} MERE {row['B']['mere']:.2g}, MARE {row['B']['mare']:.2g}")
    if row["C"] is not None:
        c = row["C"]
        again = f", and {'passes' if c['passed'] else 'FAILS'} by {c['retries']} more" if "retries" in c else ""
        numbers.append(f"C {c['level'] or 'no level'} ratios {c['mare']:.2g}, {c['mere']:.2g}, {c['rmse']:.2g}{again}")
    if row["worst"] is not None and not row["passed"]:
        w = row["worst"]
        numbers.append(f"worst at {w['index']}: {w['value']:.9g} instead of {w['golden']:.9g} ({w['rule']})")
    if row["judged_by"] not in {"ABC", ""}:
        numbers.append(f"judged by {' and '.join(row['judged_by'])}")
    head = f"{'ok  ' if row['passed'] else 'FAIL'} {row['op']} {row['dtype']} {row['case']}, {row['output']}"
    return f"{head}: {'; '.join(numbers) or 'exact' if row['elements'] else 'empty'}"


def _said(verdict: dict[str, Any]) -> str:
    return "passes" if verdict["passed"] else "FAILS"


def main() -> int:
    """Writes or prints the report. 1 where something does not pass."""
    parser = report.options("verify", "Compares the operators with their references, by three standards.")
    parser.add_argument("--standard", action="append", choices=("A", "B", "C"), help="only this decides (repeatable)")
    options = parser.parse_args()
    file = cases_of(Path.cwd())
    # Only now: without an activated environment, torch cannot be imported.
    from opforge.testing.measuring.cases_file import load_cases  # noqa: PLC0415
    from opforge.testing.measuring.judging import rows, trials  # noqa: PLC0415
    from opforge.testing.measuring.standards import without_rule  # noqa: PLC0415

    project = load_cases(file)
    ops, left_out = report.chosen(project.ops, options.op, project.root)
    left_out += [{"op": op.type, "why": "it has no reference"} for op in ops if op.golden is None]
    decide = "".join(sorted(set(options.standard or ())))
    made: dict[str, Any] = {**report.surroundings(), "left_out": left_out, "rows": []}
    for op in ops:
        unknown = without_rule((dtype for column in op.columns for dtype in column), project.limits)
        left_out += [{"op": op.type, "why": f"the standards have no row for {name}"} for name in unknown]
        tried = [trial for column in range(len(op.columns)) for trial in trials(op, column, quick=options.quick)]
        asked = report.of_dtype([trial.case for trial in tried], options.dtype)
        for trial in [trial for trial in tried if trial.case in asked]:
            for row in rows(replace(trial, asked=decide, limits=project.limits)):
                made["rows"].append(row)
                if not options.json:
                    print(show(row))
    made["passed"] = all(row["passed"] for row in made["rows"])
    for each in left_out:
        print(f"{each['op']} is left out: {each['why']}", file=sys.stderr)
    if options.json:
        report.write_json(options.json, made)
    return 0 if made["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
