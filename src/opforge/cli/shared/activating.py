"""Activates the environment of a command: its interpreter, and variables through which it finds device and ops."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.build.request import cache_folder
from opforge.cli.shared.console import current
from opforge.frozen import dataclass
from opforge.toolkit.detect import Request

HERE = Path()

if TYPE_CHECKING:
    from opforge.build.python_env import PythonEnv
    from opforge.toolkit.process import Runner
    from opforge.toolkit.protocol import Toolkit


@dataclass(frozen=True)
class Activated:
    """An environment's interpreter, and variables through which it finds the device and the ops."""

    python: Path
    environ: Mapping[str, str]


def activate(toolchain: Request, python: Path | None, soc: str | None, start: Path = HERE) -> Activated:
    """Finds toolkit and environment, builds missing parts of the simulator, and sets the variables.

    If ``start`` is in a project, this is the toolkit that the project's builds take. ``soc`` is a chip or a compute
    unit. Raises UsageError for another name.
    """
    from opforge.build.python_env import find_env  # noqa: PLC0415
    from opforge.build.state import State  # noqa: PLC0415
    from opforge.build.toolkits import find_toolkit  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.install.activation import chip  # noqa: PLC0415
    from opforge.scaffold.project_root import find_project  # noqa: PLC0415

    environ = dict(os.environ)
    runner, console = new_runner(), current()
    soc_version = chip(soc)
    env = find_env(python, environ, State(), runner)
    toolkit = find_toolkit(toolchain, environ, cache_folder(environ), runner, console, project=find_project(start))
    return activate_for(toolkit, env, environ, runner, soc_version)


def activate_for(
    toolkit: Toolkit, env: PythonEnv, environ: Mapping[str, str], runner: Runner, soc_version: str | None
) -> Activated:
    """Activates an environment for a toolkit and a chip."""
    from opforge.install.activation import activated, prepare  # noqa: PLC0415

    prepare(toolkit, env, environ, runner, current())
    return Activated(env.executable, activated(toolkit, env, environ, soc_version))
