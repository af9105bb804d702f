"""``opforge test``: runs the project's tests, or its programs without PyTorch, in the activated environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from opforge.build.request import BuildRequest
from opforge.cli.shared.console import Json, current, jsonable_fields
from opforge.cli.shared.elsewhere import on_option, run_elsewhere
from opforge.cli.shared.measuring import find_installed, show_report
from opforge.cli.shared.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.shared.pytest_runs import run_pytest
from opforge.cli.shared.ready import make_ready, no_build_option
from opforge.cli.shared.rules_option import collect_warnings, rules_option, warning_rows
from opforge.errors import UsageError
from opforge.toolkit.detect import Request

if TYPE_CHECKING:
    from opforge.measure.programs import InstalledProject
    from opforge.remote.command import Command
    from opforge.toolkit.device_warnings import Collection

_CALLS = 1000  # with --leaks
_REPORT = "build/reports/tests.xml"  # with --on


@click.command(short_help="Run the project's tests.", context_settings={"ignore_unknown_options": True})
@toolchain_option
@python_option("test in")
@chip_option
@click.option("--aclnn", is_flag=True, help="Build and run the C++ programs in aclnn/ instead, without PyTorch.")
@click.option("--leaks", is_flag=True, help="Call every op many times instead, and check whether anything grows.")
@click.option("--calls", type=click.IntRange(1), help="With --leaks: number of calls; default: 1000.")
@click.option(
    "--sanitize",
    type=click.Choice(("off", "fast", "full")),
    help="How much the simulated device checks; default: full.",
)
@click.option("--npus", metavar="N,N", help="Run a pytest process on each of these NPUs; they share the tests.")
@rules_option
@no_build_option
@on_option("Build, install and test on this machine, then fetch the reports")
@project_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print what passed, failed, was refused or caused a warning as JSON."
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    aclnn: bool,
    leaks: bool,
    calls: int | None,
    sanitize: str | None,
    npus: str | None,
    rules: str | None,
    no_build: bool,
    on: str | None,
    start: Path,
    as_json: bool,
    arguments: tuple[str, ...],
) -> None:
    """Build and install what changed, then run the tests in tests/; further arguments go to pytest.

    --leaks calls every op many times, forward and backward, on two streams, with TASK_QUEUE_ENABLE 0, 1 and 2. The exit
    code is 1 if objects, device memory or host memory grow.

    --npus 0,1 runs two processes, of which each sees one NPU. A simulated machine has as many devices as that needs.

    On a simulated device, --sanitize=fast checks only bounds, alignment, limits, queues and deadlocks; --sanitize=off
    checks only bounds. --json lists refused launches with the kernel's call chain, and warnings. Without it, warnings
    are summed up when the tests have ended.
    """
    from opforge.toolkit.device_reports import CHECKS  # noqa: PLC0415

    other = "--aclnn" if aclnn else "--leaks"
    if aclnn and leaks:
        raise UsageError("--aclnn and --leaks exclude each other", hint="run one after the other")
    if calls is not None and not leaks:
        raise UsageError("--calls needs --leaks", hint=f"opforge test --leaks --calls {calls}")
    if (aclnn or leaks) and arguments:
        raise UsageError(f"{other} takes no further arguments: {' '.join(arguments)}", hint="these are for pytest")
    if sanitize is not None and leaks:
        raise UsageError(
            "--sanitize and --leaks exclude each other", hint="opforge test --leaks counts objects and runs no checks"
        )
    numbers = _npu_numbers(npus, arguments, other if aclnn or leaks else None)
    if on is not None:
        report = None if aclnn or leaks else _report(arguments)
        ctx.exit(run_elsewhere(ctx, on, start, python, partial(_reporting, report, as_json)))
    if leaks:
        installed = find_installed(start, toolchain, python, soc, rules, no_build=no_build)
        ctx.exit(_look_for_leaks(installed, calls or _CALLS, as_json=as_json))
    ready = make_ready(start, toolchain, python, soc, no_build=no_build, pytest=not aclnn)
    checks = {CHECKS: sanitize} if sanitize is not None else {}
    if aclnn:
        warnings = collect_warnings(ready.environ, rules, shown=True)
        environ = {**ready.environ, **checks, **warnings.variables}
        ctx.exit(_run_programs(ready.request, ready.vendor_dir, environ, warnings if as_json else None))
    if numbers:
        from opforge.cli.shared.npu_runs import check_numbers  # noqa: PLC0415
        from opforge.toolkit.cann import is_cann  # noqa: PLC0415

        simulated = not is_cann(Path(ready.environ.get("ASCEND_HOME_PATH", "")))
        checks |= check_numbers(numbers, ready.environ, simulated=simulated)
    ctx.exit(run_pytest(ready, arguments, rules, variables=checks, as_json=as_json, npus=numbers))


def _report(arguments: Sequence[str]) -> str:
    """The JUnit file that comes back: that of pytest's option, or the default.

    Raises UsageError if it is not in the project.
    """
    from opforge.install.pytest_report import asked_file  # noqa: PLC0415

    asked = asked_file(arguments)
    if asked is None:
        return _REPORT
    path = PurePosixPath(asked)
    if path.is_absolute() or ".." in path.parts or asked.startswith(("~", "$")):
        raise UsageError(
            f"--junitxml={asked}: with --on, expected a path in the project", hint=f"leave it out: {_REPORT} comes back"
        )
    return asked


def _reporting(report: str | None, as_json: bool, job: Command) -> Command:
    """The remote command with a JUnit file; with JSON, stdout is the result, and otherwise it is shown as it comes."""
    job = replace(job, merged=not as_json)
    if report is None:
        return job
    words = job.words if "--" in job.words else (*job.words, "--")
    return replace(job, words=(*words, f"--junitxml={report}"), written=(*job.written, report))


def _npu_numbers(text: str | None, arguments: tuple[str, ...], other: str | None) -> tuple[int, ...]:
    """The numbers of --npus. Raises UsageError beside options that it excludes."""
    if text is None:
        return ()
    from opforge.cli.shared.npu_runs import npu_numbers  # noqa: PLC0415

    if other is not None:
        raise UsageError(f"--npus and {other} exclude each other", hint="run one after the other")
    parallel = next((word for word in arguments if re.match(r"-n(\d+|auto)?$|--numprocesses|--dist", word)), None)
    if parallel is not None:
        raise UsageError(f"--npus and pytest-xdist's {parallel} exclude each other", hint="leave one of them out")
    return npu_numbers(text)


def _look_for_leaks(installed: InstalledProject, calls: int, *, as_json: bool) -> int:
    """Runs opforge.testing.leaks three times. Returns the exit status: 1 if anything grew."""
    from opforge.measure.leaks_report import summary, table  # noqa: PLC0415
    from opforge.measure.leaks_results import look_for_leaks  # noqa: PLC0415

    console = current()
    report = look_for_leaks(installed, calls)
    code = 1 if report.grew else 0
    if as_json:
        fields = {"exit_code": code, "grew": report.grew, **jsonable_fields(report)}
        console.json({**fields, "warnings": warning_rows(installed.warnings)})
        return code
    show_report([table(report)], report.left_out)
    console.result(summary(report))
    return code


def _run_programs(
    request: BuildRequest, vendor_dir: Path, environ: Mapping[str, str], warnings: Collection | None
) -> int:
    """Runs every program, even after a failure. Returns the exit status: 0, or the first other one.

    With ``warnings`` their outputs, codes and warnings are printed as JSON.
    """
    from opforge.build.aclnn_programs import build_programs  # noqa: PLC0415

    console = current()
    with console.busy("building the programs below aclnn/"):
        programs = build_programs(request, vendor_dir, environ)
    codes: list[int] = []
    rows: list[Json] = []
    for program in programs:
        if warnings is None:
            codes.append(request.runner.attach([program], cwd=request.root, env=environ))
            continue
        done = request.runner.run([program], cwd=request.root, env=environ)
        codes.append(done.code)
        rows.append({"program": program.name, "exit_code": done.code, "output": done.output})
    code = next((code for code in codes if code != 0), 0)
    if warnings is not None:
        console.json({"exit_code": code, "programs": rows, "warnings": warning_rows(warnings)})
    return code
