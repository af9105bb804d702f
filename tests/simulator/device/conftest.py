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

HERE = Path(__file__).parent
INTERFACES = HERE.parents[2] / "src" / "opforge" / "simulator" / "interfaces"

DeviceRun = Callable[..., "subprocess.CompletedProcess[str]"]


def compile_shared(source: Path, output: Path, *options: str) -> Path:
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{INTERFACES}", *options, str(source), "-o"]
    subprocess.run([*command, str(output)], check=True)
    return output


@pytest.fixture(scope="session")
def double_root(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("toolkit with a space")
    shutil.copytree(toolkit_root / "data", root / "data")
    for folder, name in (("lib64", "libascendcl.so"), ("bin", "sim_device_worker")):
        (root / folder).mkdir()
        shutil.copy2(toolkit_root / folder / name, root / folder / name)
    compile_shared(HERE / "engine_double.cpp", root / "lib64" / "libascendc_sim.so")
    kernels = {"add_one": 0, "stray": 1, "abort": 2, "endless": 3, "exit": 4}
    for name, number in kernels.items():
        compile_shared(HERE / "kernels.cpp", root / f"{name}.o", f"-DKERNEL={number}")
    compile_shared(HERE / "kernels.cpp", root / "add_two.o", "-DKERNEL=0", "-DSTEP=2.0F")
    return root


@pytest.fixture(scope="session")
def device_run(double_root: Path) -> DeviceRun:
    """Runs code in a child after ``from acl_client import *``; ``ROOT`` is the toolkit, kernels are ROOT/<name>.o."""

    def run(code: str, *, timeout: float = 60, **env: str) -> subprocess.CompletedProcess[str]:
        program = "from acl_client import *\n" + textwrap.dedent(code)
        return subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "ASCEND_HOME_PATH": str(double_root), "PYTHONPATH": str(HERE), **env},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
