"""The command itself: help, exit codes, and every way a command can end."""

from __future__ import annotations

import errno
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from opforge import __version__
from opforge.cli import main as cli
from opforge.errors import Location, Problem, ProjectError, SpecError
from opforge.scaffold.project_state import project_state

COMMAND = [sys.executable, "-m", "opforge"]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Make ``opforge version`` end by raising what the test says."""

    def install(error: BaseException) -> None:
        @click.command
        @click.option("--json", "as_json", is_flag=True)
        def command(*, as_json: bool) -> None:  # noqa: ARG001
            raise error

        monkeypatch.setattr(importlib.import_module("opforge.cli.version"), "command", command)

    return install


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str, capsys) -> None:
    assert cli.run([option]) == 0
    assert capsys.readouterr().out == f"opforge {__version__}\n"


def test_version_as_json_carries_its_schema(capsys) -> None:
    assert cli.run(["version", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert next(iter(out)) == "schema"
    assert (out["schema"], out["opforge"]) == (1, __version__)


def test_help_lists_every_command(capsys) -> None:
    assert cli.run(["--help"]) == 0
    out = capsys.readouterr().out
    for name in cli.COMMANDS:
        assert f"\n  {name} " in out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_exists_and_has_help(name: str, capsys) -> None:
    assert cli.run([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: opforge {name} ")


def test_a_mistyped_command_gets_a_suggestion(capsys) -> None:
    assert cli.run(["buidl"]) == 2
    assert capsys.readouterr().err == "error: No such command 'buidl'. Did you mean 'build'?\n  help: opforge --help\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "No such command 'nosuch'.\n"),
        (["inspect", "plam"], "No such command 'plam'. Did you mean 'plan'?\n"),
        (["inspect", "nosuch"], "No such command 'nosuch'. Valid names: files, ir, key, plan, schema, spec.\n"),
        (["template", "lst"], "No such command 'lst'. Did you mean 'list'?\n"),
    ],
)
def test_a_mistyped_command_of_a_group(words: list[str], said: str, capsys) -> None:
    assert cli.run(words) == 2
    assert capsys.readouterr().err == f"error: {said}  help: opforge{' '.join(['', *words[:-1]])} --help\n"


@pytest.mark.parametrize("name", ["foo", "foo/../foo"])
def test_a_folder_where_the_kernel_takes_no_files(name: str, capsys) -> None:
    assert cli.run(["new", "Foo", "--inputs", "x", "--path", f"/proc/{name}"]) != 0
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert err.endswith(("choose another folder\n", "create it first\n"))


@pytest.mark.parametrize(("words", "usage"), [([], ""), (["inspect"], " inspect")])
def test_a_group_alone_prints_its_help(words: list[str], usage: str, capsys) -> None:
    assert cli.run(words) == 2
    assert capsys.readouterr().err.startswith(f"Usage: opforge{usage} [OPTIONS] COMMAND [ARGS]...\n")


def test_a_mistyped_option_names_where_help_is(capsys) -> None:
    assert cli.run(["version", "--jsn"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: No such option '--jsn'")
    assert err.endswith("  help: opforge version --help\n")


def test_an_error_is_rendered_and_gives_its_class_its_exit_code(failing, capsys) -> None:
    failing(ProjectError("it is there already", hint="take another name"))
    assert cli.run(["version"]) == ProjectError.exit_code == 5
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: it is there already\n  help: take another name\n"


def test_all_problems_of_a_spec_are_shown(failing, capsys) -> None:
    where = Location(None, 1, 5, 3)
    failing(SpecError([Problem("unknown name 'foo'", where, "z = foo"), Problem("no output")]))
    assert cli.run(["version"]) == 3
    assert capsys.readouterr().err == (
        "error: <command line>:1:5: unknown name 'foo'\n 1 | z = foo\n   |     ^^^\nerror: no output\n2 errors\n"
    )


def test_ctrl_c_is_one_line_and_130(failing, capsys) -> None:
    failing(KeyboardInterrupt())
    assert cli.run(["version"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some space and try again"),
        (errno.EFBIG, "this shell limits the size of files (`ulimit -f`): raise the limit"),
        (errno.EACCES, "`ls -ld` shows who may read and write it"),
        (errno.EMFILE, "this shell limits the number of open files (`ulimit -n`): raise the limit"),
        (errno.ENAMETOOLONG, "the limits are 255 bytes for a name and 4095 for a path: use shorter ones"),
        (errno.EISDIR, ""),
        (errno.ELOOP, ""),
    ],
)
def test_what_the_machine_refuses_is_no_bug(number: int, advice: str, failing, capsys) -> None:
    failing(OSError(number, os.strerror(number), "dist/x.whl"))
    assert cli.run(["version"]) == 1
    advice = advice and f"  help: {advice}\n"
    assert capsys.readouterr().err == f"error: {os.strerror(number)}: dist/x.whl\n{advice}"


def test_a_bug_shows_its_traceback_and_asks_for_a_report(failing, capsys) -> None:
    failing(ZeroDivisionError("division by zero"))
    assert cli.run(["version"]) == 70
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert "internal error: ZeroDivisionError: division by zero\n  help: this is a bug in opforge" in err


@pytest.mark.parametrize(("cause", "code"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_an_end_that_python_hands_on_as_an_error_is_no_bug(cause, code: int, failing, capsys) -> None:
    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = cause
    failing(error)
    assert cli.run(["version"]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_ctrl_c_while_python_imports_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    done = subprocess.run(
        [sys.executable, "-c", "from opforge.__main__ import main; main()"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_quiet_hides_notes_and_keeps_results(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y", "--dry-run"]) == 0
    captured = capsys.readouterr()
    assert "op_host/vector_add.cpp" in captured.out
    assert captured.err == ""


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    process = subprocess.Popen([*COMMAND, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode in (0, 1, cli.BROKEN_PIPE)  # 0 where all was written before the pipe closed; click's 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback_and_no_file_is_taken_for_one(closed: str, tmp_path: Path) -> None:
    command = f'"$0" -m opforge new VectorAdd --inputs x,y {closed}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr
    assert project_state(tmp_path / "vector_add").edited == ()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", ["--help", "version --json", "inspect schema"])
def test_a_full_disk_below_stdout_is_one_line(words: str) -> None:
    command = f'"$0" -m opforge {words} > /dev/full'
    done = subprocess.run(["bash", "-c", command, sys.executable], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.partition("\n")[0].endswith("No space left on device")
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_gone_is_named_so(tmp_path: Path) -> None:
    command = 'mkdir gone && cd gone && rmdir ../gone && "$0" -m opforge status'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: the current folder does not exist any more\n  help: change to another folder\n"


def test_python_m_opforge_is_the_command() -> None:
    done = subprocess.run([*COMMAND, "--version"], check=True, capture_output=True, text=True)
    assert done.stdout == f"opforge {__version__}\n"


HEAVY = ("torch", "torch_npu", "copier", "rich", "numpy", "jinja2", "yaml", "multiprocessing", "asyncio")


def imported(arguments: list[str], cwd) -> set[str]:
    """The top-level modules that one opforge command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opforge", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=cwd,
    )
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}


def test_help_imports_no_command_and_nothing_heavy(tmp_path) -> None:
    modules = imported(["--help"], tmp_path)
    assert "click" in modules
    assert modules.isdisjoint({*HEAVY, "pathlib"})


def test_new_imports_no_torch_no_copier_no_rich(tmp_path) -> None:
    modules = imported(["new", "VectorAdd", "--inputs", "x,y"], tmp_path)
    assert {"jinja2", "yaml"} <= modules
    assert modules.isdisjoint({"torch", "torch_npu", "copier", "rich", "numpy"})


def test_help_is_not_slow(tmp_path) -> None:
    """Far above the budget (benchmarks measure that): only a heavy import by accident can fail here."""
    start = time.monotonic()
    subprocess.run([*COMMAND, "--help"], check=True, capture_output=True, cwd=tmp_path)
    assert time.monotonic() - start < 5
