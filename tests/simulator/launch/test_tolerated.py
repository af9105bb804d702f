"""What devices let pass in kernels of .asc sources, and where it is refused because a result depends on it."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "asc" / "tolerated.asc"
ROW = 64

pytestmark = pytest.mark.compiler
x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 tells of divisions by zero")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(activation: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The program with these arguments."""
    program = tmp_path_factory.mktemp("tolerated") / "tolerated"

    def ran(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        env = activation | variables
        return subprocess.run(words, env=env, capture_output=True, text=True, timeout=240, check=False)

    built = ran("bisheng", SOURCE, "-o", program, "--npu-arch=dav-2201", "-O2")
    assert built.returncode == 0, built.stderr
    return lambda *words, **variables: ran(program, *words, **variables)


def numbers(done: subprocess.CompletedProcess[str]) -> list[float]:
    return [float(word) for word in done.stdout.split()]


def place(text: str) -> str:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    return f"{SOURCE}:{next(i for i, line in enumerate(lines, 1) if text in line)}"


@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("count", [1, 37, ROW])
def test_padding_may_go_through_a_workspace(run: Run, count: int, rules: str) -> None:
    done = run("padded", count, count, OPFORGE_SIM_RULES=rules)
    assert (done.returncode, done.stderr) == (0, "")
    assert numbers(done) == [*range(count), *[-1] * (ROW - count)]


@pytest.mark.parametrize("rules", ["documented", "device"])
def test_padding_is_no_result(run: Run, rules: str) -> None:
    said = "the value has never been written, stored by DataCopy at"
    done = run("padded", 9, 41, OPFORGE_SIM_RULES=rules)  # 9 to 15 are padding of the copy's, with a value
    assert done.returncode == 1
    assert f"z: bytes 64 to 163: {said} {place('Global(work), row, kRow')}, stored by DataCopyPad at" in done.stderr
    done = run("stored", 9, 0, OPFORGE_SIM_RULES=rules)
    assert done.returncode == 1
    assert f"z: bytes 64 to 255: {said} {place('Global(z), row, kRow')}\n" in done.stderr


@pytest.mark.parametrize("uses", [0, 1])
def test_other_divisions_are_as_ever(run: Run, uses: int) -> None:
    done = run("divided", 10, uses)
    assert (done.returncode, done.stderr) == (0, "")
    assert numbers(done)[0] == (11 if uses else -1)


def test_a_division_by_zero_that_nobody_uses(run: Run) -> None:
    done = run("divided", 0, 0)
    assert (done.returncode, done.stderr) == (0, "")
    assert numbers(done) == [-1] * ROW


@x86
def test_a_division_by_zero_whose_result_is_used(run: Run) -> None:
    done = run("divided", 0, 1)
    assert done.returncode == 1
    said = "the divisor is 0, and the kernel does something else when the result is another one"
    place, _, rule = done.stderr.partition(f": {said}")
    assert re.fullmatch(rf"Divided: {re.escape(str(SOURCE))}:\d+", place)  # of Divide or of a call of it
    assert rule.startswith("\n  rule: an integer is not divided by zero [基础API/调试接口/异常检测/Trap]")


def test_a_destructor_that_waits_hides_no_failure(run: Run) -> None:
    done = run("waiting", 72, 0)
    assert done.returncode == 1
    assert "DataCopy: reads 288 bytes at offset 0 of x, which has 256 bytes (32 too many)" in done.stderr
    assert "SIGABRT" not in done.stderr


def test_the_hosts_divisions_by_zero(run: Run) -> None:
    done = run("host", 7, 3)
    assert (done.returncode, done.stdout) == (0, "0\n3\n")
    if platform.machine() == "x86_64":
        first, second = done.stderr.splitlines()
        said = "opforge simulator: host code divides an integer by zero, and goes on with 0: "
        assert re.fullmatch(re.escape(said) + r"/\S+/tolerated\+0x[0-9a-f]+", first)
        assert second == (
            "  An x86 host ends the program here, unless bisheng has seen the 0 and left the division out."
        )
