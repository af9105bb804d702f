"""``opforge test --on``, and the measuring commands, with a stand-in for ssh."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.remote.output import LocalOutput

ON = ("--on", "ssh://me@npu:2222")


def run(there: Path, name: str, *words: str) -> int:
    return cli.run([name, *ON, "--python", str(there / "python"), *words])


def said(out: str) -> list[str]:
    """The options and arguments of the command there: its last line of stdout."""
    return out.rstrip("\n").split("\n")[-1].split()[2:]


def test_it_runs_the_same_command_and_fetches_the_report(there, project, capsys) -> None:
    assert run(there, "test", "--sanitize=fast", "--npus", "0,1", "-x", "-k", "forward") == 0
    out, err = capsys.readouterr()
    python = f"--python={there / 'python'}"
    given = ["--sanitize=fast", "--npus=0,1", "--", "-x", "-k", "forward", "--junitxml=build/reports/tests.xml"]
    assert said(out) == ["test", python, *given]
    assert f"compiling in {project}\n" in out  # in the order of the run, so stdout has all of it
    assert "compiling" not in err
    assert (project / "build/reports/tests.xml").read_text() == "<testsuites/>\n"
    assert (project / "build/logs/build.log").exists()
    assert (project / "build/x.o").exists()
    assert "fetched: build/reports/tests.xml, dist/a.run, dist/a.whl\n" in err
    assert not list(project.rglob(".*.new"))


def test_a_failed_run_brings_its_report_and_leaves_dist(there, project, capsys) -> None:
    assert run(there, "build") == 0  # there is a dist/ there, of other sources
    (project / "dist" / "a.run").write_text("mine")
    (project / "fails").touch()
    capsys.readouterr()
    assert run(there, "test") == 4
    out, err = capsys.readouterr()
    assert "1 failed\n" in out
    assert f"error: {project}/op_host/a.cpp:3\n" in out
    assert "fetched: build/reports/tests.xml\n" in err
    assert (project / "build/reports/tests.xml").exists()
    assert (project / "dist" / "a.run").read_text() == "mine"


def test_a_report_of_an_earlier_run_does_not_come_again(there, project, capsys) -> None:
    assert run(there, "test") == 0
    (project / "build/reports/tests.xml").unlink()
    assert run(there, "verify") == 0
    assert not (project / "build/reports/tests.xml").exists()
    assert "fetched: dist/a.run, dist/a.whl\n" in capsys.readouterr().err


def test_json_stays_alone_on_stdout(there, project, capsys) -> None:
    assert run(there, "test", "--json") == 0
    out, err = capsys.readouterr()
    assert said(out)[-2:] == ["--", "--junitxml=build/reports/tests.xml"]
    assert out.count("\n") == 1
    assert f"compiling in {project}" in err


def test_a_report_goes_where_pytest_was_told(there, project, capsys) -> None:
    assert run(there, "test", "--junitxml", "mine.xml", "--junit-xml=my own.xml") == 0
    assert (project / "my own.xml").exists()
    assert not (project / "build/reports").exists()
    capsys.readouterr()
    for outside in ("/x.xml", "../x.xml", "~/x.xml"):
        assert run(there, "test", f"--junitxml={outside}") == 2
        assert f"--junitxml={outside}: with --on, expected a path in the project" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--aclnn", "--leaks"])
@pytest.mark.usefixtures("project")
def test_runs_without_pytest_have_no_junit_file(there, capsys, option: str) -> None:
    assert run(there, "test", option) == 0
    assert said(capsys.readouterr().out)[2:] == [option]


@pytest.mark.usefixtures("project")
def test_measuring_commands_run_there(there, capsys) -> None:
    assert run(there, "verify", "--op", "VectorAdd", "--standard", "A", "--standard", "C", "--quick") == 0
    measured = ["--op=VectorAdd", "--quick", "--standard=A", "--standard=C"]
    assert said(capsys.readouterr().out) == ["verify", f"--python={there / 'python'}", *measured]
    assert run(there, "bench", "--size", "full") == 0
    assert "--size=full" in said(capsys.readouterr().out)
    assert run(there, "bench", "--plot", "a.svg") == 2
    assert "--on and --plot exclude each other" in capsys.readouterr().err


def test_paths_of_the_project_are_local_also_across_pieces() -> None:
    there, here = "/far/ä/project", "/near"
    text = f"{there}/a.cpp:3 {there[:7]} ä {there}"
    data = text.encode()
    for cut in range(len(data)):
        output = LocalOutput(here)
        first = output.feed(data[:cut], there, last=False)
        whole = first + output.feed(data[cut:], there, last=True)
        assert whole == text.replace(there, here), cut
    assert LocalOutput(here).feed(b"....", there, last=False) == "...."


def test_a_name_that_a_shell_would_read_is_only_a_name(there, project) -> None:
    assert run(there, "test", "--junitxml=a$(touch hacked)' b.xml") == 0
    assert (project / "a$(touch hacked)' b.xml").exists()
    assert not list(there.rglob("hacked"))
