"""Runs scripts on a machine by ssh. ssh asks nothing, except on a terminal where it must."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from opforge.remote.address import Address
from opforge.toolkit.process import Completed, Runner

NO_CONNECTION = 255  # ssh's own status
_NOTHING = Path("/dev/null")
_UNKNOWN_KEY, _CHANGED_KEY = "Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"
_ASKS = re.compile(rf"{_UNKNOWN_KEY}|Permission denied \(")
_LOOK = 0.2  # seconds between two looks at a script's output
_KEPT = 180  # seconds that the answered connection stays open between two scripts


class Connection:
    """The way to one machine.

    Each script has a connection of its own, which must not ask for anything (BatchMode). If ssh refuses for that reason
    and there is a ``terminal``, ssh asks there once: that connection stays open, and the scripts go through it.
    """

    def __init__(
        self, address: Address, runner: Runner, cwd: Path, environ: Mapping[str, str], *, terminal: bool
    ) -> None:
        self.address, self.runner, self.cwd, self.environ, self.terminal = address, runner, cwd, environ, terminal
        self.asking = False  # ssh is asking on the terminal, or was when Ctrl-C came
        self._socket: tempfile.TemporaryDirectory[str] | None = None

    def run(self, script: str, *, source: Path = _NOTHING, to: Path | None = None, ask: bool = True) -> Completed:
        """Runs a quoted script; its stdin comes from ``source``, its stdout goes to the file ``to`` or to the result.

        A status of 255 means that ssh did not connect, or that the connection broke.
        """
        done = self._once(script, source, to, self.runner)
        if ask and self._asked(done):
            done = self._once(script, source, to, self.runner)
        return done

    def follow(self, script: str, to: Path, read: Callable[[], None]) -> Completed:
        """Runs a script like ``run``, and calls ``read`` in this thread several times a second while it does."""
        done = self._followed(script, to, read)
        return self._followed(script, to, read) if self._asked(done) else done

    def _followed(self, script: str, to: Path, read: Callable[[], None]) -> Completed:
        runner = Runner(self.runner.observer)  # ``stop`` ends what it runs and nothing else
        to.write_bytes(b"")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self._once, script, _NOTHING, to, runner)
            try:
                while not running.done():
                    wait([running], _LOOK)
                    read()
            except BaseException:
                runner.stop()
                raise
        read()
        return running.result()

    def _asked(self, done: Completed) -> bool:
        """Whether ssh failed because it had to ask, and has asked now."""
        return self.terminal and asks(done) and self._ask()

    def close(self) -> None:
        """Closes the connection that was made on the terminal."""
        if self._socket is not None:
            words = ["ssh", *(word for option in self._through() for word in ("-o", option)), "-O", "exit"]
            self.runner.run([*words, "--", self.address.target], cwd=self.cwd, env=self.environ)
            self._socket.cleanup()

    def _once(self, script: str, source: Path, to: Path | None, runner: Runner) -> Completed:
        redirect = (
            'in=$1; shift; exec "$@" < "$in"' if to is None else 'in=$1; to=$2; shift 2; exec "$@" < "$in" > "$to"'
        )
        files = [str(source)] if to is None else [str(source), str(to)]
        ssh = self.address.command(script, "BatchMode=yes", *self._through())
        return runner.run(["sh", "-c", redirect, "sh", *files, *ssh], cwd=self.cwd, env=self.environ)

    def _through(self) -> list[str]:
        if self._socket is None:
            return []
        return ["ControlPath={}/c".format(self._socket.name.replace("%", "%%"))]

    def _ask(self) -> bool:
        """Connects on the terminal, where ssh asks. Returns whether that worked."""
        if self._socket is None:  # in /tmp, because the path of a socket has 108 bytes at most, and ssh adds 17
            self._socket = tempfile.TemporaryDirectory(prefix="opforge-ssh-", dir="/tmp")
        self.asking = True
        options = ("ControlMaster=auto", f"ControlPersist={_KEPT}", *self._through())
        code = self.runner.attach(self.address.command("true", *options), cwd=self.cwd, env=self.environ)
        if self.runner.signalled == signal.SIGINT:
            raise KeyboardInterrupt
        self.asking = False
        return code == 0


def asks(done: Completed) -> bool:
    """Whether ssh failed because it must not ask for a password, a passphrase or the trust in a new host's key."""
    return done.code == NO_CONNECTION and _ASKS.search(done.output) is not None and _CHANGED_KEY not in done.output


def advice(done: Completed, address: Address, *, terminal: bool) -> str:
    """The hint after ssh failed to connect."""
    if _CHANGED_KEY in done.output:
        return f"find out why {address.target} has another key than before; then remove the old one, as ssh says above"
    if not asks(done) or terminal:
        return f"try `{address.typed} true`: opforge connects as this command does"
    if _UNKNOWN_KEY in done.output:
        return f"the host is new here: type `{address.typed}` in a terminal once, and compare the key's fingerprint"
    return (
        "ssh would ask for a password or a passphrase, and there is no terminal: load the key into an agent "
        f"(`ssh-add`), let the host accept it (`{address.typed.replace('ssh', 'ssh-copy-id', 1)}`), or run this in a "
        "terminal"
    )
