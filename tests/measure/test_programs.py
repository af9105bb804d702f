"""A project's measuring programs as processes: what they are given, and every way they can end."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from documents import (
    BENCH_ROW,
    LEAK_ROW,
    VERIFY_ROW,
    bench_document,
    called,
    leaks_document,
    make_ground,
    replaced,
    verify_document,
    write_program,
)

from opforge.errors import MeasureError, ProjectError, ToolkitError, UsageError
from opforge.measure.bench import bench
from opforge.measure.leaks import look_for_leaks
from opforge.measure.programs import COUNTERS, Ground
from opforge.measure.verify import verify


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return make_ground(tmp_path)


def test_the_program_runs_in_the_project_with_the_counters_on(ground: Ground) -> None:
    root = ground.request.root
    old = ground.reports / "launches.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text("of another run")
    write_program(ground, "bench", bench_document())
    report = bench(ground, ["--op", "VectorAdd"])
    assert len(report.rows) == 2
    assert report.facts.simulated
    arguments, environ = called(ground, "bench")  # it lies in the folder where the program ran
    assert arguments == ["--json", str(root / "build" / "reports" / "bench.json"), "--op", "VectorAdd"]
    assert environ[COUNTERS] == str(old)
    assert not old.exists()
    assert (root / "build" / "logs" / "bench.log").read_text().startswith("$ ")


def test_a_users_own_file_of_counters_is_taken(tmp_path: Path) -> None:
    ground = make_ground(tmp_path, **{COUNTERS: "mine.jsonl"})
    write_program(ground, "bench", bench_document())
    bench(ground)
    assert called(ground, "bench")[1][COUNTERS] == "mine.jsonl"


def test_words_of_a_program_in_any_locale_go_to_its_log(tmp_path: Path) -> None:
    ground = make_ground(tmp_path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    write_program(ground, "bench", bench_document(), before="print('12 µs')")
    bench(ground)
    assert ground.request.log("bench").read_text(encoding="utf-8").endswith("12 µs\n")


def test_a_project_without_the_program(ground: Ground) -> None:
    with pytest.raises(ProjectError, match=r"a project has no benchmarks/bench\.py") as caught:
        bench(ground)
    assert "`opforge update`" in (caught.value.hint or "")


def test_refused_arguments_are_a_wrong_command_line(ground: Ground) -> None:
    parse = (
        "import argparse; parser = argparse.ArgumentParser(); parser.add_argument('--json');"
        "parser.add_argument('--op', choices=['VectorAdd']); parser.parse_args()"
    )
    write_program(ground, "bench", None, before=parse)
    with pytest.raises(UsageError, match=r"benchmarks/bench.py: argument --op: invalid choice: 'Swig'") as caught:
        bench(ground, ["--op", "Swig"])
    assert caught.value.hint == "opforge bench --help"


@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("raise RuntimeError('no such op')", "exited with status 1"),
        ("import os, signal; print('so far'); os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("sys.exit(3)", "exited with status 3"),
    ],
)
def test_a_program_that_breaks_off_is_told_with_its_last_words(before: str, how: str, ground: Ground) -> None:
    write_program(ground, "verify", verify_document(), before=before)
    with pytest.raises(MeasureError, match=r"benchmarks/verify\.py: ") as caught:
        verify(ground)
    assert how in caught.value.what
    assert str(ground.request.log("verify")) in (caught.value.detail or "")
    if "so far" in before:
        assert "so far" in (caught.value.detail or "")


def test_a_report_of_an_earlier_run_is_not_taken_for_this_one(ground: Ground) -> None:
    write_program(ground, "bench", bench_document())
    bench(ground)
    write_program(ground, "bench", None)
    with pytest.raises(MeasureError, match="succeeded but did not write"):
        bench(ground)


def test_an_interpreter_that_is_gone(tmp_path: Path) -> None:
    ground = make_ground(tmp_path)
    write_program(ground, "bench", bench_document())
    with pytest.raises(ToolkitError, match="cannot start"):
        bench(Ground(ground.request, tmp_path / "no python", ground.environ, ground.warnings))


FAILED = {**VERIFY_ROW, "passed": False, "A": {**VERIFY_ROW["A"], "passed": False}}


def test_a_verdict_that_is_bad_is_a_result(ground: Ground) -> None:
    write_program(ground, "verify", verify_document(VERIFY_ROW, FAILED), code=1)
    report = verify(ground)
    assert not report.passed
    assert [row.failed_standards for row in report.rows] == ["", "A"]


@pytest.mark.parametrize(("row", "code"), [(VERIFY_ROW, 1), (FAILED, 0)])
def test_a_verdict_and_an_exit_status_that_contradict_each_other(row: dict, code: int, ground: Ground) -> None:
    write_program(ground, "verify", verify_document(row), code=code)
    with pytest.raises(MeasureError, match="exit status says otherwise"):
        verify(ground)


# The document is written before TASK_QUEUE_ENABLE is known, so the program puts it in.
BY_QUEUE = """
import atexit
queue = os.environ["TASK_QUEUE_ENABLE"]
def mend():
    file = Path(sys.argv[2])
    file.write_text(file.read_text().replace('"task_queue": 9', f'"task_queue": {queue}'))
atexit.register(mend)
"""


def test_leaks_are_looked_for_under_each_task_queue(ground: Ground) -> None:
    write_program(ground, "leaks", leaks_document(9), before=BY_QUEUE)
    report = look_for_leaks(ground, 50)
    assert [row.task_queue for row in report.rows] == [0, 1, 2]
    assert not report.grew
    arguments, environ = called(ground, "leaks")
    assert arguments[2:] == ["--calls=50"]
    assert environ["TASK_QUEUE_ENABLE"] == "2"
    assert sorted(path.name for path in ground.reports.iterdir()) == ["leaks_0.json", "leaks_1.json", "leaks_2.json"]


def test_growth_is_a_result(ground: Ground) -> None:
    grown = {**LEAK_ROW, "grew": True, "why": "aclTensor"}
    write_program(ground, "leaks", leaks_document(9, LEAK_ROW, grown), before=BY_QUEUE, code=1)
    report = look_for_leaks(ground, 50)
    assert report.grew
    assert [row.why for row in report.rows] == ["", "aclTensor"] * 3


def test_growth_without_its_exit_status_is_refused(ground: Ground) -> None:
    write_program(ground, "leaks", leaks_document(9, {**LEAK_ROW, "grew": True}), before=BY_QUEUE)
    with pytest.raises(MeasureError, match="contradict each other"):
        look_for_leaks(ground, 50)


def test_an_edited_program_is_named_with_the_field(ground: Ground) -> None:
    write_program(ground, "bench", replaced(bench_document(BENCH_ROW), "rows.0.custom_us", [1, 2]))
    with pytest.raises(MeasureError, match=r"rows\[0\]: `custom_us` is \[1, 2\], and not an object"):
        bench(ground)


def test_ctrl_c_ends_the_program_too(ground: Ground) -> None:
    """As a process of its own: opforge's runner is interrupted while the program sleeps."""
    sleeper = "Path('pid').write_text(str(os.getpid())); import time; time.sleep(600)"
    write_program(ground, "bench", None, before=sleeper)
    code = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"  # who runs tests in the background has it ignored
        "from documents import make_ground; from opforge.measure.bench import bench;"
        "bench(make_ground(Path(sys.argv[2])))"
    )
    here, folder = Path(__file__).parent, ground.request.root.parent
    child = subprocess.Popen(
        [sys.executable, "-c", code, here, folder], stderr=subprocess.PIPE, env={**os.environ}, text=True
    )
    pid = ground.request.root / "pid"
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
    assert not (ground.reports / "bench.json").exists()
