"""The environment that doctor checks, and the lines of its diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Literal

from opforge.build.python_env import PythonEnv, find_env
from opforge.build.state import State
from opforge.frozen import dataclass
from opforge.toolkit import detect
from opforge.toolkit.process import Runner

SECONDS = 20.0

Level = Literal["ok", "warning", "missing"]


@dataclass(frozen=True)
class Finding:
    """One line of the diagnosis. ``missing``: builds do not work without it; ``mend`` is the command or advice."""

    topic: str
    level: Level
    text: str
    mend: str | None = None


@dataclass(frozen=True)
class Place:
    """The environment to check, and the options of a build in it.

    ``top`` is the root of the file system; ``project`` may have a toolkit of its own.
    """

    environ: Mapping[str, str]
    cache: Path
    toolchain: detect.Request = "auto"
    python: Path | None = None
    runner: Runner = field(default_factory=Runner)
    top: Path = Path("/")
    project: Path | None = None

    @cached_property
    def env(self) -> PythonEnv:
        """The Python environment. Raises EnvironmentProblem."""
        return find_env(self.python, self.environ, State(), self.runner)

    def ask(self, *command: str | Path) -> str:
        """The first line of a program's version output. Raises ToolkitError if it does not run."""
        done = self.runner.run(command, cwd=Path("/"), env=self.environ, timeout=SECONDS)
        done.require(f"{command[0]} does not run")
        return next(iter(done.output.splitlines()), "")
