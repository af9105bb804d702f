"""The options for project, toolkit, environment and chip that several commands share, and their build request."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from opforge.cli.shared.console import current

if TYPE_CHECKING:
    from opforge.build.request import BuildRequest
    from opforge.toolkit.detect import Request

_Function = TypeVar("_Function", bound=Callable[..., Any])

TOOLCHAINS: tuple[Request, ...] = ("auto", "simulator", "cann")

toolchain_option = click.option(
    "--toolchain", type=click.Choice(TOOLCHAINS), default="auto", help="auto uses CANN if it is set up."
)
project_option = click.option(
    "--project", "start", type=click.Path(exists=True, path_type=Path), default=".", help="Any folder of the project."
)
chip_option = click.option(
    "--soc", metavar="CHIP", help="The simulated chip: Ascend910B1, or a compute unit such as ascend910b."
)


def python_option(use: str) -> Callable[[_Function], _Function]:
    """The option ``--python``; ``use`` completes its help text."""
    return click.option("--python", type=click.Path(path_type=Path), help=f"Interpreter or environment to {use}.")


def make_request(start: Path, toolchain: Request, python: Path | None, jobs: int | None) -> BuildRequest:
    """The request of one command line, in this process's environment."""
    from opforge.build.request import BuildRequest, Farm, cache_folder  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415

    environ = dict(os.environ)
    return BuildRequest(
        root=find_root(start),
        environ=environ,
        cache=cache_folder(environ),
        toolchain=toolchain,
        python=python,
        jobs=jobs or os.cpu_count() or 2,
        progress=current(),
        runner=new_runner(),
        farm=Farm(cache=Path(shared).absolute() if (shared := environ.get("OPFORGE_KERNEL_CACHE")) else None),
    )
