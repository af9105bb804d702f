"""The options that several commands have: which project, toolkit, environment and chip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])

TOOLCHAINS = ("auto", "simulator", "cann")

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
    """``--python``; ``use`` ends its sentence."""
    return click.option("--python", type=click.Path(path_type=Path), help=f"Interpreter or environment to {use}.")
