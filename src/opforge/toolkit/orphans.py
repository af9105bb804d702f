"""Ends opforge's child processes if opforge is killed (SIGKILL), by a shell that waits for opforge's end.

The shell reads the running children from a pipe, which ends when opforge ends for any reason. PR_SET_PDEATHSIG is not
enough: it ends only the child, not the compilers started by make started by cmake.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import suppress

_SCRIPT = """
live=
while read -r what id; do
    case $what in
    +) live="$live $id" ;;
    -)
        rest=
        for one in $live; do [ "$one" = "$id" ] || rest="$rest $one"; done
        live=$rest
        ;;
    esac
done
[ -z "$live" ] || kill -s KILL -- $live
"""


class Watch:
    """The shell and opforge's end of its pipe. A child that starts at the moment of the kill may be missed."""

    def __init__(self, spawn: Callable[..., int]) -> None:
        """Starts the shell by ``spawn`` (os.posix_spawn), in its own session: our group's signals do not reach it."""
        heard, self._told = os.pipe()
        null = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
        actions = [(os.POSIX_SPAWN_DUP2, heard, 0), null, (os.POSIX_SPAWN_DUP2, 1, 2)]
        try:
            self._shell = spawn("/bin/sh", ["sh", "-c", _SCRIPT], {}, file_actions=actions, setsid=True)
        except BaseException:
            os.close(self._told)
            raise
        finally:
            os.close(heard)
        weakref.finalize(self, _end, self._told, self._shell, os.getpid())

    def started(self, pid: int, *, group: bool) -> None:
        """A child started; with ``group``, the whole process group that it leads is ended."""
        self._tell("+", pid, group=group)

    def ended(self, pid: int, *, group: bool) -> None:
        """A child ended: its process id may be reused."""
        self._tell("-", pid, group=group)

    def _tell(self, what: str, pid: int, *, group: bool) -> None:
        with suppress(BrokenPipeError):  # the shell was ended
            os.write(self._told, f"{what} {'-' if group else ''}{pid}\n".encode())


def _end(told: int, shell: int, owner: int) -> None:
    """Ends the shell, in the process that started it."""
    if owner == os.getpid():
        os.close(told)
        with suppress(ChildProcessError):
            os.waitpid(shell, os.WNOHANG)  # the shell may end later: a forked process also has the pipe
