"""A newcomer's machine: an empty folder, a Python environment of its own, and a shell."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kept import CACHE

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees the packages of this one, and shell commands run in it."""

    prefix: Path

    def sh(self, command: str, cwd: Path, *, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one command line as in an activated shell."""
        hidden = ("ASCEND", "OPFORGE", "LD_LIBRARY", "PYTEST", "TORCH_DEVICE", "PYTHONPATH", "TASK_QUEUE")
        environ = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        environ |= {
            "VIRTUAL_ENV": str(self.prefix),
            "PATH": f"{self.prefix / 'bin'}:{Path(sys.executable).parent}:{environ['PATH']}",
            "OPFORGE_CACHE": str(CACHE),
            **variables,
        }
        done = subprocess.run(
            ["bash", "-c", command], cwd=cwd, env=environ, capture_output=True, text=True, timeout=900, check=False
        )
        if check:
            assert done.returncode == 0, f"$ {command}\n{done.stdout}\n{done.stderr}\nexit status {done.returncode}"
        return done

    def passes_as_on_devices(self, project: Path, options: str = "") -> str:
        """What a project's own tests print, judged as on a device: they pass, and nothing is warned of."""
        told = project / "build" / "warnings.jsonl"
        tested = self.sh(f"opforge test -x --rules=device {options}", project, OPFORGE_SIM_WARNINGS=str(told))
        assert not told.exists() or told.read_text(encoding="utf-8") == ""
        assert "warnings of the simulated device" not in tested.stderr
        return tested.stdout

    def files(self) -> set[str]:
        """Every file of the environment, but what Python compiled."""
        found = (path.relative_to(self.prefix) for path in self.prefix.rglob("*"))
        return {str(path) for path in found if "__pycache__" not in path.parts}


def make_environment(prefix: Path) -> Environment:
    """An empty environment over this one: what is installed into it is seen by nobody else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    purelib = sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)})
    (Path(purelib) / "overlay.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Environment(prefix)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return make_environment(tmp_path / "env with space")


@pytest.fixture(scope="session")
def built(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """VectorAdd, made and built once in an empty folder outside of any repository."""
    assert toolkit_root.is_relative_to(CACHE)
    folder = tmp_path_factory.mktemp("newcomer")
    environment = make_environment(folder / "env")
    environment.sh("opforge new VectorAdd --inputs x,y && cd vector_add && opforge build", folder)
    return folder / "vector_add"
