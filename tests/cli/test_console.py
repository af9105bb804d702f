"""What a user sees while something works, on a terminal and off it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading

from opforge.cli.console import Console
from opforge.progress import Progress

STEPS = """
import time
from opforge.cli.console import Console
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
