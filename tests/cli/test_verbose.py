"""-v: each process and its time, and why each step of a build runs or does not run."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from opforge.cli import main as cli
from opforge.cli.shared.console import Console, current
from opforge.cli.shared.runners import new_runner
from opforge.errors import ToolkitError
from opforge.toolkit.process import Runner

ENV = {"PATH": "/usr/bin:/bin"}
TO_PYTEST = ("test", "watch")
CLI = Path(cli.__file__).parent


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make ``opforge version`` start a process."""

    def install(*words: str, cwd: Path) -> None:
        @click.command
        @click.option("--json", "as_json", is_flag=True)
        def command(*, as_json: bool) -> None:
            done = new_runner().run(words, cwd=cwd, env=ENV)
            if as_json:
                current().json({"output": done.output})

        monkeypatch.setattr(importlib.import_module("opforge.cli.version"), "command", command)

    return install


@pytest.mark.parametrize("words", [["-v", "version"], ["version", "-v"], ["--verbose", "version"]])
def test_a_process_is_shown_as_a_shell_can_run_it(words: list[str], child, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    child("sh", "-c", "echo it works > 'a file'; exit 3", cwd=folder)
    assert cli.run(words) == 0
    out, err = capsys.readouterr()
    assert out == ""
    started, ended = err.splitlines()
    shown = re.fullmatch(r"\[1\] (cd .*)", started)
    assert shown is not None, started
    assert re.fullmatch(r"\[1\] \d+\.\d s, exit status 3", ended)
    (folder / "a file").unlink()
    assert subprocess.run(["sh", "-c", shown[1]], cwd="/", check=False).returncode == 3
    assert (folder / "a file").read_text() == "it works\n"


def test_a_process_in_this_folder_is_shown_without_its_folder(child, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    child("true", "x" * 5000, cwd=tmp_path)
    assert cli.run(["version", "-v"]) == 0
    started, ended = capsys.readouterr().err.splitlines()
    assert started == f"[1] true {'x' * 5000}"
    assert re.fullmatch(r"\[1\] \d+\.\d s", ended)


def test_without_it_no_process_is_shown(child, tmp_path: Path, capsys) -> None:
    child("true", cwd=tmp_path)
    assert cli.run(["version"]) == 0
    assert capsys.readouterr() == ("", "")


def test_json_stays_alone_on_stdout(child, tmp_path: Path, capsys) -> None:
    child("echo", "said", cwd=tmp_path)
    assert cli.run(["-v", "version", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["output"] == "said\n"
    assert "echo said" in err


@pytest.mark.parametrize("words", [["-q", "-v", "version"], ["-q", "version", "-v"], ["version", "--verbose", "-q"]])
def test_quiet_and_verbose_exclude_each_other(words: list[str], capsys) -> None:
    assert cli.run(words) == 2
    assert capsys.readouterr() == ("", "error: -q and -v exclude each other\n  help: give only one of them\n")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_it_but_those_that_hand_it_to_pytest(name: str, capsys) -> None:
    assert cli.run([name, "--help"]) == 0
    assert ("-v, --verbose" in capsys.readouterr().out) == (name not in TO_PYTEST)


@pytest.mark.parametrize("words", [["test", "-v"], ["test", "-v", "-k", "x"], ["test", "--verbose"]])
def test_behind_test_it_is_pytest_s(words: list[str], monkeypatch, capsys) -> None:
    given = []
    monkeypatch.setattr("opforge.cli.test.make_ready", lambda *_, **__: current().verbose)
    monkeypatch.setattr(
        "opforge.cli.test.run_pytest", lambda ready, arguments, *_, **__: given.append((ready, list(arguments))) or 0
    )
    assert cli.run(words) == 0
    assert cli.run(["-v", "test", "-x"]) == 0
    assert given == [(False, words[1:]), (True, ["-x"])]
    assert capsys.readouterr() == ("", "")


def test_a_terminal_s_process_is_shown_too(tmp_path: Path, capsys) -> None:
    assert Runner(observer=Console(verbose=True)).attach([sys.executable, "-c", "pass"], cwd=tmp_path, env=ENV) == 0
    started, ended = capsys.readouterr().err.splitlines()
    assert started == f"[1] cd {tmp_path} && {sys.executable} -c pass"
    assert re.fullmatch(r"\[1\] \d+\.\d s", ended)


def test_a_process_that_a_signal_ends(tmp_path: Path, capsys) -> None:
    Runner(observer=Console(verbose=True)).run(["sh", "-c", "kill -9 $$"], cwd=tmp_path, env=ENV)
    assert capsys.readouterr().err.endswith(" s, ended by signal 9\n")


def test_a_program_that_is_not_there(tmp_path: Path, capsys) -> None:
    with pytest.raises(ToolkitError, match="cannot start no-such-program"):
        Runner(observer=Console(verbose=True)).run(["no-such-program"], cwd=tmp_path, env=ENV)
    assert capsys.readouterr().err.endswith(" s, not finished\n")


def test_every_command_makes_its_runner_with_the_console() -> None:
    """A plain Runner() would hide its processes."""
    makers = [path.name for path in sorted(CLI.rglob("*.py")) if re.search(r"\bRunner\(", path.read_text("utf-8"))]
    assert makers == ["runners.py"]


def test_only_a_verbose_console_says_which_steps_do_not_run(capsys) -> None:
    Console().skip("adapter", "up to date")
    assert capsys.readouterr().err == ""
    Console(verbose=True).skip("adapter", "up to date")
    assert capsys.readouterr().err == "  adapter: up to date\n"
