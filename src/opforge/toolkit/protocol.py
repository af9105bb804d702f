"""The interface of every toolkit, real or simulated: a folder laid out like CANN, and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from opforge.frozen import dataclass

Kind = Literal["simulator", "cann"]


# The generations of a toolkit's CMake functions.
CUSTOMIZE = 8  # a project template, whose functions are copied into each project
FIND_PACKAGE = 9  # the package ASC


def generation(asc_dir: Path | None, customize: Path | None) -> int | None:
    """The generation of a toolkit with these folders: the newer one if it has both, None if it has neither."""
    if asc_dir is not None:
        return FIND_PACKAGE
    return CUSTOMIZE if customize is not None else None


@dataclass(frozen=True)
class Toolkit:
    """A toolkit's root and the properties that are known without starting a process.

    ``fingerprint`` changes with everything in the toolkit that a build depends on. ``reason`` says why this toolkit was
    chosen. ``msopgen`` is the command of its msOpGen, or empty. ``asc_dir`` is the folder for find_package(ASC); an
    older toolkit, of generation 8, has ``customize`` instead: the folder of a project template with CMake functions.
    """

    kind: Kind
    root: Path
    version: str
    fingerprint: str
    reason: str
    msopgen: tuple[str, ...] = ()
    asc_dir: Path | None = None
    customize: Path | None = None

    @property
    def generation(self) -> int:
        """The generation of the CMake functions."""
        return generation(self.asc_dir, self.customize) or FIND_PACKAGE

    @property
    def simulated(self) -> bool:
        """Whether kernels run on this machine's CPU."""
        return self.kind == "simulator"

    def activation(self, environ: Mapping[str, str], soc_version: str | None = None) -> dict[str, str]:
        """``environ`` with the variables that the toolkit's set_env.sh exports. ``soc_version``: the simulated chip.

        For real CANN the environment is unchanged if ASCEND_HOME_PATH is its root: its set_env.sh was sourced, and it
        sets more than opforge knows. Otherwise the script is sourced in a child.
        """
        root = str(self.root)
        if not self.simulated:
            from opforge.toolkit.set_env import with_cann  # noqa: PLC0415  (not needed with the simulator)

            return {"ASCEND_OPP_PATH": f"{root}/opp", **with_cann(self.root, environ)}
        env = dict(environ)
        env["ASCEND_HOME_PATH"] = root
        env["ASCEND_TOOLKIT_HOME"] = root
        env["ASCEND_OPP_PATH"] = f"{root}/opp"
        env["PATH"] = _first([f"{root}/bin"], env.get("PATH", ""))
        env["LD_LIBRARY_PATH"] = _first([f"{root}/lib64"], env.get("LD_LIBRARY_PATH", ""))
        env["CMAKE_PREFIX_PATH"] = _first([f"{root}/lib64/cmake"], env.get("CMAKE_PREFIX_PATH", ""))
        env.setdefault("TASK_QUEUE_ENABLE", "0")
        if soc_version is not None:
            env["OPFORGE_SOC"] = soc_version
        return env


def _first(folders: list[str], old: str) -> str:
    """A search path with ``folders`` in front, without duplicates or empty parts (the working directory)."""
    return ":".join([*folders, *(part for part in old.split(":") if part and part not in folders)])
