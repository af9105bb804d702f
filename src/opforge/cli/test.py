"""``opforge test``: the project's own tests, with the environment activated."""

from __future__ import annotations

from pathlib import Path

import click

from opforge.cli.build import TOOLCHAINS, make_request
from opforge.cli.run import activate
from opforge.toolkit.detect import Request


@click.command(short_help="Run the project's tests.", context_settings={"ignore_unknown_options": True})
@click.option("--toolchain", type=click.Choice(TOOLCHAINS), default="auto", help="auto takes CANN where it is set up.")
@click.option("--python", type=click.Path(path_type=Path), help="Interpreter or environment to test in.")
@click.option("--soc", metavar="CHIP", help="The simulated chip: Ascend910B1, or a compute unit such as ascend910b.")
@click.option(
    "--project", "start", type=click.Path(exists=True, path_type=Path), default=".", help="A folder of the project."
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    start: Path,
    arguments: tuple[str, ...],
) -> None:
    """Run the tests below tests/ on what is installed; further arguments are pytest's."""
    from opforge.build.installed import require_installed  # noqa: PLC0415
    from opforge.toolkit.process import Runner  # noqa: PLC0415

    request = make_request(start, toolchain, python, None)
    require_installed(request)
    active = activate(toolchain, python, soc)
    ctx.exit(Runner().attach([active.python, "-m", "pytest", *arguments], cwd=request.root, env=active.environ))
