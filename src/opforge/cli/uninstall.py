"""``opforge uninstall``: removes what install added, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.options import python_option
from opforge.progress import step


@click.command(short_help="Remove what install added.")
@click.argument("package", required=False)
@python_option("remove it from")
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as JSON.")
def command(*, package: str | None, python: Path | None, as_json: bool) -> None:
    """Remove PACKAGE from the current Python environment; the default is the current project's package."""
    from opforge.build.python_env import find_env  # noqa: PLC0415
    from opforge.build.state import State  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.install.uninstalling import uninstall  # noqa: PLC0415

    if package is None:
        from opforge.scaffold.project_root import find_root  # noqa: PLC0415
        from opforge.spec.read.parse import load_spec  # noqa: PLC0415

        package = load_spec(find_root(Path()) / "opforge.yaml").project.package
    environ = dict(os.environ)
    runner = new_runner()
    env = find_env(python, environ, State(), runner)
    console = current()
    with step(console, "uninstall", f"{package} from {env.prefix}"):
        receipt = uninstall(package, env, runner, environ, console)
    if receipt is None:
        if as_json:
            console.json({"package": package, "version": None, "vendor_dir": None, "environment": str(env.prefix)})
        console.note(f"removed the rest of an interrupted installation of {package} from {env.prefix}")
        return
    if as_json:
        removed = {"package": receipt.package, "version": receipt.version, "vendor_dir": receipt.vendor_dir}
        console.json({**removed, "environment": str(env.prefix)})
        return
    console.note(f"removed {receipt.package} {receipt.version} and {receipt.vendor_dir} from {env.prefix}")
