"""A project that pip installs, as a wheel and as an editable installation, without an index."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

SOURCES = str(Path(__file__).parents[2] / "src")  # the environment of these tests does not see opforge, which pip runs
PIP = "python -m pip --no-input install --no-index --no-deps --no-build-isolation"
CODE = (
    "import torch, torch_npu, vector_add; a = torch.ones(1009, device='npu'); "
    "print(vector_add.vector_add(a, a).sum().item(), vector_add.__file__)"
)


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "ein Projekt", symlinks=True))


def test_pip_installs_and_removes_a_project(project: Path, environment: Environment) -> None:
    before = environment.files()
    environment.sh(f"{PIP} .", project, PYTHONPATH=SOURCES)
    ran = environment.sh(f'opforge run -- python -c "{CODE}"', project).stdout
    assert ran.startswith("2018.0 ")
    assert "site-packages" in ran
    environment.sh("python -m pip uninstall --yes vector_add", project)
    assert environment.files() == before


def test_an_editable_installation_follows_the_sources(project: Path, environment: Environment) -> None:
    before = environment.files()
    environment.sh(f"{PIP} --editable .", project, PYTHONPATH=SOURCES)
    ran = environment.sh(f'opforge run -- python -c "{CODE}"', project).stdout
    assert ran.startswith("2018.0 ")
    assert "build/editable" in ran
    with (project / "python" / "vector_add" / "__init__.py").open("a") as module:
        module.write("\nVERSION = 7\n")
    assert (
        environment.sh('opforge run -- python -c "import vector_add as v; print(v.VERSION)"', project).stdout == "7\n"
    )
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    text = kernel.read_text()
    assert text.count("Add(") == 1
    kernel.write_text(text.replace("Add(", "Sub("))
    one = "test_one_tensor_for_all_inputs"
    failed = environment.sh(f"opforge test -x -k {one}", project, check=False)  # builds, and installs nothing
    assert "1 failed" in failed.stdout
    assert "install:" not in failed.stderr
    assert environment.sh(f'opforge run -- python -c "{CODE}"', project).stdout.startswith("0.0 ")
    environment.sh("python -m pip uninstall --yes vector_add", project)
    assert environment.files() == before


def test_pip_s_own_build_environment_is_refused_with_what_to_type(project: Path, environment: Environment) -> None:
    isolated = PIP.replace(" --no-build-isolation", "")
    done = environment.sh(f"{isolated} .", project, check=False)
    assert done.returncode != 0
    assert "this build environment has no opforge" in done.stdout + done.stderr
    assert "then type: pip install . --no-build-isolation" in done.stdout + done.stderr
