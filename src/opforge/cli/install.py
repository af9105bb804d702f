"""``opforge install``: installs the built run package and wheel into the current Python environment."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.options import chip_option, make_request, project_option, python_option, toolchain_option
from opforge.cli.shared.rules_option import collect_warnings, rules_option, warning_rows
from opforge.progress import step
from opforge.soc import SIMULATED_BY_DEFAULT
from opforge.toolkit.detect import Request


@click.command(short_help="Install into the current Python environment.")
@toolchain_option
@python_option("install into")
@click.option("--prefix", type=click.Path(path_type=Path), help="Folder for vendors/, instead of <environment>/opp.")
@chip_option
@rules_option
@click.option(
    "--activate", is_flag=True, help="Also write a .pth file, so that Python finds the device without activation."
)
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what was installed as JSON.")
def command(
    *,
    toolchain: Request,
    python: Path | None,
    prefix: Path | None,
    soc: str | None,
    rules: str | None,
    activate: bool,
    start: Path,
    as_json: bool,
) -> None:
    """Install the run package and the wheel, and call each op once to check that it works.

    Builds first if something is not up to date.
    """
    from opforge.build.pipeline import build  # noqa: PLC0415
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.install.activation import chip  # noqa: PLC0415
    from opforge.install.installing import install  # noqa: PLC0415

    console = current()
    soc_version = chip(soc)
    request = make_request(start, toolchain, python, None)
    built = build(request)
    where = f"{built.wheel.name} and its run package into {built.env.prefix}"
    warnings = collect_warnings(request.environ, rules)
    with project_lock(request.folder), step(console, "install", where):
        done = install(
            request, built, prefix=prefix, activate=activate, soc_version=soc_version, device=warnings.variables
        )
    if as_json:
        receipt = done.receipt
        console.json(
            {
                "package": receipt.package,
                "version": receipt.version,
                "environment": str(built.env.prefix),
                "vendor_dir": receipt.vendor_dir,
                "content_hash": receipt.content_hash,
                "source": list(done.sources),
                "warnings": warning_rows(warnings),
            }
        )
        return
    lines = [f"  source {shlex.quote(path)}" for path in done.sources]
    if built.toolkit.simulated and done.receipt.soc != SIMULATED_BY_DEFAULT:
        lines.append(f"  export OPFORGE_SOC={done.receipt.soc}")
    sources = "\n".join(lines)
    console.note(
        f"installed {done.receipt.package} {done.receipt.version} into {built.env.prefix}; {done.tried}\n"
        f"use it with `opforge run -- python your_script.py`, or activate a shell with\n{sources}"
    )
