"""The simulator's host side, runtime and worker with AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from opforge.toolkit.build_tools import find_cmake, find_ninja
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator_key import SOURCES, simulator_key
from tests.kept import kept

# What CMake calls each, and where it lies in a toolkit.
HOST = {
    **{name: f"lib64/lib{name}.so" for name in ("exe_graph", "register", "tiling_api", "nnopbase", "opapi")},
    "op_build": "tools/opbuild/op_build",
}
DEVICE = {"ascendcl": "lib64/libascendcl.so", "sim_device_worker": "bin/sim_device_worker"}


def put_sanitized(parts: dict[str, str], root: Path) -> None:
    """Puts these parts into a toolkit, in place of its own. They are compiled once for all tests."""
    made = kept("sanitized", [simulator_key(os.environ).digest, HOST, DEVICE], _make)
    for place in parts.values():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).unlink(missing_ok=True)
        shutil.copy2(made / place, root / place)


def _make(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        tools = {"cwd": build, "env": dict(os.environ), "timeout": 900.0}
        ninja = find_ninja(os.environ)
        cmake = [find_cmake(os.environ), "-S", SOURCES, "-B", build, "-G", "Ninja", "-DOPFORGE_SANITIZE=ON"]
        # what is copied finds its neighbours, not those of a folder that is gone
        cmake += [f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"]
        Runner().run(cmake, **tools).require("configuring with sanitizers")
        Runner().run([ninja, "-j2", *HOST, *DEVICE], **tools).require("building with sanitizers")
        for place in (*HOST.values(), *DEVICE.values()):
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            built = next(path for path in build.rglob(Path(place).name) if path.is_file())
            shutil.copy2(built, root / place)
