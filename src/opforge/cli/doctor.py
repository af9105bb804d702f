"""``opforge doctor``: checks whether a build can work here, and prints the commands that fix what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.build.request import cache_folder
from opforge.cli.shared.console import current
from opforge.cli.shared.options import python_option, toolchain_option
from opforge.cli.shared.runners import new_runner
from opforge.toolkit.detect import Request

_COLOURS = {"ok": "green", "warning": "yellow", "missing": "red"}


@click.command(short_help="Check whether a build can work here.")
@toolchain_option
@python_option("build for")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a file for bug reports: these lines, versions, and variables without secrets.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, *, toolchain: Request, python: Path | None, report: Path | None, as_json: bool) -> None:
    """Check what a build needs: compiler, CMake, Python, torch, toolkit, libraries, packages, memory, disk, variables.

    Each line says ok, warning or missing, and how to fix it. The exit code is 0 if a build can work, otherwise 1.
    `opforge explain` explains errors and logs.
    """
    from opforge.doctor.machine_checks import can_build, diagnose  # noqa: PLC0415
    from opforge.doctor.place import Place  # noqa: PLC0415
    from opforge.scaffold.project_root import find_project  # noqa: PLC0415

    environ = dict(os.environ)
    project = find_project(Path())
    place = Place(environ, cache_folder(environ), toolchain, python, runner=new_runner(), project=project)
    findings = diagnose(place)
    works = can_build(findings)
    console = current()
    if report is not None:
        from opforge.doctor.bug_report import bug_report  # noqa: PLC0415

        report.write_text(bug_report(place, findings), encoding="utf-8")
        console.note(f"wrote {report}")
    if as_json:
        rows = [{"topic": f.topic, "level": f.level, "text": f.text, "mend": f.mend} for f in findings]
        console.json({"can_build": works, "findings": rows})
        ctx.exit(0 if works else 1)
    for finding in findings:
        if console.quiet and finding.level == "ok":
            continue
        level = click.style(f"{finding.level:8}", fg=_COLOURS[finding.level])
        console.result(f"{level} {finding.topic:12} {finding.text}")
        if finding.mend:
            console.result(f"{'':21} help: {finding.mend}")
    console.note("a build can work here" if works else "a build cannot work here: fix what is missing")
    ctx.exit(0 if works else 1)
