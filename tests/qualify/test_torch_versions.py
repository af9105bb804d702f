"""Other versions of PyTorch and torch_npu than that of this environment: a project is built and tested with each.

Each is downloaded: 3 GB, 7 GB on the disk. PyPI has only CUDA builds of torch for x86_64. torch_npu up to 2.10.0.post4
works beside one; for later versions the project is compiled against torch's headers, and not run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kept import CACHE

pytestmark = [pytest.mark.qualify, pytest.mark.npu, pytest.mark.compiler]

Keep = Callable[[str, dict[str, Any]], None]

OPS = ("VectorAdd", "SwiGLU", "PlainMatmul", "RMSNorm", "Softmax", "CrossEntropy", "AdamWStep")
RUN = {"2.8.0": "2.8.0.post5", "2.9.0": "2.9.0.post9", "2.10.0": "2.10.0.post4"}
# Tests that end Python there: torch.save's older format takes the NPU's storage for one of torch_npu.
LEFT_OUT = {"2.10.0": "test_module"}
COMPILED = {"2.11.0": "2.11.0.post3", "2.12.0": "2.12.0.post3", "2.14.0": "2.14.0"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of all kinds of kernels, built for this environment: other ones compile the adapter alone."""
    root = tmp_path_factory.mktemp("versions") / "versions"
    opforge(root.parent, "new", OPS[0], "--inputs", "x,y", "--path", root, "--package", "versions")
    for op in OPS[1:]:
        opforge(root, "add", op)
    opforge(root, "build", "--toolchain", "simulator")
    return root


def opforge(cwd: Path, *words: str | Path) -> str:
    """Runs opforge and returns what it prints."""
    environ = {**os.environ, "OPFORGE_CACHE": str(CACHE), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "opforge", *words], cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("torch", [*RUN, *COMPILED])
def test_a_project_with_another_pytorch(torch: str, project: Path, tmp_path: Path, keep: Keep) -> None:
    torch_npu = {**RUN, **COMPILED}[torch]
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", env], check=True)
    pip = [env / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        whole = [] if torch in RUN else ["--no-deps"]
        subprocess.run([*pip, *whole, f"torch=={torch}"], check=True)
        subprocess.run([*pip, "--no-deps", f"torch-npu=={torch_npu}"], check=True)
        found: dict[str, Any] = {"torch": torch, "torch_npu": torch_npu, "ops": len(OPS)}
        if torch in RUN:
            subprocess.run([*pip, "numpy", "pyyaml", "pytest", "expecttest", "hypothesis"], check=True)
        else:
            pretend_cpu(env)
        opforge(project, "build", "--toolchain", "simulator", "--python", env)
        if torch in RUN:
            opforge(project, "install", "--toolchain", "simulator", "--python", env)
            chosen = ("-k", f"not {LEFT_OUT[torch]}") if torch in LEFT_OUT else ()
            printed = opforge(project, "test", "--toolchain", "simulator", "--python", env, *chosen)
            passed = re.search(r"(\d+) passed", printed)
            assert passed is not None
            found |= {"passed": int(passed[1]), "left_out": LEFT_OUT.get(torch)}
            check_one_wheel(project, env, tmp_path)
    finally:
        shutil.rmtree(env)
    keep(f"torch_versions/{torch}", found)


def check_one_wheel(project: Path, env: Path, folder: Path) -> None:
    """One wheel for this environment and ``env``; its ops run in ``env``."""
    opforge(project, "uninstall", "--python", env)
    opforge(project, "export", "wheel", folder / "wheels", "--toolchain", "simulator", "--also", env)
    (wheel,) = (folder / "wheels").iterdir()
    subprocess.run([env / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", wheel], check=True)
    (script,) = env.glob("lib/python3.*/site-packages/versions/set_env.sh")
    code = "import torch, torch_npu, versions; x = torch.ones(5).npu(); print(versions.vector_add(x, x).sum().item())"
    line = f'. "{script}" && python -c "{code}"'
    printed = opforge(folder, "run", "--toolchain", "simulator", "--python", env, "--", "bash", "-c", line)
    assert printed.split()[-1] == "10.0"


def pretend_cpu(env: Path) -> None:
    """Lets a CUDA build, whose headers are those of any build, pass for one of the CPU."""
    (version,) = env.glob("lib/python3.*/site-packages/torch/version.py")
    text = re.sub(r"\+cu\d+", "+cpu", version.read_text(encoding="utf-8"))
    version.write_text(text, encoding="utf-8")
