"""Kernels that a program launches itself: ascendc_library, and ACLRT_LAUNCH_KERNEL's functions on the device."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opforge.toolkit.build_tools import find_cmake, find_ninja

SOURCES = Path(__file__).parent / "sources"

pytestmark = pytest.mark.compiler

Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(activation: dict[str, str]) -> Run:
    def run_one(command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=activation, capture_output=True, text=True, timeout=120, check=False)

    return run_one


def configure(run: Run, source: Path, build: Path, kind: str) -> subprocess.CompletedProcess[str]:
    cmake, ninja = str(find_cmake({})), str(find_ninja({}))
    options = [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DASCEND_PYTHON_EXECUTABLE={sys.executable}", f"-DKIND={kind}"]
    return run([cmake, "-S", str(source), "-B", str(build), "-G", "Ninja", *options])


@pytest.fixture(scope="module")
def project(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, and their build in a folder below them."""
    folder = tmp_path_factory.mktemp("launches") / "with space"
    shutil.copytree(SOURCES, folder)
    for kind in ("STATIC", "SHARED"):
        done = configure(run, folder, folder / kind, kind)
        assert done.returncode == 0, done.stderr
        done = run([str(find_ninja({})), "-C", str(folder / kind), "-j2"])
        assert done.returncode == 0, done.stdout
    return folder


@pytest.mark.parametrize("kind", ["STATIC", "SHARED"])
@pytest.mark.parametrize("count", [1, 7, 8, 253])
def test_addresses_and_numbers_arrive(project: Path, run: Run, kind: str, count: int) -> None:
    done = run([str(project / kind / "launch"), "scale", str(count), str(count)])
    assert done.returncode == 0, done.stdout
    assert [float(word) for word in done.stdout.split()] == [3.0 * i + 0.5 for i in range(count)]


def test_a_kernel_with_a_workspace_gets_the_users_part(project: Path, run: Run) -> None:
    done = run([str(project / "STATIC" / "launch"), "fold"])
    assert done.stdout == f"{2**40 - 2}\n"


def test_a_kernel_with_tiling_has_the_workspace_before_it(project: Path, run: Run) -> None:
    done = run([str(project / "STATIC" / "launch"), "shift", str(2**24)])
    assert done.stdout == f"{42 + 2**24}\n"
    done = run([str(project / "STATIC" / "launch"), "shift", "64"])
    assert done.returncode == 1
    assert "the workspace has 72 bytes, of which the first 16777216 are the system's" in done.stdout


def test_a_kernel_may_touch_the_allocations_it_was_given(project: Path, run: Run) -> None:
    done = run([str(project / "STATIC" / "launch"), "scale", "9", "7"])
    assert done.returncode == 1
    assert done.stdout.startswith("507035: scale: block 0 of 1: ")
    assert "reads 36 bytes at offset 0 of x, which has 28 bytes (8 too many)" in done.stdout


def test_memory_of_the_host_is_refused(project: Path, run: Run) -> None:
    done = run([str(project / "STATIC" / "launch"), "nowhere"])
    assert done.returncode == 1
    assert done.stdout.startswith("107000: scale: argument x is 0x")
    assert "which is not memory of the current device (aclrtMalloc)" in done.stdout


def test_nothing_is_built_twice_and_a_change_is_seen(project: Path, run: Run) -> None:
    ninja = [str(find_ninja({})), "-C", str(project / "STATIC")]
    assert "no work to do" in run(ninja).stdout
    kernel = project / "scale.cpp"
    kernel.write_text(kernel.read_text().replace("FACTOR)", "FACTOR + 1)"))
    done = run(ninja)
    assert done.returncode == 0, done.stdout
    assert "Compiling kernel scale" in done.stdout
    assert "Compiling kernel fold" not in done.stdout
    assert run([str(project / "STATIC" / "launch"), "scale", "2", "2"]).stdout.split() == ["0.5", "4.5"]


KERNEL = 'extern "C" __global__ __aicore__ void {name}({parameters}) {{}}\n'


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (KERNEL.format(name="a", parameters="GM_ADDR x") + KERNEL.format(name="b", parameters="GM_ADDR x"), "a, b"),
        ("// __global__ __aicore__ void hidden(GM_ADDR x)\n", "found: none"),
        (KERNEL.format(name="empty", parameters=""), "empty has no parameters"),
        (KERNEL.format(name="s", parameters="GM_ADDR x, Tiling tiling"), "parameter Tiling tiling of s"),
    ],
)
def test_what_cannot_be_launched_is_refused(run: Run, tmp_path: Path, source: str, reason: str) -> None:
    shutil.copytree(SOURCES, tmp_path / "project")
    (tmp_path / "project" / "scale.cpp").write_text(source)
    done = configure(run, tmp_path / "project", tmp_path / "build", "STATIC")
    assert done.returncode != 0
    assert reason in " ".join(done.stderr.split())


def test_a_chip_without_a_kernel_api_is_refused(run: Run, tmp_path: Path) -> None:
    shutil.copytree(SOURCES, tmp_path / "project")
    text = (tmp_path / "project" / "CMakeLists.txt").read_text()
    (tmp_path / "project" / "CMakeLists.txt").write_text(text.replace("Ascend910B1", "Ascend310P3"))
    done = configure(run, tmp_path / "project", tmp_path / "build", "STATIC")
    assert done.returncode != 0
    assert "SOC_VERSION 'Ascend310P3' does not support" in done.stderr
