"""An environment into which opforge was just installed: torch_npu is there, and nothing is activated."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PLAIN = "python -c 'import torch; print(torch.ones(2).sum().item())'"
ON_NPU = 'import torch; print(torch.ones(2, device="npu").sum().item())'


def test_plain_torch_works_and_an_activated_toolkit_too(
    environment: Environment, toolkit_root: Path, tmp_path: Path
) -> None:
    refused = environment.sh(PLAIN, tmp_path, check=False)
    assert "Failed to load the backend extension: torch_npu" in refused.stderr

    (site,) = environment.prefix.glob("lib/python3*/site-packages")
    shutil.copy(ROOT / "packaging" / "zzz_opforge_autoload.pth", site)  # as the wheel's
    shutil.copy(ROOT / "src" / "_opforge_autoload.py", site)
    assert environment.sh(PLAIN, tmp_path).stdout == "2.0\n"
    (tmp_path / "on_npu.py").write_text(ON_NPU)
    run = "opforge run -- python on_npu.py"
    assert environment.sh(run, tmp_path).stdout == "2.0\n"
    assert environment.sh(f"source {toolkit_root}/set_env.sh && python on_npu.py", tmp_path).stdout == "2.0\n"
    # started by a program in which the autoload is off, and from a shell that such a program started
    for inner in (run, f"source {toolkit_root}/set_env.sh && python on_npu.py"):
        nested = f'python -c \'import subprocess; subprocess.run(["bash", "-c", "{inner}"], check=True)\''
        assert environment.sh(nested, tmp_path).stdout == "2.0\n"


def test_an_environment_that_install_activates(environment: Environment, built: Path, tmp_path: Path) -> None:
    (site,) = environment.prefix.glob("lib/python3*/site-packages")
    shutil.copy(ROOT / "packaging" / "zzz_opforge_autoload.pth", site)
    shutil.copy(ROOT / "src" / "_opforge_autoload.py", site)
    project = Path(shutil.copytree(built, tmp_path / "vector_add", symlinks=True))
    environment.sh("opforge install --activate", project)
    (tmp_path / "on_npu.py").write_text(ON_NPU)
    assert environment.sh("python on_npu.py", tmp_path).stdout == "2.0\n"
