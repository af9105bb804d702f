"""The toolkit the kernel tests compile with, and the table of the kernel API."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # api_rows, harness and probes are imported by name

from api_rows import ApiFunction, read_table
from harness import Kernel
from matmul_kernels import compiled_cube, compiled_mix


@pytest.fixture(scope="session")
def root(request: pytest.FixtureRequest) -> Path:
    """The toolkit under test: the one all tests share, or the one a sanitizer run names."""
    named = os.environ.get("OPFORGE_KERNEL_TOOLKIT")
    return Path(named) if named else request.getfixturevalue("toolkit_root")


@pytest.fixture(scope="session")
def api_table() -> tuple[ApiFunction, ...]:
    return read_table()


@pytest.fixture(scope="session")
def mix(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    """sources/matmul_mix.cpp by the C++ name of its data type."""
    return compiled_mix(root, tmp_path_factory.mktemp("mix"))


@pytest.fixture(scope="session")
def cube(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    """sources/matmul_cube.cpp."""
    return compiled_cube(root, tmp_path_factory.mktemp("cube"))
