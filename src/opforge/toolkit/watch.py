"""Ends what opforge has started where opforge itself is killed (SIGKILL): a shell that waits for its end.

The shell reads from a pipe which of our children run, and has the end of the pipe when we are gone, however that came
about. PR_SET_PDEATHSIG would not do: it ends the child alone, and not the compilers below make below cmake.
"""

from __future__ import annotations

import os
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
    """The shell, and our end of its pipe. A child that starts in the very moment of a kill may be missed."""

    def __init__(self, spawn: Callable[..., int]) -> None:
        """Starts the shell by ``spawn`` (os.posix_spawn), in a session that signals to our group do not reach."""
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
        self._owner = os.getpid()

    def started(self, pid: int, *, group: bool) -> None:
        """A child runs; with ``group`` it leads a process group, all of which is meant."""
        self._tell("+", pid, group=group)

    def ended(self, pid: int, *, group: bool) -> None:
        """The child has ended: its number may soon be another's."""
        self._tell("-", pid, group=group)

    def _tell(self, what: str, pid: int, *, group: bool) -> None:
        with suppress(BrokenPipeError):  # somebody has ended the shell
            os.write(self._told, f"{what} {'-' if group else ''}{pid}\n".encode())

    def __del__(self) -> None:
        """Lets the shell go."""
        if getattr(self, "_owner", None) == os.getpid():
            os.close(self._told)
            with suppress(ChildProcessError):
                os.waitpid(self._shell, os.WNOHANG)  # it may see the end later: a forked process has the pipe too
