"""``opforge watch`` as a process: what it does at an edit, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from fake_toolkit import make_fake_toolkit
from test_commands import opforge, running
from workshop import Workshop

pytestmark = pytest.mark.compiler

OF_PYTEST = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup", "tomli")
SECONDS = 60  # at most, for a round


@pytest.fixture
def environ(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The workshop's environment with CANN and pytest."""
    folder = tmp_path_factory.mktemp("of watch")
    cann = make_fake_toolkit(folder / "cann" / "latest")
    (cann / "version.cfg").write_text("Version=9.0.0\n")
    (folder / "packages").mkdir()
    for name in OF_PYTEST:
        found = find_spec(name)
        if found is not None and found.origin is not None:
            here = Path(found.origin)
            target = here.parent if here.name == "__init__.py" else here
            for each in (target, *target.parent.glob(f"{name}-*.dist-info")):
                (folder / "packages" / each.name).symlink_to(each)
    source = Path(__file__).parents[2] / "src"
    return {
        **workshop.with_cann(cann),
        "VIRTUAL_ENV": str(workshop.python.parents[1]),
        "OPFORGE_CACHE": str(workshop.cache),
        "PYTHONPATH": f"{source}:{folder / 'packages'}",
    }


class Watching:
    """A running ``opforge watch`` in a process group of its own."""

    def __init__(self, project: Path, environ: dict[str, str], *words: str) -> None:
        self.project = project
        self.log = project.parent / "watch.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "opforge", "watch", *words],
                cwd=project,
                env=environ,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, text: str, times: int = 1) -> str:
        """The output, as soon as it has ``text`` so often."""
        deadline = time.monotonic() + SECONDS
        while self.log.read_text().count(text) < times:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return self.log.read_text()

    def end(self, number: int) -> tuple[int, str]:
        """The exit status and the output after a signal to the whole group, as a terminal sends Ctrl-C."""
        os.killpg(self.process.pid, number)
        return self.process.wait(20), self.log.read_text()


@pytest.fixture
def watched(project: Path) -> Path:
    """A project with a test."""
    (project / "tests").mkdir()
    (project / "tests" / "test_it.py").write_text("def test_it():\n    import tiny_op\n")
    return project


@pytest.fixture
def watch(watched: Path, environ: dict[str, str]) -> Iterator[Callable[..., Watching]]:
    """Starts the command; afterwards it has ended, and the project is not installed."""
    started: list[Watching] = []

    def start(*words: str) -> Watching:
        started.append(Watching(watched, environ, *words))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            os.killpg(each.process.pid, signal.SIGKILL)
            each.process.wait()
    assert opforge(watched, environ, "uninstall").returncode in (0, 9)


@pytest.mark.slow
def test_each_edit_is_built_installed_and_tested(watched: Path, watch: Callable[..., Watching]) -> None:
    watching = watch("-p", "no:cacheprovider")
    out = watching.wait_for("watching ")
    assert "  install: tiny_op is not in " in out
    assert "1 passed" in out
    kernel = watched / "op_kernel" / "tiny_copy_kernel.h"
    kernel.write_text("BROKEN\n")
    out = watching.wait_for("watching ", 2)
    assert "\nchanged: op_kernel/tiny_copy_kernel.h\n" in out
    assert "error: " in out
    assert out.count("passed") == 1  # the tests of an old build would say nothing
    kernel.write_text("// right again\n")
    out = watching.wait_for("watching ", 3)
    assert out.count("  install: ") == 4  # two installations begin and end
    assert out.count("1 passed") == 2
    (watched / "tests" / "test_other.py").write_text("def test_other():\n    raise ValueError('of the edit')\n")
    out = watching.wait_for("watching ", 4)
    assert "\npytest tests/test_other.py\n" in out
    assert "ValueError: of the edit" in out
    assert out.count("1 failed") == 1
    assert out.count("  install: ") == 4
    code, out = watching.end(signal.SIGINT)
    assert (code, out.splitlines()[-1]) == (130, "interrupted")
    assert "Traceback" not in out[out.index("watching", -100) :]
    assert running(str(watched)) == []


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_it_ends_while_tests_run(
    watched: Path, watch: Callable[..., Watching], number: signal.Signals, code: int
) -> None:
    begun = watched.parent / "begun"
    text = f"def test_it():\n    import pathlib, time\n    pathlib.Path({str(begun)!r}).touch()\n    time.sleep(60)\n"
    (watched / "tests" / "test_it.py").write_text(text)
    watching = watch()
    deadline = time.monotonic() + SECONDS
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert watching.end(number)[0] == code
    assert "watching" not in watching.log.read_text()
    assert running(str(watched)) == []


@pytest.mark.slow
def test_a_report_for_programs_at_each_round(watched: Path, watch: Callable[..., Watching]) -> None:
    watching = watch("--json", "-q")
    out = watching.wait_for("\n}\n")
    found, end = json.JSONDecoder().raw_decode(out)
    assert (found["schema"], found["changed"], found["passed"], found["exit_code"]) == (1, [], 1, 0)
    right = (watched / "opforge.yaml").read_text()
    (watched / "opforge.yaml").write_text("edition: 1\n")
    out = watching.wait_for("\n}\n", 2)
    error, _ = json.JSONDecoder().raw_decode(out[end:].lstrip())
    assert error["error"]["exit_code"] == 3
    watching.end(signal.SIGINT)
    (watched / "opforge.yaml").write_text(right)  # uninstall reads it
