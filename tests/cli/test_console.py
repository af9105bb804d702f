"""What a user sees while something works, on a terminal and off it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading

import pytest

from opforge.cli.shared.console import Console
from opforge.progress import Progress, step, step_when_told

STEPS = """
import time
from opforge.cli.shared.console import Console
console = Console()
console.start("adapter", "csrc/adapter.cpp changed [1]")
time.sleep(0.3)
console.finish("adapter", "done in 0.3 s")
console.result("dist/x.whl")
"""


def test_it_is_a_progress() -> None:
    progress: Progress = Console()
    assert progress is not None


def test_off_a_terminal_each_line_comes_once_and_plain(capsys) -> None:
    console = Console()
    console.note("toolkit: simulator")
    console.start("adapter", "csrc/adapter.cpp changed")
    console.start("wheel")
    console.finish("adapter", "done in 1.0 s")
    console.finish("wheel", "done in 0.1 s")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "toolkit: simulator\n"
        "  adapter: csrc/adapter.cpp changed\n"
        "  wheel\n"
        "  adapter: done in 1.0 s\n"
        "  wheel: done in 0.1 s\n"
    )


def test_quiet_says_nothing_but_results_warnings_and_errors(capsys) -> None:
    console = Console(quiet=True)
    console.note("a note")
    console.start("a step")
    console.finish("a step", "done")
    console.warning("something")
    console.error("error: it is so")
    console.result("a result")
    captured = capsys.readouterr()
    assert captured.out == "a result\n"
    assert captured.err == "warning: something\nerror: it is so\n"


def test_json_starts_with_its_schema_and_keeps_letters(capsys) -> None:
    Console().json({"path": "Ümlaut/算子"})
    out = capsys.readouterr().out
    assert out.startswith('{\n  "schema": 1,\n')
    assert "算子" in out
    assert json.loads(out)["path"] == "Ümlaut/算子"


def test_steps_of_several_threads_lose_no_line(capsys) -> None:
    console = Console()

    def work(name: str) -> None:
        for i in range(50):
            console.start(f"{name}{i}")
            console.finish(f"{name}{i}", "done")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 300
    assert sorted(lines) == sorted(
        line for name in "abc" for i in range(50) for line in (f"  {name}{i}", f"  {name}{i}: done")
    )


def test_on_a_terminal_the_running_step_is_shown_and_then_its_outcome() -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", STEPS], stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm"}
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the child closed its end
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == b"dist/x.whl\n"
    text = shown.decode()
    assert "  adapter: csrc/adapter.cpp changed [1]" in text
    assert "\x1b[?25l" in text  # the cursor is hidden while a step runs
    assert text.rindex("\x1b[?25h") < text.rindex("  adapter: done in 0.3 s")  # and is back before the outcome


def on_a_terminal(program: str, **variables: str) -> str:
    """What a program writes to a terminal that is its stderr."""
    master, slave = pty.openpty()
    hidden = {"NO_COLOR", "TERM"}
    environ = {name: value for name, value in os.environ.items() if name not in hidden} | variables
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=slave, env=environ)
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 4096):
            shown += piece
    except OSError:  # the child closed its end
        pass
    os.close(master)
    process.communicate(timeout=60)
    assert process.returncode == 0
    return shown.decode()


def test_a_running_step_shows_its_time() -> None:
    text = on_a_terminal(STEPS.replace("0.3)", "1.2)"), TERM="xterm")
    assert "0:00:01" in text


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines() -> None:
    text = on_a_terminal(STEPS + "console.error('error: it is so')", TERM="dumb")
    assert text.replace("\r", "") == (
        "  adapter: csrc/adapter.cpp changed [1]\n  adapter: done in 0.3 s\nerror: it is so\n"
    )


def test_no_color_switches_colours_off() -> None:
    errors = "from opforge.cli.shared.console import Console\nConsole().error('error: it is so')"
    assert on_a_terminal(errors, TERM="xterm", NO_COLOR="1") == "error: it is so\r\n"
    assert "\x1b[31m" in on_a_terminal(errors, TERM="xterm")


def test_what_is_busy_is_shown_on_a_terminal_alone(capsys) -> None:
    with Console().busy("building"):
        pass
    assert capsys.readouterr() == ("", "")
    busy = (
        "import time\nfrom opforge.cli.shared.console import Console\nwith Console().busy('building'): time.sleep(0.3)"
    )
    assert "building" in on_a_terminal(busy, TERM="xterm")
    assert on_a_terminal(busy, TERM="dumb") == ""


class Told:
    """A Progress that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def start(self, step: str, why: str = "") -> None:
        self.lines.append(f"start {step} {why}")

    def finish(self, step: str, outcome: str) -> None:
        self.lines.append(f"finish {step} {outcome}")

    def skip(self, step: str, why: str) -> None:
        self.lines.append(f"skip {step} {why}")

    def note(self, text: str) -> None:
        self.lines.append(f"note {text}")


def test_a_step_ends_with_its_time_also_where_it_fails() -> None:
    told = Told()
    with step(told, "install", "a wheel"):
        pass
    with pytest.raises(ValueError, match="no"), step(told, "install"):
        raise ValueError("no")
    expected = ["start install a wheel", "finish install done in 0.0 s"]
    assert told.lines == [*expected, "start install ", "finish install failed after 0.0 s"]


def test_what_has_nothing_to_do_says_nothing() -> None:
    told = Told()
    with step_when_told(told, "toolkit"):
        pass
    assert told.lines == []
    with step_when_told(told, "toolkit") as tell:
        tell("building it")
        tell("still")
    assert told.lines == ["start toolkit building it", "note still", "finish toolkit done in 0.0 s"]
