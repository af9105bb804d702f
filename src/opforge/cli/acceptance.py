"""``opforge acceptance``: tries ops of the catalog on this machine, and packs one report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.build.request import cache_folder
from opforge.cli.shared.console import current, jsonable, jsonable_fields
from opforge.cli.shared.options import python_option, toolchain_option
from opforge.cli.shared.runners import new_runner

if TYPE_CHECKING:
    from opforge.toolkit.detect import Request


@click.command(short_help="Try the catalog's ops on this machine, from build to bench, and pack one report.")
@click.argument("ops", nargs=-1, metavar="[OP]...")
@toolchain_option
@python_option("install into and test in")
@click.option("--soc", default="ascend910b", help="The compute unit of this machine's NPU; default: ascend910b.")
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    default="acceptance",
    help="Folder for projects, logs and records; a second run goes on there. Default: acceptance.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    default="acceptance.tar.gz",
    help="The file to write; default: acceptance.tar.gz.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what each part did as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    ops: tuple[str, ...],
    toolchain: Request,
    python: Path | None,
    soc: str,
    work: Path,
    report: Path,
    as_json: bool,
) -> None:
    """Try ops of the catalog, or all of it, on this machine: build, install, test, verify, bench.

    Ops are tried several in a project. A part that fails does not end the run; the exit code is then 1. On an NPU, the
    measured times stand beside the simulator's estimates. The report is one file: a page, numbers, the machine, logs.
    """
    from opforge.acceptance.acceptance_report import pack, page  # noqa: PLC0415
    from opforge.acceptance.parts import Place, parts_of, try_part  # noqa: PLC0415
    from opforge.build.python_env import find_env, read_version, require_torch  # noqa: PLC0415
    from opforge.build.state import State  # noqa: PLC0415
    from opforge.build.toolkits import find_toolkit  # noqa: PLC0415
    from opforge.release import __version__  # noqa: PLC0415

    environ, console = dict(os.environ), current()
    runner = new_runner()
    parts = parts_of(ops)
    toolkit = find_toolkit(toolchain, environ, cache_folder(environ), runner, console)
    torch, torch_npu = require_torch(find_env(python, environ, State(), runner))
    made_with = {
        "opforge": __version__,
        "toolkit": f"{toolkit.kind} {toolkit.version}",
        "soc": soc,
        "torch": read_version(torch),
        "torch_npu": read_version(torch_npu),
    }
    work.mkdir(parents=True, exist_ok=True)
    own = (sys.executable, "-m", "opforge")
    place = Place(own, work.absolute(), environ, toolkit.kind, soc, python and python.absolute(), console, runner)
    outcomes = [try_part(part, place, made_with) for part in parts]
    text = page(made_with, outcomes)
    machine = runner.run([*own, "doctor", "--toolchain", toolkit.kind], cwd=work, env=environ)
    pack(report, work, text, outcomes, machine.output)
    tried = sum(len(outcome.ops) for outcome in outcomes)
    passed = sum(len(outcome.ops) for outcome in outcomes if outcome.passed)
    if as_json:
        ran = [{**jsonable_fields(outcome), "passed": outcome.passed} for outcome in outcomes]
        console.json({"report": str(report), "passed": passed, "parts": jsonable(ran)})
    else:
        console.result(f"{passed} of {tried} ops passed every command")
    console.note(f"written: {report}")
    ctx.exit(0 if passed == tried else 1)
