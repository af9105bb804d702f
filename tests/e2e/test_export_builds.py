"""A project of `opforge export cann` is built with the simulated toolkit by its build.sh, without opforge."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.slow]


def test_the_exported_project_has_the_kernels_of_the_project(
    built: Path, toolkit_root: Path, environment: Environment, tmp_path: Path
) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project, symlinks=True)
    environment.sh(f"opforge export cann {tmp_path / 'alone'} --generation 9", project)
    environment.sh(f". {toolkit_root}/set_env.sh && ./build.sh", tmp_path / "alone")
    (package,) = (tmp_path / "alone/build_out").glob("custom_opp_*.run")
    environment.sh(f". {toolkit_root}/set_env.sh && bash {package} --quiet --install-path={tmp_path}/opp", tmp_path)

    def kernels(folder: Path) -> set[str]:
        return {path.name for path in folder.rglob("VectorAdd_*.o")}

    assert kernels(tmp_path / "opp")
    assert kernels(tmp_path / "opp") == kernels(built / "build/vendor")
