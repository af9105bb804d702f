"""Failed tests of kernels: the device's report comes first, and once per line of a kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.install.pytest_report import read_report

CONFTEST = """
from opforge.testing.failures import KernelFailures

def pytest_configure(config):
    config.pluginmanager.register(KernelFailures())
"""
SAID = """\
VectorAdd: block 0 of 48: op_kernel/vector_add_kernel.h:80: Add: src1 needs {} bytes
  rule: an operand lies inside its tensor
  in: VectorAddKernel::Compute() (op_kernel/vector_add_kernel.h:80)"""
# As torch_npu's message is if the call waits for the kernel, and if the kernel runs later.
AT_ONCE = """\
vector_add.vector_add: aclnnVectorAdd failed: OPS function error: aclnnVectorAdd, error code is 507035
[ERROR] 2026-11-24-11:47:25 (PID:2906, Device:0, RankID:-1) ERR01100 OPS call acl api failed
[Error]: The vector core execution is abnormal.
        Rectify the fault based on the error information in the ascend log.
"""
LATER = """\
vector_add.vector_add: aclnnVectorAdd failed: The Inner error is reported as above.
Since the operator is called asynchronously, the stacktrace may be inaccurate.
[ERROR] 2026-11-24-11:47:28 (PID:2969, Device:0, RankID:-1) ERR00100 PTA call acl api failed.
"""
TESTS = """
import pytest

SAID = {message!r} + {said!r}

def call(message):
    raise RuntimeError(message)

@pytest.mark.parametrize("size", [100, 200])
def test_kernel(size):
    call(SAID.format(size))

def test_other():
    call("[ERROR] of nothing in particular")

def test_wrong():
    assert 1 + 1 == 3, "not close"
"""


def run(folder: Path, message: str, *words: str, ci: bool = False) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TESTS.format(message=message, said=SAID))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    outside = {name: text for name, text in os.environ.items() if name not in {"CI", "BUILD_NUMBER"}}
    environ = {**outside, "CI": "true"} if ci else outside  # pytest then prints whole messages in its summary
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stdout


def body(section: str) -> list[str]:
    """The lines of a failure, without xdist's line with the worker."""
    return [line for line in section.splitlines()[1:] if not line.startswith("[gw0]")]


@pytest.mark.parametrize("message", [AT_ONCE, LATER])
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_the_report_is_first_and_whole_once(message: str, workers: tuple[str, ...], tmp_path: Path) -> None:
    out = run(tmp_path, message, "-k", "kernel", *workers)
    first, second = out[out.index(" test_kernel[100] ___") :].split(" test_kernel[200] ___")
    said = SAID.format(100)
    assert body(first)[:3] == said.splitlines()
    assert first.count("src1 needs") == 1  # the traceback does not repeat it
    called = first[first.index("where the test called it:\n") :]
    assert "test_it.py:11: in test_kernel\n" in called
    assert "test_it.py:7: in call\n" in called
    assert f"E   RuntimeError: {message.splitlines()[0]}\n" in called
    assert "pluggy" not in called
    head = SAID.format(200).splitlines()[0]
    known = "  an earlier failure at this line shows the rule and the calls"
    assert body(second)[:3] == [head, known, ""]
    assert "rule: " not in second
    assert "test_kernel[100] - op_kernel/vector_add_kernel.h:80" in out


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_the_summary_of_continuous_integration_has_one_line_for_each_test(
    workers: tuple[str, ...], tmp_path: Path
) -> None:
    out = run(tmp_path, AT_ONCE, "-k", "kernel", *workers, ci=True)
    summary = out[out.index(" short test summary info ") :].splitlines()[1:]
    assert summary[:2] == [
        f"FAILED test_it.py::test_kernel[{size}] - op_kernel/vector_add_kernel.h:80: Add: src1 needs {size} bytes"
        for size in (100, 200)
    ]
    assert len(summary) == 3  # the last line has the counts


def test_reports_for_programs_name_the_place(tmp_path: Path) -> None:
    run(tmp_path, AT_ONCE, "--junitxml=report.xml")
    assert [failure.message for failure in read_report(tmp_path / "report.xml").failures] == [
        "op_kernel/vector_add_kernel.h:80: Add: src1 needs 100 bytes",
        "op_kernel/vector_add_kernel.h:80: Add: src1 needs 200 bytes",
        "RuntimeError: [ERROR] of nothing in particular",
        "AssertionError: not close",
    ]


def test_other_failures_are_pytests_own(tmp_path: Path) -> None:
    out = run(tmp_path, AT_ONCE, "-k", "other or wrong")
    assert "where the test called it" not in out
    assert "E       RuntimeError: [ERROR] of nothing in particular\n" in out
    assert "E       AssertionError: not close\n" in out


@pytest.mark.torch
def test_an_assertion_of_opforge_testing_shows_the_test_and_the_reason(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(
        "import torch\n"
        "from opforge.testing.checks.closeness import assert_close\n\n"
        "def test_it():\n    assert_close(torch.ones(3), torch.zeros(3), 'it')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environ = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    out, long = (
        subprocess.run(
            [*command, *words], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        ).stdout
        for words in ((), ("--tb=long",))
    )
    section = out[out.index(" test_it ___") :].splitlines()
    assert section[1:3] == ["test_it.py:5: in test_it", "    assert_close(torch.ones(3), torch.zeros(3), 'it')"]
    reason = next(line for line in section if line.startswith("E  "))
    assert reason.startswith("E   AssertionError: it (torch.float32, shape [3]): 3 of 3 elements are off")
    assert len(section) < 9
    assert "def test_it():\n" in long
