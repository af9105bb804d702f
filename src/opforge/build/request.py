"""The request of a build: all its external inputs in one value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from opforge.errors import EnvironmentProblem
from opforge.frozen import dataclass
from opforge.progress import Progress, Silent
from opforge.toolkit.detect import Request
from opforge.toolkit.process import Runner

Executor = Literal["processes", "dask", "submitit"]


@dataclass(frozen=True)
class Farm:
    """The place where kernels are compiled, and a folder in which machines share them. ``cache`` None: not shared."""

    executor: Executor = "processes"
    scheduler: str | None = None
    cache: Path | None = None

    @property
    def used(self) -> bool:
        """Whether kernels are compiled as jobs, instead of directly below make."""
        return self.executor != "processes" or self.cache is not None


@dataclass(frozen=True)
class BuildRequest:
    """A project, the environment to build it for, and the toolkit to build it with.

    ``cache`` is the folder that projects share; ``environ`` is the caller's environment; ``jobs`` limits the number of
    parallel compilers; with ``keep_going``, a failing step does not stop the others.
    """

    root: Path
    environ: Mapping[str, str]
    cache: Path
    toolchain: Request = "auto"
    python: Path | None = None
    jobs: int = 2
    progress: Progress = field(default_factory=Silent)
    runner: Runner = field(default_factory=Runner)
    keep_going: bool = False
    farm: Farm = field(default_factory=Farm)

    @property
    def folder(self) -> Path:
        """The folder of all intermediate files."""
        return self.root / "build"

    @property
    def dist(self) -> Path:
        """The folder of the run package and the wheel."""
        return self.root / "dist"

    @property
    def state_file(self) -> Path:
        """The file with keys and stats of finished steps."""
        return self.folder / "state.json"

    @property
    def spec_as_built(self) -> Path:
        """The text of opforge.yaml as the last build read it."""
        return self.folder / "opforge.yaml"

    def log(self, step: str) -> Path:
        """The log of a step's processes."""
        return self.folder / "logs" / f"{step}.log"


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The cache folder, which projects share. Raises EnvironmentProblem if tools would split its path."""
    folder = _cache_folder(environ)
    split = next((character for character in ";:" if character in str(folder)), None)
    if split is not None:
        raise EnvironmentProblem(
            f"the cache {folder} has `{split}` in its path, at which CMake or LD_LIBRARY_PATH splits it",
            hint="export OPFORGE_CACHE=<a folder without it>",
        )
    return folder


def _cache_folder(environ: Mapping[str, str]) -> Path:
    """$OPFORGE_CACHE, else opforge below $XDG_CACHE_HOME, else ~/.cache/opforge.

    Raises EnvironmentProblem if the user has no home folder. /tmp is not used, because files that others write there
    would be executed.
    """
    if environ.get("OPFORGE_CACHE"):
        return Path(environ["OPFORGE_CACHE"]).absolute()
    if Path(environ.get("XDG_CACHE_HOME", "")).is_absolute():  # the XDG specification ignores relative paths
        return Path(environ["XDG_CACHE_HOME"]) / "opforge"
    home = environ.get("HOME") or _home_of_user()
    if home is None:
        raise EnvironmentProblem(
            f"HOME is not set, and user {os.getuid()} has no home folder: opforge has no place for its cache",
            hint="export OPFORGE_CACHE=<a folder that only you may write to>",
        )
    return Path(home).absolute() / ".cache" / "opforge"


def _home_of_user() -> str | None:
    import pwd  # noqa: PLC0415  (HOME is nearly always set)

    try:
        return pwd.getpwuid(os.getuid()).pw_dir or None
    except KeyError:
        return None
