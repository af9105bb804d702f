"""Runs a command on a terminal of its own, and answers what it asks there."""

from __future__ import annotations

import os
import pty
import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_on_terminal(
    command: Sequence[str], cwd: Path, environ: Mapping[str, str], answers: Sequence[tuple[str, str]]
) -> tuple[int, str]:
    """Runs a command whose stdin, stdout, stderr and /dev/tty are one new terminal.

    Each answer is a text to wait for, and what to type then. Returns the exit status and all that the terminal showed.
    Fails after a minute.
    """
    child, master = pty.fork()
    if child == 0:
        try:
            os.chdir(cwd)
            os.execvpe(command[0], list(command), dict(environ))  # noqa: S606
        finally:
            os._exit(127)
    text, waiting, end = b"", list(answers), time.monotonic() + 60
    seen = 0  # the text before has had its answer
    while time.monotonic() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 4096)
        except OSError:  # the terminal's last program has ended
            break
        if not piece:
            break
        text += piece
        if waiting and waiting[0][0].encode() in text[seen:]:
            seen = len(text)
            os.write(master, waiting.pop(0)[1].encode())
    else:
        os.kill(child, 9)
    os.close(master)
    _, status = os.waitpid(child, 0)
    shown = text.decode(errors="replace").replace("\r\n", "\n")
    assert not waiting, f"never asked {waiting[0][0]!r}:\n{shown}"
    return os.waitstatus_to_exitcode(status), shown
