"""What every toolkit, real or simulated, is to the rest of opforge: a folder shaped like CANN, and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from opforge.frozen import dataclass

Kind = Literal["simulator", "cann"]


@dataclass(frozen=True)
class Toolkit:
    """A toolkit root and what was learned about it without starting a process.

    ``fingerprint`` changes when anything in the toolkit changes that a build depends on; ``reason`` says why this
    toolkit was taken; ``msopgen`` is how its msOpGen is started, or empty where it has none; ``asc_dir`` is the folder
    that find_package(ASC) needs, or None where the toolkit is older than that.
    """

    kind: Kind
    root: Path
    version: str
    fingerprint: str
    reason: str
    msopgen: tuple[str, ...] = ()
    asc_dir: Path | None = None

    @property
    def simulated(self) -> bool:
        """Whether kernels run on this machine's CPU."""
        return self.kind == "simulator"

    def activation(self, environ: Mapping[str, str], soc_version: str | None = None) -> dict[str, str]:
        """``environ`` with what the toolkit's set_env.sh would export. ``soc_version`` chooses the simulated chip.

        Real CANN's set_env.sh sets much more than we know of; it was sourced, or ASCEND_HOME_PATH would not have led
        here: that environment is left as it is.
        """
        root = str(self.root)
        env = dict(environ)
        env["ASCEND_HOME_PATH"] = root
        if not self.simulated:
            env.setdefault("ASCEND_OPP_PATH", f"{root}/opp")
            return env
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
    """A search path with ``folders`` in front, each once. An empty old part would mean the working directory."""
    return ":".join([*folders, *(part for part in old.split(":") if part and part not in folders)])
