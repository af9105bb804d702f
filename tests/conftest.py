"""Fixtures that more than one folder of tests uses."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `from tests.x import`, however pytest was started

from opforge.build.request import cache_folder
from opforge.errors import EnvironmentProblem, ToolkitError
from opforge.toolkit.aten_library import ensure_aten
from opforge.toolkit.process import Runner
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.simulator import ensure_simulator
from opforge.toolkit.simulator_key import STAMP, simulator_key
from tests.kept import CACHE

pytest_plugins = ["tests.begin_by", "tests.file_order", "tests.portion", "tests.processor_time"]

# The tests' own process has no simulated device; `import torch` must not look for one (docs/internals.md, Traps).
os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")

RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden``: write what tests would compare with, and look at the difference in git."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing")
    parser.addoption("--corpus", action="append", default=[], metavar="OP", help="only these operators of tests/corpus")


def pytest_configure() -> None:
    """Take the toolkit of the user's cache, if `make demo` or a build has made one, instead of compiling it again."""
    with contextlib.suppress(EnvironmentProblem, ToolkitError, FileExistsError):
        digest = simulator_key(os.environ, notes=CACHE / "sources").digest
        mine, theirs = (cache / "toolkit" / digest for cache in (CACHE, cache_folder(os.environ)))
        if mine.is_symlink() and not mine.exists():
            mine.unlink()
        if not mine.exists() and (theirs / STAMP).is_file():
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.symlink_to(theirs)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """``golden(name, text)`` compares with ``golden/<name>`` beside the test; see ``--update-golden``."""
    folder = request.path.parent / "golden"
    update = bool(request.config.getoption("--update-golden"))

    def check(name: str, text: str) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"no golden {path}: make it with --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def toolkit_root() -> Path:
    """The simulated toolkit, built from the working tree's sources."""
    return ensure_simulator(CACHE, runner=Runner(), environ=os.environ, progress=lambda _: None)


@pytest.fixture(scope="session")
def activation(toolkit_root: Path) -> dict[str, str]:
    """The environment variables under which a new process sees the simulated device."""
    ensure_aten(toolkit_root, Path(sys.executable), runner=Runner(), environ=os.environ, progress=lambda _: None)
    toolkit = Toolkit("simulator", toolkit_root, "test", "test", "tests")
    hidden = {"TORCH_DEVICE_BACKEND_AUTOLOAD", "TASK_QUEUE_ENABLE", "ASCEND_CUSTOM_OPP_PATH", "OPFORGE_SOC"}
    return toolkit.activation({k: v for k, v in os.environ.items() if k not in hidden})


@pytest.fixture(scope="session")
def npu_run(activation: dict[str, str]) -> RunPython:
    """Runs Python code in a child that has the simulated device: ``npu_run(code, OPFORGE_SIM_DEVICES="2")``.

    A child costs about two seconds, most of it the import of torch: put several checks into one.
    """

    def run(code: str, *, check: bool = True, timeout: float = 120, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**activation, **env},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run
