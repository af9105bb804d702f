"""What ssh must ask: on a terminal it asks once, and elsewhere the error says what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from opforge.cli import main as cli
from tests.remote.terminal import run_on_terminal

ASKS = "me@npu's password: "


def words(there: Path) -> list[str]:
    return ["build", "--on", "ssh://me@npu:2222", "--python", str(there / "python")]


def on_terminal(there: Path, project: Path, *answers: tuple[str, str]) -> tuple[int, str]:
    command = [sys.executable, "-m", "opforge", *words(there)]
    return run_on_terminal(command, project, {**os.environ, "TERM": "dumb"}, answers)


def test_ssh_asks_once_on_a_terminal(there, project) -> None:
    (there / "asks").touch()
    code, shown = on_terminal(there, project, (ASKS, "secret\n"))
    assert code == 0, shown
    assert shown.count(ASKS) == 1
    assert (there / "asked").read_text() == "secret\n"
    assert not (there / "open").exists()  # it was closed
    assert (project / "dist" / "a.whl").exists()


def test_ssh_asks_again_after_the_connection_broke(there, project) -> None:
    (there / "asks").touch()
    (there / "break").write_text("2\n")  # the connection that follows the job
    code, shown = on_terminal(there, project, (ASKS, "secret\n"), (ASKS, "secret\n"))
    assert code == 0, shown
    assert shown.count("compiling in") == 1


def test_a_wrong_answer_ends_the_command(there, project) -> None:
    (there / "asks").touch()
    code, shown = on_terminal(there, project, (ASKS, "wrong\n"))
    assert code == 7
    assert "Permission denied (publickey,password)" in shown
    assert "try `ssh -p 2222 me@npu true`" in shown
    assert not (there / "runs").exists()


def test_ctrl_c_while_ssh_asks_stops_nothing(there, project) -> None:
    (there / "asks").touch()
    code, shown = on_terminal(there, project, (ASKS, "\x03"))
    assert code == 130
    assert shown.count(ASKS) == 1
    assert "stop" not in shown


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("refusal", "advice"),
    [
        ("me@npu: Permission denied (publickey,password).", "let the host accept it (`ssh-copy-id -p 2222 me@npu`)"),
        ("Host key verification failed.", "the host is new here: type `ssh -p 2222 me@npu` in a terminal once"),
        ("REMOTE HOST IDENTIFICATION HAS CHANGED!", "find out why me@npu has another key than before"),
        ("ssh: Could not resolve hostname npu", "try `ssh -p 2222 me@npu true`"),
    ],
)  # fmt: skip
def test_without_a_terminal_it_says_what_to_do(there, capsys, refusal: str, advice: str) -> None:
    (there / "refuse").write_text(f"{refusal}\n")
    assert cli.run(words(there)) == 7
    err = capsys.readouterr().err
    assert refusal in err
    assert advice in err
    assert not (there / "asked").exists()


def test_without_a_terminal_it_does_not_hang(there, project) -> None:
    (there / "asks").touch()
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "opforge", *words(there)],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 7
    assert "there is no terminal" in done.stderr
    assert time.monotonic() - began < 20
    assert not (there / "asked").exists()
