"""``opforge version``: prints installed versions, from package metadata, without imports."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from opforge.cli.shared.console import current
from opforge.release import __version__

PACKAGES = ("torch", "torch-npu", "cmake", "ninja")


@click.command(short_help="Print versions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """Print the versions of opforge, Python, and the packages that opforge uses from its own environment."""
    versions: dict[str, str | None] = {"opforge": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    console = current()
    if as_json:
        console.json(versions)
    else:
        console.result("\n".join(f"{name:10} {found or 'not installed'}" for name, found in versions.items()))
