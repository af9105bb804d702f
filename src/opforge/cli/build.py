"""``opforge build``: builds the run package and the wheel if they are not up to date."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.options import make_request, project_option, python_option, toolchain_option
from opforge.toolkit.detect import Request


@click.command(short_help="Build the run package and the wheel.")
@toolchain_option
@python_option("build for")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Number of parallel compilers; default: all cores.")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what was built as JSON.")
def command(*, toolchain: Request, python: Path | None, jobs: int | None, start: Path, as_json: bool) -> None:
    """Bring dist/ up to date: the run package for CANN and the wheel for Python.

    Only what changed is built, and each step says what changed. If nothing changed, no file is touched.
    """
    from opforge.build.pipeline import build  # noqa: PLC0415

    console = current()
    request = make_request(start, toolchain, python, jobs)
    built = build(request)
    if as_json:
        console.json(
            {
                "run_package": str(built.run_package),
                "wheel": str(built.wheel),
                "toolkit": {
                    "kind": built.toolkit.kind,
                    "version": built.toolkit.version,
                    "reason": built.toolkit.reason,
                },
                "steps": list(built.ran),
                "seconds": round(built.seconds, 3),
            }
        )
    elif built.ran:
        console.note(
            f"built in {built.seconds:.1f} s with the {built.toolkit.kind}:\n"
            f"  {os.path.relpath(built.run_package)}\n  {os.path.relpath(built.wheel)}"
        )
    else:
        console.note("nothing to do: dist/ is up to date")
