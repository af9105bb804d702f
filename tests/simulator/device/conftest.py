"""A toolkit with the real runtime and worker and a stand-in for the kernel engine, and children that use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulator.sanitized import DEVICE, put_sanitized

HERE = Path(__file__).parent
SIMULATOR = HERE.parents[2] / "src" / "opforge" / "simulator"
INTERFACES = SIMULATOR / "interfaces"

DeviceRun = Callable[..., "subprocess.CompletedProcess[str]"]


def compile_shared(source: Path, output: Path, *options: str) -> Path:
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{INTERFACES}", *options, str(source), "-o"]
    subprocess.run([*command, str(output)], check=True)
    return output


@pytest.fixture(scope="session", params=["plain", pytest.param("sanitized", marks=pytest.mark.slow)])
def device_build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toolkit whose runtime and worker are tested: the one everybody uses, or one with ASan and UBSan."""
    plain: Path = request.getfixturevalue("toolkit_root")
    if request.param == "plain":
        return plain
    root = tmp_path_factory.mktemp("sanitized") / "root"
    shutil.copytree(plain / "data", root / "data")
    put_sanitized(DEVICE, root)
    return root


@pytest.fixture(scope="session")
def double_root(device_build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("toolkit with a space")
    shutil.copytree(device_build / "data", root / "data")
    for place in DEVICE.values():
        (root / place).parent.mkdir()
        shutil.copy2(device_build / place, root / place)
    compile_shared(HERE / "engine_double.cpp", root / "lib64" / "libascendc_sim.so")
    kernels = {"add_one": 0, "stray": 1, "abort": 2, "endless": 3, "exit": 4, "escape": 5}
    for name, number in kernels.items():
        compile_shared(HERE / "kernels.cpp", root / f"{name}.o", f"-DKERNEL={number}")
    compile_shared(HERE / "kernels.cpp", root / "add_two.o", "-DKERNEL=0", "-DSTEP=2.0F")
    return root


@pytest.fixture(scope="session")
def child_env(device_build: Path, toolkit_root: Path, double_root: Path) -> dict[str, str]:
    """The environment of a child that loads the runtime."""
    env = {**os.environ, "ASCEND_HOME_PATH": str(double_root), "PYTHONPATH": str(HERE), "TASK_QUEUE_ENABLE": "0"}
    if device_build != toolkit_root:
        found = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        env["LD_PRELOAD"] = found.stdout.strip()
        # Faults are what the tests look at; leaks of Python are not ours.
        env["ASAN_OPTIONS"] = "handle_segv=0:handle_abort=0:detect_leaks=0:allocator_may_return_null=1"
    return env


@pytest.fixture(scope="session")
def device_run(child_env: dict[str, str]) -> DeviceRun:
    """Runs code in a child after ``from acl_client import *``; ``ROOT`` is the toolkit, kernels are ROOT/<name>.o."""

    def run(code: str, *, timeout: float = 60, **env: str) -> subprocess.CompletedProcess[str]:
        program = "from acl_client import *\n" + textwrap.dedent(code)
        return subprocess.run(
            [sys.executable, "-c", program],
            env={**child_env, **env},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
