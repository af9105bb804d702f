"""The toolkit the kernel tests compile with, and the table of the kernel API."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # api_rows, harness and probes are imported by name

from api_rows import ApiFunction, read_table
from harness import LAUNCHED, Kernel
from instances import instances_in, not_run
from matmul_kernels import compiled_cube, compiled_mix
from twins import WANTED


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


@pytest.fixture(scope="module", autouse=True)
def _every_dtype_is_run(request: pytest.FixtureRequest, api_table: tuple[ApiFunction, ...]) -> Iterator[None]:
    """A module that is run as a whole has launched each function of its rows for all their data types."""
    LAUNCHED.clear()
    yield
    session, config = request.session, request.config
    part = config.getoption("keyword") or any("::" in each for each in config.args)
    if part or session.testsfailed or os.environ.get("OPFORGE_KERNEL_TOOLKIT"):
        return
    tests = {item.name.partition("[")[0] for item in session.items if item.path == request.path}
    soc = "ascend310p" if WANTED else "ascend910b"
    ran = {each for path, on in LAUNCHED if on == soc for each in instances_in(path)}
    missing = {}
    for row in api_table:
        file, _, test = row.test.partition("::")
        if file == request.path.name and test in tests and row.status == "simulated" and row.form != "type":
            dtypes = not_run(row, (row.dtypes_310p or ()) if WANTED else row.dtypes, ran)
            if dtypes:
                missing[f"{row.name} ({row.header})"] = dtypes
    assert not missing, (
        f"{request.path.name} launches no kernel of {soc} with these functions and data types: {missing}"
    )
