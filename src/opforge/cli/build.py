"""``opforge build``: builds the run package and the wheel if they are not up to date."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Json, current, jsonable_fields
from opforge.cli.shared.elsewhere import on_option, run_elsewhere
from opforge.cli.shared.options import make_request, project_option, python_option, toolchain_option
from opforge.errors import UsageError
from opforge.toolkit.detect import Request

if TYPE_CHECKING:
    from opforge.build.kernel_service import Counts
    from opforge.build.pipeline import Built, BuiltPart
    from opforge.build.request import Executor

EXECUTORS: tuple[Executor, ...] = ("processes", "dask", "submitit")


@click.command(short_help="Build the run package and the wheel.")
@toolchain_option
@python_option("build for")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Number of parallel compilers; default: all cores.")
@click.option(
    "--only", metavar="OP,OP", help="Compile only the kernels of these ops and of their gradients; do not pack."
)
@click.option("--soc", metavar="SOC,SOC", help="Compile only the kernels for these SoCs of the project; do not pack.")
@click.option("--keep-going", is_flag=True, help="After a failure, compile everything else, then show all failures.")
@click.option(
    "--executor", type=click.Choice(EXECUTORS), default="processes", help="Where kernels are compiled; default: here."
)
@click.option("--scheduler", metavar="ADDRESS", help="Of Dask: tcp://HOST:8786. Of submitit: slurm or local.")
@click.option(
    "--kernel-cache",
    type=click.Path(path_type=Path),
    help="A folder in which machines share compiled kernels; default: $OPFORGE_KERNEL_CACHE.",
)
@on_option("Build on this machine, then fetch dist/")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what was built as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    toolchain: Request,
    python: Path | None,
    jobs: int | None,
    only: str | None,
    soc: str | None,
    keep_going: bool,
    executor: Executor,
    scheduler: str | None,
    kernel_cache: Path | None,
    on: str | None,
    start: Path,
    as_json: bool,
) -> None:
    """Bring dist/ up to date: the run package for CANN and the wheel for Python.

    Only what changed is built, and each step says what changed. If nothing changed, no file is touched.

    With --only or --soc, only these kernels are compiled. dist/ stays as it is, because a package without the other
    kernels would not work; the next build uses what is compiled.
    """
    from opforge.build.pipeline import build  # noqa: PLC0415
    from opforge.build.request import Farm  # noqa: PLC0415

    if executor == "processes" and scheduler is not None:
        raise UsageError(
            "--scheduler needs --executor dask or submitit", hint=f"--executor dask --scheduler {scheduler}"
        )
    if on is not None:
        if executor != "processes" or kernel_cache is not None:
            raise UsageError("--on excludes --executor and --kernel-cache", hint="leave one of them out")
        packs = only is None and soc is None
        ctx.exit(run_elsewhere(ctx, on, start, python, None if packs else lambda job: replace(job, whole=())))
    request = make_request(start, toolchain, python, jobs)
    cache = request.farm.cache if kernel_cache is None else kernel_cache.absolute()
    request = replace(request, keep_going=keep_going, farm=Farm(executor, scheduler, cache))
    if only is not None or soc is not None:
        from opforge.build.part import Part  # noqa: PLC0415
        from opforge.build.pipeline import build_part  # noqa: PLC0415

        part = Part(_names("--only", only), _names("--soc", soc))
        _show_part(build_part(request, part), as_json=as_json)
        return
    _show(build(request), as_json=as_json)


def _names(option: str, text: str | None) -> tuple[str, ...]:
    """The names of a comma-separated list. Raises UsageError if it has none: it would mean all."""
    names = tuple(dict.fromkeys(word.strip() for word in (text or "").split(",") if word.strip()))
    if text is not None and not names:
        raise UsageError(f"{option} names nothing", hint=f"{option} A,B; leave it out to build everything")
    return names


def _show(built: Built, *, as_json: bool) -> None:
    console = current()
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
                **_jobs(built.jobs),
            }
        )
    elif built.ran:
        console.note(
            f"built in {built.seconds:.1f} s with the {built.toolkit.kind}:\n"
            f"  {os.path.relpath(built.run_package)}\n  {os.path.relpath(built.wheel)}"
        )
    else:
        console.note("nothing to do: dist/ is up to date")


def _jobs(counts: Counts | None) -> dict[str, Json]:
    """The kernels that were compiled as jobs: none without a farm and a shared cache."""
    return {} if counts is None else {"jobs": jsonable_fields(counts)}


def _show_part(built: BuiltPart, *, as_json: bool) -> None:
    console = current()
    ops, socs = built.kernels.ops, built.kernels.socs
    if as_json:
        console.json(
            {
                "complete": False,
                "ops": list(ops),
                "socs": list(socs),
                "kernels": built.count or None,
                "dist": built.dist,
                "seconds": round(built.seconds, 3),
                **_jobs(built.jobs),
            }
        )
        return
    count = f"{built.count} kernels" if built.count else "the kernels"
    console.note(
        f"compiled {count} of {', '.join(ops)} for {', '.join(socs)} in {built.seconds:.1f} s; nothing was packed\n"
        f"  {built.dist}\n"
        "  `opforge build` compiles the rest and packs; `opforge install` and `opforge test` do that first"
    )
