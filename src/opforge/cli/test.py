"""``opforge test``: the project's own tests, or its programs without PyTorch, with the environment activated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from opforge.build.request import BuildRequest
from opforge.cli.build import make_request
from opforge.cli.console import Json, current, jsonable_fields
from opforge.cli.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.run import activate
from opforge.errors import UsageError
from opforge.progress import step
from opforge.toolkit.detect import Request


@click.command(short_help="Run the project's tests.", context_settings={"ignore_unknown_options": True})
@toolchain_option
@python_option("test in")
@chip_option
@click.option("--aclnn", is_flag=True, help="Build and run the C++ programs below aclnn/ instead, without PyTorch.")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what passed and what failed as JSON.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    aclnn: bool,
    start: Path,
    as_json: bool,
    arguments: tuple[str, ...],
) -> None:
    """Run the tests below tests/ on what is installed; further arguments are pytest's."""
    from opforge.build.installed import require_installed  # noqa: PLC0415
    from opforge.toolkit.process import Runner  # noqa: PLC0415

    if aclnn and arguments:
        raise UsageError(f"--aclnn takes no further arguments: {' '.join(arguments)}", hint="they are pytest's")
    request = make_request(start, toolchain, python, None)
    receipt = require_installed(request, pytest=not aclnn)
    active = activate(toolchain, python, soc)
    if aclnn:
        ctx.exit(_run_programs(request, Path(receipt.vendor_dir), active.environ, as_json=as_json))
    words: list[str | Path] = [active.python, "-m", "pytest", *arguments]
    if as_json:
        ctx.exit(_run_counted(request, words, active.environ))
    ctx.exit(Runner().attach(words, cwd=request.root, env=active.environ))


def _run_counted(request: BuildRequest, command: Sequence[str | Path], environ: Mapping[str, str]) -> int:
    """Runs pytest with its words in a log, and prints what it reports."""
    from opforge.build.pytest_report import read_report  # noqa: PLC0415

    log, report = request.log("test"), request.folder / "logs" / "test.xml"
    console = current()
    for old in (log, report):
        old.unlink(missing_ok=True)
    with step(console, "test", "pytest"):
        done = request.runner.run([*command, f"--junitxml={report}"], cwd=request.root, env=environ, log=log)
    console.json({"exit_code": done.code, **jsonable_fields(read_report(report)), "log": str(log)})
    return done.code


def _run_programs(request: BuildRequest, vendor_dir: Path, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Runs every program, also after one that failed. The exit status: 0, or the first other one."""
    from opforge.build.programs import build_programs  # noqa: PLC0415

    console = current()
    with console.busy("building the programs below aclnn/"):
        programs = build_programs(request, vendor_dir, environ)
    codes: list[int] = []
    rows: list[Json] = []
    for program in programs:
        if not as_json:
            codes.append(request.runner.attach([program], cwd=request.root, env=environ))
            continue
        done = request.runner.run([program], cwd=request.root, env=environ)
        codes.append(done.code)
        rows.append({"program": program.name, "exit_code": done.code, "output": done.output})
    code = next((code for code in codes if code != 0), 0)
    if as_json:
        console.json({"exit_code": code, "programs": rows})
    return code
