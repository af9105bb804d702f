"""The generated C++ caller of the two-phase API, against the installed package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.compiler, pytest.mark.npu]


def test_the_caller_adds(environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    environment.sh("opforge install", project)
    build = "cmake -S aclnn -B build/aclnn && cmake --build build/aclnn"
    environment.sh(f"opforge run -- bash -c '{build}'", project)
    done = environment.sh("opforge run -- build/aclnn/call_vector_add", project)
    assert done.stdout.splitlines() == [
        "x = 1 1.25 1.5 1.75 2 2.25 2.5 2.75 3 3.25",
        "y = 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4 4.25",
        "z = 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5",
    ]


def test_the_caller_says_what_is_missing(environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    done = environment.sh("cmake -S aclnn -B build/aclnn", project, check=False)
    assert done.returncode != 0
    assert "ASCEND_HOME_PATH is not set: source the toolkit's set_env.sh" in done.stderr
    done = environment.sh("opforge run -- cmake -S aclnn -B build/aclnn", project, check=False)
    assert done.returncode != 0
    assert "no package in ASCEND_CUSTOM_OPP_PATH has aclnn_vector_add.h" in done.stderr
