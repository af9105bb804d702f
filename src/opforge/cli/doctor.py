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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, *, toolchain: Request, python: Path | None, as_json: bool) -> None:
    """Check what a build needs: compiler, CMake, Python, torch, toolkit, cache, environment variables.

    Each line says ok, warning or missing, and how to fix it. The exit code is 0 if a build can work, otherwise 1.
    """
    from opforge.doctor.machine_checks import Place, can_build, diagnose  # noqa: PLC0415

    environ = dict(os.environ)
    findings = diagnose(Place(environ, cache_folder(environ), toolchain, python, runner=new_runner()))
    works = can_build(findings)
    console = current()
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
