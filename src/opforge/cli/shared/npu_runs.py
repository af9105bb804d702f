"""``opforge test --npus``: a pytest process for each NPU. They share the tests, and their results become one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.cli.shared.console import Json, current, jsonable_fields
from opforge.cli.shared.explained_errors import explain_output
from opforge.cli.shared.ready import Ready
from opforge.cli.shared.rules_option import warning_rows
from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.install import claimed_tests
from opforge.install.pytest_report import Report, leave_asked, read_report
from opforge.toolkit.device_reports import VARIABLE, read_device_reports
from opforge.toolkit.process import Completed

if TYPE_CHECKING:
    from opforge.toolkit.device_warnings import Collection

VISIBLE, SIMULATED = "ASCEND_RT_VISIBLE_DEVICES", "OPFORGE_SIM_DEVICES"
_NO_TESTS = 5  # pytest's status


def npu_numbers(text: str) -> tuple[int, ...]:
    """The numbers of ``--npus 0,1``. Raises UsageError for other texts."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() for word in words) or len(set(map(int, words))) < len(words):
        raise UsageError(f"--npus: `{text}`: expected different numbers of NPUs", hint="opforge test --npus 0,1")
    return tuple(map(int, words))


def check_numbers(npus: Sequence[int], environ: Mapping[str, str], *, simulated: bool) -> dict[str, str]:
    """The variables that all processes need. Raises UsageError for an NPU that this shell does not see."""
    shown = [int(word) for word in environ.get(VISIBLE, "").split(",") if word.strip().isdigit()]
    hidden = [npu for npu in npus if shown and npu not in shown]
    if hidden:
        raise UsageError(
            f"--npus: {', '.join(map(str, hidden))}: {VISIBLE} shows only {', '.join(map(str, shown))}",
            hint=f"name these, or unset {VISIBLE}",
        )
    if not simulated:
        return {}
    count = environ.get(SIMULATED)
    if count is None:
        return {SIMULATED: str(max(npus) + 1)}
    if count.isdigit() and max(npus) >= int(count):
        raise UsageError(
            f"--npus: {max(npus)}: the simulated machine has the devices 0 to {int(count) - 1} ({SIMULATED}={count})",
            hint=f"unset {SIMULATED}: opforge then simulates as many devices as --npus needs",
        )
    return {}


@dataclass(frozen=True)
class Ran:
    """One pytest process."""

    npu: int
    done: Completed
    report: Report
    refused: list[Json]

    @property
    def code(self) -> int:
        """Its status; 128 + n for signal n."""
        return self.done.code if self.done.code >= 0 else 128 - self.done.code


def run_on_npus(
    ready: Ready,
    words: Sequence[str | Path],
    environ: Mapping[str, str],
    npus: Sequence[int],
    warnings: Collection,
    *,
    as_json: bool,
) -> int:
    """Runs the pytest command ``words`` on each NPU, and shows one result. Returns the exit status.

    A process sees one NPU, as device 0. A test that a process began and did not finish, because it crashed, has failed.
    """
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    with TemporaryDirectory(prefix="opforge-test-") as folder:
        place = Path(folder)
        claims = place / "claims"
        claims.mkdir()
        (place / "opforge_claimed_tests.py").write_bytes(Path(claimed_tests.__file__).read_bytes())
        path = os.pathsep.join(part for part in (folder, environ.get("PYTHONPATH", "")) if part)
        shared = {**environ, "PYTHONPATH": path, claimed_tests.VARIABLE: str(claims)}
        command = [*words[:3], "-p", "opforge_claimed_tests", *words[3:]]

        def run(npu: int) -> Ran:
            report, refused = place / f"report-{npu}.xml", place / f"refused-{npu}.jsonl"
            log = ready.request.log(f"test-npu{npu}")
            log.unlink(missing_ok=True)
            env = {**shared, VISIBLE: str(npu), VARIABLE: str(refused)}
            done = ready.request.runner.run(
                [*command, f"--junitxml={report}"], cwd=ready.request.root, env=env, log=log
            )
            return Ran(npu, done, read_report(report), list(read_device_reports(refused)))

        with ThreadPoolExecutor(max_workers=len(npus)) as pool:
            runs = list(pool.map(run, npus))
        begun, left = claimed_tests.unfinished(claims)
        stopped = (claims / claimed_tests.STOP).exists()
        lost = [] if stopped else [*begun, *left]
        leave_asked([place / f"report-{npu}.xml" for npu in npus], words, ready.request.root, lost)
    return _show(runs, lost, warnings, as_json=as_json)


def exit_code(codes: Sequence[int], lost: Sequence[str]) -> int:
    """The worst status; that of no tests only if no process had one; 1 for tests that did not end."""
    if all(code == _NO_TESTS for code in codes):
        return _NO_TESTS
    worst = max(0 if code == _NO_TESTS else code for code in codes)
    return worst or (1 if lost else 0)


def _show(runs: Sequence[Ran], lost: Sequence[str], warnings: Collection, *, as_json: bool) -> int:
    console = current()
    code = exit_code([run.code for run in runs], lost)
    total = {name: sum(getattr(run.report, name) for run in runs) for name in ("passed", "failed", "skipped")}
    if as_json:
        each: list[Json] = [
            {"npu": run.npu, "exit_code": run.code, **jsonable_fields(run.report), "log": str(run.done.log)}
            for run in runs
        ]
        failures: list[Json] = [row for run in runs for row in _rows(run.report)]
        said: dict[str, Json] = {"exit_code": code, **total, "failures": failures, "not_finished": list(lost)}
        refused: list[Json] = [row for run in runs for row in run.refused]
        console.json({**said, "refused": refused, "npus": each, "warnings": warning_rows(warnings)})
        return code
    for run in runs:
        if run.code not in (0, _NO_TESTS):
            console.result(f"NPU {run.npu}:\n{run.done.output.rstrip()}")
            explain_output(console, run.done.output)
    for run in runs:
        ended = "" if run.done.code >= 0 else f"; ended by signal {-run.done.code}"
        console.result(f"NPU {run.npu}: {run.report.passed} passed, {run.report.failed} failed{ended}; {run.done.log}")
    for test in lost:
        console.result(f"not finished: {test}")
    count = ", ".join(f"{number} {name}" for name, number in total.items() if number)
    console.result(f"{count or 'no tests'} on {len(runs)} NPUs")
    return code


def _rows(report: Report) -> list[Json]:
    return [jsonable_fields(failure) for failure in report.failures]
