"""The measuring programs as processes: what they are given, and every way they can end."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from documents import (
    BENCH_ROW,
    LEAK_ROW,
    VERIFY_ROW,
    bench_document,
    called,
    leaks_document,
    make_installed,
    replaced,
    verify_document,
    write_program,
)

from opforge.errors import MeasureError, ProjectError, ToolkitError, UsageError
from opforge.measure.bench_results import bench
from opforge.measure.leaks_results import look_for_leaks
from opforge.measure.programs import COUNTERS, InstalledProject
from opforge.measure.verify_results import verify


@pytest.fixture
def installed(tmp_path: Path) -> InstalledProject:
    return make_installed(tmp_path)


def test_the_program_runs_in_the_project_with_the_counters_on(installed: InstalledProject) -> None:
    root = installed.request.root
    old = installed.reports / "launches.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text("of another run")
    write_program(installed, "bench", bench_document())
    report = bench(installed, ["--op", "VectorAdd"])
    assert len(report.rows) == 2
    assert report.device.simulated
    arguments, environ = called(installed, "bench")  # it lies in the folder where the program ran
    assert arguments == ["--json", str(root / "build" / "reports" / "bench.json"), "--op", "VectorAdd"]
    assert environ[COUNTERS] == str(old)
    assert environ["PYTHONPATH"] == str(root / "tests" / "_opforge")
    assert not old.exists()
    assert (root / "build" / "logs" / "bench.log").read_text().startswith("$ ")


def test_a_users_own_file_of_counters_is_taken(tmp_path: Path) -> None:
    installed = make_installed(tmp_path, **{COUNTERS: "mine.jsonl"})
    write_program(installed, "bench", bench_document())
    bench(installed)
    assert called(installed, "bench")[1][COUNTERS] == "mine.jsonl"


def test_words_of_a_program_in_any_locale_go_to_its_log(tmp_path: Path) -> None:
    installed = make_installed(tmp_path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    write_program(installed, "bench", bench_document(), before="print('12 µs')")
    bench(installed)
    assert installed.request.log("bench").read_text(encoding="utf-8").endswith("12 µs\n")


def test_a_project_without_cases(installed: InstalledProject) -> None:
    (installed.request.root / "benchmarks" / "cases.py").unlink()
    with pytest.raises(ProjectError, match=r"a project has no benchmarks/cases\.py") as caught:
        bench(installed)
    assert "restore it from your version control" in (caught.value.hint or "")


def test_opforges_own_programs_run_without_the_rest_of_opforge(installed: InstalledProject) -> None:
    """A folder with opforge.testing alone is on the path, before what was there."""
    cases = installed.request.root / "benchmarks" / "cases.py"
    cases.write_text("TESTING = '>=1.0,<2'\nimport opforge, sys\nsys.exit(f'opforge is in {opforge.__file__}')\n")
    elsewhere = str(installed.request.root / "else")
    environ = {
        **installed.environ,
        "ASCEND_HOME_PATH": "/",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "PYTHONPATH": elsewhere,
    }
    with pytest.raises(MeasureError, match=r"opforge\.testing\.bench: python exited with status 1") as caught:
        bench(replace(installed, environ=environ))
    folder = installed.request.folder / "testing"
    assert f"opforge is in {folder}/opforge/__init__.py" in (caught.value.detail or "")
    packages = {path.relative_to(folder).parts[:2] for path in folder.rglob("*.py")}
    assert packages == {("opforge", "__init__.py"), ("opforge", "testing")}


def test_cases_for_another_interface_are_told_in_one_error(installed: InstalledProject) -> None:
    cases = installed.request.root / "benchmarks" / "cases.py"
    cases.write_text("TESTING = '>=0.1,<0.2'\n")
    with pytest.raises(ProjectError) as caught:
        bench(replace(installed, environ={**installed.environ, "ASCEND_HOME_PATH": "/"}))
    folder = installed.request.folder / "testing" / "opforge" / "testing"
    assert caught.value.render().splitlines() == [
        f"error: benchmarks/cases.py works with opforge.testing >=0.1,<0.2; the version in {folder} is 1.2",
        "  help: type `opforge update`: it changes the file, and keeps your edits",
    ]


def test_refused_arguments_are_a_wrong_command_line(installed: InstalledProject) -> None:
    parse = (
        "import argparse; parser = argparse.ArgumentParser(); parser.add_argument('--json');"
        "parser.add_argument('--op', choices=['VectorAdd']); parser.parse_args()"
    )
    write_program(installed, "bench", None, before=parse)
    with pytest.raises(UsageError, match=r"opforge\.testing\.bench: argument --op: invalid choice: 'Swig'") as caught:
        bench(installed, ["--op", "Swig"])
    assert caught.value.hint == "opforge bench --help"


@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("raise RuntimeError('no such op')", "exited with status 1"),
        ("import os, signal; print('so far'); os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("sys.exit(3)", "exited with status 3"),
    ],
)
def test_a_program_that_breaks_off_is_told_with_its_last_words(
    before: str, how: str, installed: InstalledProject
) -> None:
    write_program(installed, "verify", verify_document(), before=before)
    with pytest.raises(MeasureError, match=r"opforge\.testing\.verify: ") as caught:
        verify(installed)
    assert how in caught.value.what
    assert str(installed.request.log("verify")) in (caught.value.detail or "")
    if "so far" in before:
        assert "so far" in (caught.value.detail or "")


def test_a_report_of_an_earlier_run_is_not_taken_for_this_one(installed: InstalledProject) -> None:
    write_program(installed, "bench", bench_document())
    bench(installed)
    write_program(installed, "bench", None)
    with pytest.raises(MeasureError, match="succeeded but did not write"):
        bench(installed)


def test_an_interpreter_that_is_gone(tmp_path: Path) -> None:
    installed = make_installed(tmp_path)
    write_program(installed, "bench", bench_document())
    with pytest.raises(ToolkitError, match="cannot start"):
        bench(InstalledProject(installed.request, tmp_path / "no python", installed.environ, installed.warnings))


FAILED = {**VERIFY_ROW, "passed": False, "A": {**VERIFY_ROW["A"], "passed": False}}


def test_a_verdict_that_is_bad_is_a_result(installed: InstalledProject) -> None:
    write_program(installed, "verify", verify_document(VERIFY_ROW, FAILED), code=1)
    report = verify(installed)
    assert not report.passed
    assert [row.failed_standards for row in report.rows] == ["", "A"]


@pytest.mark.parametrize(("row", "code"), [(VERIFY_ROW, 1), (FAILED, 0)])
def test_a_verdict_and_an_exit_status_that_contradict_each_other(
    row: dict, code: int, installed: InstalledProject
) -> None:
    write_program(installed, "verify", verify_document(row), code=code)
    with pytest.raises(MeasureError, match="exit status contradicts it"):
        verify(installed)


# The document is written before TASK_QUEUE_ENABLE is known, so the program puts it in.
BY_QUEUE = """
import atexit
queue = os.environ["TASK_QUEUE_ENABLE"]
def mend():
    file = Path(sys.argv[2])
    file.write_text(file.read_text().replace('"task_queue": 9', f'"task_queue": {queue}'))
atexit.register(mend)
"""


def test_leaks_are_looked_for_under_each_task_queue(installed: InstalledProject) -> None:
    write_program(installed, "leaks", leaks_document(9), before=BY_QUEUE)
    report = look_for_leaks(installed, 50)
    assert [row.task_queue for row in report.rows] == [0, 1, 2]
    assert not report.grew
    arguments, environ = called(installed, "leaks")
    assert arguments[2:] == ["--calls=50"]
    assert environ["TASK_QUEUE_ENABLE"] == "2"
    assert sorted(path.name for path in installed.reports.iterdir()) == ["leaks_0.json", "leaks_1.json", "leaks_2.json"]


def test_growth_is_a_result(installed: InstalledProject) -> None:
    grown = {**LEAK_ROW, "grew": True, "why": "aclTensor"}
    write_program(installed, "leaks", leaks_document(9, LEAK_ROW, grown), before=BY_QUEUE, code=1)
    report = look_for_leaks(installed, 50)
    assert report.grew
    assert [row.why for row in report.rows] == ["", "aclTensor"] * 3


def test_growth_without_its_exit_status_is_refused(installed: InstalledProject) -> None:
    write_program(installed, "leaks", leaks_document(9, {**LEAK_ROW, "grew": True}), before=BY_QUEUE)
    with pytest.raises(MeasureError, match="contradict each other"):
        look_for_leaks(installed, 50)


def test_an_edited_program_is_named_with_the_field(installed: InstalledProject) -> None:
    write_program(installed, "bench", replaced(bench_document(BENCH_ROW), "rows.0.custom_us", [1, 2]))
    with pytest.raises(MeasureError, match=r"rows\[0\]: `custom_us` is \[1, 2\], and not an object"):
        bench(installed)


def test_ctrl_c_ends_the_program_too(installed: InstalledProject) -> None:
    """As a process of its own: opforge's runner is interrupted while the program sleeps."""
    sleeper = "Path('pid').write_text(str(os.getpid())); import time; time.sleep(600)"
    write_program(installed, "bench", None, before=sleeper)
    code = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"  # who runs tests in the background has it ignored
        "from documents import make_installed; from opforge.measure.bench_results import bench;"
        "bench(make_installed(Path(sys.argv[2])))"
    )
    here, folder = Path(__file__).parent, installed.request.root.parent
    child = subprocess.Popen(
        [sys.executable, "-c", code, here, folder], stderr=subprocess.PIPE, env={**os.environ}, text=True
    )
    pid = installed.request.root / "pid"
    guard = threading.Timer(600, child.kill)  # a busy machine takes long to start two Pythons
    guard.start()
    while not (pid.is_file() and pid.read_text()) and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=600)
    guard.cancel()
    assert "KeyboardInterrupt" in err
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
    assert not (installed.reports / "bench.json").exists()
