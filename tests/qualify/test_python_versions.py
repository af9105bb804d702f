"""Other versions of Python than that of this environment: opforge runs in each, and a project of VectorAdd is tested.

Each takes 7 GB on the disk until it is done. PyTorch is the newest whose torch_npu works beside a CUDA build of torch.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house_rules.repository import ROOT
from tests.kept import CACHE

pytestmark = [pytest.mark.qualify, pytest.mark.npu, pytest.mark.compiler]

Keep = Callable[[str, dict[str, Any]], None]

PYTHONS = ("3.10", "3.12", "3.13")
TORCH = {"torch": "2.10.0", "torch_npu": "2.10.0.post4"}


def interpreter(version: str) -> Path | None:
    """A Python of this version, on PATH or of pyenv."""
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    for program in (*of_pyenv, *([Path(on_path)] if on_path else [])):
        asked = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        if asked.stdout.startswith(f"Python {version}."):
            return program
    return None


def fill(env: Path, python: Path) -> None:
    """Makes an environment of ``python`` with PyTorch and torch_npu."""
    subprocess.run([python, "-m", "venv", env], check=True)
    pip = [env / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"torch=={TORCH['torch']}"], check=True)
    subprocess.run([*pip, "--no-deps", f"torch-npu=={TORCH['torch_npu']}"], check=True)
    subprocess.run([*pip, "numpy", "pyyaml", "pytest", "expecttest", "hypothesis"], check=True)


def thin_path(env: Path, folder: Path) -> dict[str, Any]:
    """Installs opforge into ``env``, and makes, builds, installs and tests a project with it."""
    python = env / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ROOT], check=True)
    own = {"OPFORGE_CACHE": str(CACHE), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "VIRTUAL_ENV": str(env)}
    environ = {**os.environ, **own, "PATH": f"{env / 'bin'}:{os.environ['PATH']}"}
    project = folder / "vector_add"

    def opforge(cwd: Path, *words: str | Path) -> str:
        done = subprocess.run(
            [python, "-m", "opforge", *words], cwd=cwd, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    opforge(folder, "new", "VectorAdd", "--inputs", "x,y", "--path", project)
    opforge(project, "build", "--toolchain", "simulator")
    opforge(project, "install", "--toolchain", "simulator")
    passed = re.search(r"(\d+) passed", opforge(project, "test", "--toolchain", "simulator"))
    assert passed is not None
    return {"python": version, **TORCH, "op": "VectorAdd", "passed": int(passed[1])}


@pytest.mark.parametrize("version", PYTHONS)
def test_a_project_with_another_python(version: str, tmp_path: Path, keep: Keep) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on PATH or below ~/.pyenv/versions")
    env = tmp_path / "env"
    try:
        fill(env, python)
        found = thin_path(env, tmp_path)
    finally:
        shutil.rmtree(env, ignore_errors=True)
    keep(f"python_versions/{version}", found)
