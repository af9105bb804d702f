"""The compiled toolkit that a platform wheel of opforge has (``hatch_build.py`` puts it there): taken if it fits."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from opforge.errors import ToolkitError
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator_key import STAMP, SimulatorKey

PREBUILT = Path(__file__).parents[1] / "prebuilt"  # only platform wheels have this folder

# Programs of the toolkit, and what they print without arguments once the loader has found everything.
_GREETINGS = {"bin/op_build": "usage: op_build", "bin/sim_device_worker": "sim_device_worker is started by"}
_SECONDS = 60.0


def take_prebuilt(
    key: SimulatorKey, root: Path, *, runner: Runner, environ: Mapping[str, str], tell: Callable[[str], None]
) -> bool:
    """Copies the prebuilt toolkit to the new folder ``root``. Returns False if there is none, or if it does not fit.

    It fits if ``misfit`` says so and if its programs and libraries load here: those of a newer Linux need a newer libc
    or libstdc++. ``tell`` receives the reason why it does not fit.
    """
    if not PREBUILT.is_dir():
        return False
    why = misfit(key)
    if why is None:
        tell("copying the prebuilt simulated toolkit")
        shutil.copytree(PREBUILT, root, ignore=shutil.ignore_patterns("__pycache__"))
        why = _load_failure(root, runner, environ)
    if why is None:
        return True
    shutil.rmtree(root, ignore_errors=True)
    tell(f"the prebuilt simulated toolkit is not used: {why}")
    return False


def misfit(key: SimulatorKey) -> str | None:
    """Why the prebuilt toolkit cannot stand for ``key``; None if it can, provided that it loads.

    The compiler does not matter. The CPU's level must be equal: a toolkit for a higher one crashes, and one for a lower
    one converts float16 slowly and rounds the cube unit's products.
    """
    if not PREBUILT.is_dir():
        return "this opforge has none"
    made = json.loads((PREBUILT / STAMP).read_text(encoding="utf-8"))
    if made["sources"] != key.sources:
        return "the simulator's sources are others"
    if (made["machine"], made["march"]) != (key.machine, key.march):
        return f"it is for {made['march'] or made['machine']}; this CPU is {key.march or key.machine}"
    return None


def is_prebuilt(root: Path) -> bool:
    """Whether the finished toolkit at ``root`` was copied, and not compiled on this machine."""
    return bool(json.loads((root / STAMP).read_text(encoding="utf-8")).get("prebuilt"))


def _load_failure(root: Path, runner: Runner, environ: Mapping[str, str]) -> str | None:
    """The loader's message; None if every library loads in the toolkit's programs and in this Python.

    Programs use the system's libstdc++, and Python may have its own.
    """
    libraries = root / "lib64"
    # Relative paths, because the loader splits the value at spaces.
    env = {**environ, "LD_PRELOAD": ":".join(f"./{path.name}" for path in sorted(libraries.glob("*.so")))}
    commands = [([str(root / name)], text) for name, text in _GREETINGS.items()]
    for command, text in (*commands, ([sys.executable, "-I", "-S", "-c", "print('loaded')"], "loaded")):
        try:
            done = runner.run(command, cwd=libraries, env=env, timeout=_SECONDS)
        except ToolkitError as error:  # its loader is missing, or the file has lost its mode
            return str(error)
        if text not in done.output or "LD_PRELOAD" in done.output:
            line = next(iter(done.output.splitlines()), f"{command[0]} ended with status {done.code}")
            return line.replace(f"{root}/", "")
    return None
