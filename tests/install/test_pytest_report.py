"""What pytest writes is read back: passed, failed, skipped, and what could not begin."""

import subprocess
import sys
from pathlib import Path

from opforge.install.pytest_report import Failure, Report, read_report

TESTS = """
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2, "the numbers\\ndiffer"
@pytest.mark.skip
def test_waits(): pass
@pytest.fixture
def broken(): raise OSError("no device")
def test_cannot_begin(broken): pass
"""


def run(folder: Path, tests: str) -> Path:
    (folder / "test_it.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=report.xml"]
    subprocess.run(command, cwd=folder, check=False, capture_output=True)
    return folder / "report.xml"


def test_a_run_is_counted(tmp_path: Path) -> None:
    report = read_report(run(tmp_path, TESTS))
    assert (report.passed, report.failed, report.skipped) == (1, 2, 1)
    assert [failure.test for failure in report.failures] == ["test_it::test_fails", "test_it::test_cannot_begin"]
    assert report.failures[0].message == "AssertionError: the numbers"
    assert "no device" in report.failures[1].message
    assert report.seconds > 0


def test_a_file_that_cannot_be_collected_is_a_failure(tmp_path: Path) -> None:
    report = read_report(run(tmp_path, "import no_such_module\n"))
    assert (report.passed, report.failed) == (0, 1)
    assert isinstance(report.failures[0], Failure)


def test_where_pytest_came_to_nothing_the_report_is_empty(tmp_path: Path) -> None:
    assert read_report(tmp_path / "none.xml") == Report(0, 0, 0, 0.0, ())
