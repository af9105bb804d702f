"""``opforge test``: ``--sanitize``, ``--rules``, ``--json``. pytest runs; installing and activating have doubles."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from opforge.build.project_lock import project_lock
from opforge.build.request import BuildRequest
from opforge.cli import main as cli
from opforge.cli.shared.ready import Ready
from opforge.install.pytest_report import read_report

TESTS = """
import json, os

def test_right():
    assert os.environ.get("OPFORGE_SIM_CHECKS") == CHECKS

def test_wrong():
    if "OPFORGE_SIM_REPORT" in os.environ:
        with open(os.environ["OPFORGE_SIM_REPORT"], "a") as report:
            report.write(json.dumps({"schema": 1, "op": "Scale", "rule": "a rule", "line": 7}) + "\\n")
    assert 1 == 2, "no"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that counts as installed, with tests of its own."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(["-q", "new", "Scale", "--inputs", "x", "--compute", "y = x * 2.0", "--soc", "ascend910b"]) == 0
    root = tmp_path / "scale"
    for test in (root / "tests").iterdir():
        if test.is_file():
            test.unlink()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OPFORGE", "PYTEST"))}
    ready = Ready(BuildRequest(root, environ, tmp_path / "cache"), root, Path(sys.executable), environ)
    for module in ("opforge.cli.test", "opforge.cli.shared.measuring"):
        monkeypatch.setattr(f"{module}.make_ready", lambda *_, **__: ready)
    monkeypatch.chdir(root)
    return root


def write_tests(project: Path, checks: str | None) -> None:
    (project / "tests" / "test_it.py").write_text(TESTS.replace("CHECKS\n", f"{checks!r}\n"))


def test_json_leaves_the_junit_file_that_was_asked_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tests(project, None)
    assert cli.run(["test", "--json", "-p", "no:cacheprovider", "--junitxml=build/reports/tests.xml"]) == 1
    assert json.loads(capsys.readouterr().out)["failed"] == 1
    report = read_report(project / "build/reports/tests.xml")
    assert (report.passed, [failure.test for failure in report.failures]) == (1, ["tests.test_it::test_wrong"])


@pytest.mark.parametrize("level", [None, "off", "fast", "full"])
def test_what_was_refused_is_told(level: str | None, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tests(project, level)
    words = [] if level is None else [f"--sanitize={level}"]
    for _ in range(2):  # a report of an earlier run is not told again
        assert cli.run(["test", *words, "--json", "-p", "no:cacheprovider"]) == 1
        out = json.loads(capsys.readouterr().out)
        assert (out["exit_code"], out["passed"], out["failed"], out["skipped"]) == (1, 1, 1, 0)
        (failure,) = out["failures"]
        assert failure["test"].endswith("test_it::test_wrong")
        assert failure["message"].startswith("AssertionError: no")
        assert out["refused"] == [{"schema": 1, "op": "Scale", "rule": "a rule", "line": 7}]
        assert "1 failed, 1 passed" in Path(out["log"]).read_text()


WARNS = """
import json, os

def test_it():
    assert os.environ.get("OPFORGE_SIM_RULES") == RULES
    fields = {"schema": 1, "op": "Scale", "id": "gm-tail", "file": "op_kernel/scale.h", "line": 7, "soc": "Ascend910B1"}
    with open(os.environ["OPFORGE_SIM_WARNINGS"], "a") as told:
        for line, text in ((7, "warning: one"), (9, "warning: two"), (7, "warning: one again")):
            told.write(json.dumps({**fields, "line": line, "text": text}) + "\\n")
        told.write('{"schema": 1, "op')
"""
SUM = """\
warning: 2 warnings of the simulated device; --rules=documented refuses what opforge.yaml does not allow:
  gm-tail  op_kernel/scale.h:7 (Scale, in 2 processes)
  gm-tail  op_kernel/scale.h:9 (Scale)
"""


@pytest.mark.parametrize("rules", [None, "device", "documented"])
def test_warnings_are_shown_and_summed_up(rules: str | None, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_it.py").write_text(WARNS.replace("RULES\n", f"{rules!r}\n"))
    words = ["test", *([] if rules is None else [f"--rules={rules}"]), "-p", "no:cacheprovider"]
    assert cli.run(words) == 0
    assert capfd.readouterr().err.endswith("warning: one\nwarning: two\n" + SUM)
    assert cli.run([*words, "-s"]) == 0  # each was read when it was said
    assert capfd.readouterr().err == SUM
    assert cli.run([*words, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)["warnings"]
    assert [(w["id"], w["op"], w["line"], w["text"], w["times"]) for w in said] == [
        ("gm-tail", "Scale", 7, "warning: one", 2),
        ("gm-tail", "Scale", 9, "warning: two", 1),
    ]


def test_warnings_of_a_run_that_crashes_are_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = WARNS.replace("RULES\n", "None\n") + "    os.kill(os.getpid(), 9)\n"
    (project / "tests" / "test_it.py").write_text(text)
    assert cli.run(["test", "-p", "no:cacheprovider"]) == 137
    assert SUM in capfd.readouterr().err


def test_a_run_that_crashes_is_told_all_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    half = 'import os\n\ndef test_it():\n    open(os.environ["OPFORGE_SIM_REPORT"], "w").write(\'{"schema": 1, "op\')\n'
    (project / "tests" / "test_it.py").write_text(f"{half}    os.kill(os.getpid(), 9)\n")
    assert cli.run(["test", "--json", "-p", "no:cacheprovider"]) == 137
    out = json.loads(capsys.readouterr().out)
    assert (out["exit_code"], out["passed"], out["failed"], out["refused"]) == (137, 0, 0, [])


def test_one_measurement_at_a_time(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["test", "--leaks"], ["trace"], ["bench"], ["verify"]):
        with project_lock(project / "build", "measuring"):
            assert cli.run(words) == 5
        assert f"another opforge is measuring in {project} (process {os.getpid()})" in capsys.readouterr().err


def test_arguments_are_pytests(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_tests(project, "fast")
    assert cli.run(["test", "--sanitize", "fast", "-k", "right", "-p", "no:cacheprovider"]) == 0
    assert "1 passed, 1 deselected" in capfd.readouterr().out


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--sanitize=some",), "Invalid value for '--sanitize': 'some' is not one of 'off', 'fast', 'full'."),
        (("--leaks", "--sanitize=fast"), "--sanitize and --leaks exclude each other"),
    ],
)
def test_what_does_not_go_together(words: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["test", *words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["what"] == what
