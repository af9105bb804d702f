"""``opforge test --npus``: each test runs once, a process sees one NPU, a crash loses nothing silently."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from opforge.build.request import BuildRequest
from opforge.cli import main as cli
from opforge.cli.shared.npu_runs import exit_code
from opforge.cli.shared.ready import Ready
from opforge.install.pytest_report import read_report

TESTS = """
import os, time
from pathlib import Path
import pytest

RAN = Path(RAN_FOLDER)

@pytest.fixture(scope="module")
def thing():
    things = RAN / f"things-{os.getpid()}"
    things.write_text(str(int(things.read_text()) + 1) if things.exists() else "1")
    yield 1
    things.with_suffix(".ended").touch()

@pytest.mark.parametrize("n", range(12))
def test_it(n, thing):
    time.sleep(0.15)  # so that both processes take part
    npu = os.environ["ASCEND_RT_VISIBLE_DEVICES"]
    with open(RAN / f"ran-{n}", "a") as file:
        file.write(npu + " ")
    assert os.environ.get("OPFORGE_SIM_DEVICES") == "3"
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that counts as installed. What its tests did is in the folder ran/."""
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "ran").mkdir()
    (root / "opforge.yaml").write_text("")
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPFORGE", "PYTEST", "ASCEND"))
    }
    ready = Ready(BuildRequest(root, environ, tmp_path / "cache"), root, Path(sys.executable), environ)
    monkeypatch.setattr("opforge.cli.test.make_ready", lambda *_, **__: ready)
    monkeypatch.setattr("opforge.scaffold.vendoring.with_testing", lambda environ, *_: environ)
    monkeypatch.chdir(root)
    return root


def run(root: Path, capsys: pytest.CaptureFixture[str], text: str, *words: str) -> dict:
    (root / "tests/test_it.py").write_text(text.replace("RAN_FOLDER", repr(str(root / "ran"))))
    code = cli.run(["test", "--npus", "0,2", "--json", "-p", "no:cacheprovider", *words])
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == code
    return told


def test_each_test_runs_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(root, capsys, TESTS)
    assert (told["exit_code"], told["passed"], told["failed"], told["not_finished"]) == (0, 12, 0, [])
    npus = [path.read_text().split() for path in sorted((root / "ran").glob("ran-*"))]
    assert len(npus) == 12
    assert all(len(ran) == 1 for ran in npus)
    assert {ran[0] for ran in npus} == {"0", "2"}
    assert [(row["npu"], row["exit_code"]) for row in told["npus"]] == [(0, 0), (2, 0)]
    assert sum(row["passed"] for row in told["npus"]) == 12
    things = sorted((root / "ran").glob("things-*"))  # the fixture of a module begins and ends once in a process
    assert [path.read_text() for path in things if path.suffix != ".ended"] == ["1", "1"]
    assert len([path for path in things if path.suffix == ".ended"]) == 2


def test_failures_of_both_are_one_result(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(root, capsys, TESTS.replace("time.sleep(0.15)", "time.sleep(0.15); assert n % 6 != 1, f'no {n}'"))
    assert (told["exit_code"], told["passed"], told["failed"]) == (1, 10, 2)
    assert sorted(row["message"].splitlines()[0] for row in told["failures"]) == [
        "AssertionError: no 1", "AssertionError: no 7",
    ]  # fmt: skip


def test_a_process_that_crashes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(root, capsys, TESTS.replace("    npu =", "    if n == 5: os.kill(os.getpid(), 11)\n    npu ="))
    assert told["exit_code"] == 139
    assert any(name.endswith("test_it[5]") for name in told["not_finished"])
    assert len(told["not_finished"]) <= 2  # it had claimed the next one, too
    ran = {path.name for path in (root / "ran").glob("ran-*")}
    lost = {f"ran-{name.rpartition('[')[2][:-1]}" for name in told["not_finished"]}
    assert ran | lost == {f"ran-{n}" for n in range(12)}


def test_the_junit_file_has_every_process_and_what_crashed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(root, capsys, TESTS, "--junitxml=out/all.xml")
    report = read_report(root / "out/all.xml")
    assert (report.passed, report.failed) == (12, 0)
    assert told["passed"] == 12
    told = run(
        root,
        capsys,
        TESTS.replace("    npu =", "    if n == 5: os.kill(os.getpid(), 11)\n    npu ="),
        "--junitxml",
        "b.xml",
    )
    report = read_report(root / "b.xml")
    assert [failure.test for failure in report.failures] == told["not_finished"]
    assert {failure.message for failure in report.failures} == {"its process crashed"}


def test_exitfirst_ends_both(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(root, capsys, TESTS.replace("    npu =", "    assert n != 0\n    npu ="), "-x")
    assert told["exit_code"] in {1, 2}
    assert told["failed"] == 1
    assert told["passed"] < 11


def test_no_tests_and_errors_of_collection(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, capsys, TESTS, "-k", "nothing")["exit_code"] == 5
    assert run(root, capsys, "import nothing_of_this_name")["exit_code"] == 2


def test_one_line_for_each_npu(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "tests/test_it.py").write_text("def test_it():\n    assert 1 == 2, 'no'\n")
    assert cli.run(["test", "--npus", "0,1"]) == 1
    out = capsys.readouterr().out
    assert "assert 1 == 2" in out
    assert out.splitlines()[-1] == "1 failed on 2 NPUs"


@pytest.mark.parametrize(
    ("words", "variables", "told"),
    [
        (["--npus", "0,0"], {}, "--npus: `0,0`: expected different numbers of NPUs"),
        (["--npus", "x"], {}, "--npus: `x`: expected different numbers of NPUs"),
        (["--npus", ""], {}, "--npus: ``: expected different numbers of NPUs"),
        (["--npus", "0", "--aclnn"], {}, "--npus and --aclnn exclude each other"),
        (["--npus", "0", "--leaks"], {}, "--npus and --leaks exclude each other"),
        (["--npus", "0", "-n", "2"], {}, "--npus and pytest-xdist's -n exclude each other"),
        (["--npus", "0,2"], {"OPFORGE_SIM_DEVICES": "2"}, "--npus: 2: the simulated machine has the devices 0 to 1"),
        (["--npus", "0,5"], {"ASCEND_RT_VISIBLE_DEVICES": "4,5"}, "ASCEND_RT_VISIBLE_DEVICES shows only 4, 5"),
    ],
)
def test_what_is_refused(
    words: list[str],
    variables: dict[str, str],
    told: str,
    *,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environ = {**os.environ, **variables}
    ready = Ready(BuildRequest(root, environ, root / "cache"), root, Path(sys.executable), environ)
    monkeypatch.setattr("opforge.cli.test.make_ready", lambda *_, **__: ready)
    assert cli.run(["test", *words]) == 2
    assert told in capsys.readouterr().err


def test_the_worst_status_counts() -> None:
    assert exit_code([0, 5], []) == 0
    assert exit_code([5, 5], []) == 5
    assert exit_code([0, 1], []) == 1
    assert exit_code([0, 0], ["a test"]) == 1
