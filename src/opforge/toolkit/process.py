"""Starts processes, with a log and a time limit, and ends all their children. No other module starts any.

Each child leads its own process group, so that a time limit or Ctrl-C ends all its descendants, such as a compiler
started by ninja started by cmake. ``Watch`` ends them if opforge is killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from opforge.errors import OpforgeError, ToolkitError
from opforge.frozen import dataclass

if TYPE_CHECKING:
    # Imported only when a process starts: saves 10 ms in a build with nothing to do.
    import subprocess

    from opforge.toolkit.orphans import Watch

TAIL_LINES = 40
_GRACE_SECONDS = 3.0
_LEAST_STACK = 2**22  # bytes; compilers crash with less
_CRASHED = signal.strsignal(signal.SIGSEGV) or "SIGSEGV"
_TOO_LARGE = signal.strsignal(signal.SIGXFSZ) or "SIGXFSZ"  # the message of compilers and shells


@dataclass(frozen=True)
class Completed:
    """A process that ended. ``output`` is its stdout and stderr, interleaved; ``seconds`` is wall time."""

    command: tuple[str, ...]
    code: int
    output: str
    seconds: float
    log: Path | None = None
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """Whether it ended with status 0."""
        return self.code == 0

    def tail(self, lines: int = TAIL_LINES) -> str:
        """The last lines of the output, and the path of the whole log."""
        text = self.output.rstrip().splitlines()
        if len(text) <= lines:
            return "\n".join(text)
        rest = f"... {len(text) - lines} earlier lines" + (f" in {self.log}" if self.log else "")
        return "\n".join([rest, *text[-lines:]])

    def advice(self, otherwise: str | None) -> str | None:
        """A hint for a failure: on a limit of the machine if that was the cause, else ``otherwise``."""
        if os.strerror(errno.ENOSPC) in self.output or os.strerror(errno.EDQUOT) in self.output:
            return "the disk is full: free some space and try again"
        if os.strerror(errno.EFBIG) in self.output or _TOO_LARGE in self.output:
            return "this shell limits the size of files (`ulimit -f`): raise the limit and try again"
        if self.code == -signal.SIGSEGV or _CRASHED in self.output:
            stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
            if 0 <= stack < _LEAST_STACK:
                kib = stack // 1024
                return f"this shell limits the stack to {kib} KiB (`ulimit -s`): raise it to 8192 and try again"
        return otherwise

    def require(self, what: str, error: type[OpforgeError] = ToolkitError, hint: str | None = None) -> Completed:
        """Itself if it succeeded; otherwise raises ``error`` with its status and the end of its output."""
        if self.ok:
            return self
        if self.timed_out:
            how = f"did not end within {self.seconds:.0f} s"
        elif self.code < 0:
            how = f"was ended by {signal.Signals(-self.code).name}"
        else:
            how = f"exited with status {self.code}"
        where = f"\n(the whole log: {self.log})" if self.log else ""
        raise error(f"{what}: {Path(self.command[0]).name} {how}", detail=self.tail() + where, hint=self.advice(hint))


class Observer(Protocol):
    """Is told of each process. Several threads may start processes at the same time."""

    def process_started(self, command: Sequence[str], cwd: Path) -> int:
        """A process starts in the folder ``cwd``. Returns a number for it."""

    def process_ended(self, number: int, code: int | None, seconds: float) -> None:
        """It ended; ``code`` is as in ``Completed``, or None if it could not start or opforge was interrupted."""


@dataclass
class Runner:
    """Starts processes and tracks the running ones, so that ``stop`` can end them from another thread."""

    observer: Observer | None = None
    _live: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False
    signalled: int = 0  # the last signal that came while a child was attached
    _watch: Watch | None = None

    def run(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path | None = None,
        timeout: float | None = None,
    ) -> Completed:
        """Runs ``command`` with exactly ``env`` and returns its result, whatever its status.

        ``timeout`` is in seconds. With ``log``, the output goes to that file, after a line with the command. Raises
        ToolkitError if the program does not exist or cannot be started.
        """
        import subprocess  # noqa: PLC0415

        words = tuple(str(word) for word in command)
        start = time.monotonic()
        with self._observed(words, cwd) as ended, self._sink(log) as sink:
            if log is not None:
                sink.write(f"$ {' '.join(words)}\n".encode(errors="surrogateescape"))
                sink.flush()
            begin = sink.tell()
            child = self._start(words, cwd, env, sink)
            timed_out = False
            try:
                code = child.wait(timeout)
            except subprocess.TimeoutExpired:
                timed_out = True
                _end(child)
                code = child.wait()
            except BaseException:
                _end(child)
                raise
            else:
                if code != 0:
                    _end_rest(child)
            finally:
                with self._guard:
                    self._live.discard(child)
                    self._watched().ended(child.pid, group=True)
            ended(code)
            sink.seek(begin)
            output = sink.read().decode(errors="replace")
        return Completed(words, code, output, time.monotonic() - start, log, timed_out)

    def attach(self, command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> int:
        """Runs ``command`` on this terminal and returns its exit status; 128 + n for signal n, as in a shell.

        The child stays in the foreground process group, so Ctrl-C reaches it from the terminal, and opforge waits for
        its end. Signals sent only to opforge (SIGTERM, SIGHUP) are passed on.
        """
        import subprocess  # noqa: PLC0415

        words = tuple(str(word) for word in command)
        forward = _Forward(self)  # before the child starts, so that no signal can orphan it
        previous = {
            number: signal.signal(number, forward) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        }
        try:
            with self._observed(words, cwd) as ended:
                try:
                    child = subprocess.Popen(words, cwd=cwd, env=dict(env))
                except OSError as e:
                    raise _cannot_start(words, cwd, e) from e
                forward.to(child)
                ignored = signal.signal(signal.SIGINT, self._note)
                self._watched().started(child.pid, group=False)
                try:
                    code = child.wait()
                finally:
                    self._watched().ended(child.pid, group=False)
                    signal.signal(signal.SIGINT, ignored)
                ended(code)
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
        return code if code >= 0 else 128 - code

    @contextlib.contextmanager
    def _observed(self, words: Sequence[str], cwd: Path) -> Iterator[Callable[[int], None]]:
        """Tells the observer of a process. The block calls the function that it gets with the process's status."""
        codes: list[int] = []
        if self.observer is None:
            yield codes.append
            return
        start = time.monotonic()
        number = self.observer.process_started(words, cwd)
        try:
            yield codes.append
        finally:
            self.observer.process_ended(number, codes[0] if codes else None, time.monotonic() - start)

    def _note(self, number: int, _frame: object = None) -> None:
        """A signal handler that only notes the signal."""
        self.signalled = number

    def _watched(self) -> Watch:
        """The watch that ends the children if opforge is killed."""
        if self._watch is None:
            from opforge.toolkit.orphans import Watch  # noqa: PLC0415  (a build with nothing to do starts no process)

            self._watch = Watch(os.posix_spawn)
        return self._watch

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped

    def stop(self) -> None:
        """Ends every running process; later calls of ``run`` raise."""
        with self._guard:
            self._stopped = True
            live = list(self._live)
        for child in live:
            _end(child)

    def _start(
        self, words: tuple[str, ...], cwd: Path, env: Mapping[str, str], sink: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415

        with self._guard:
            if self._stopped:
                raise KeyboardInterrupt
            watch = self._watched()
            try:
                child = subprocess.Popen(
                    words,
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as e:
                raise _cannot_start(words, cwd, e) from e
            watch.started(child.pid, group=True)
            self._live.add(child)
        return child

    @staticmethod
    @contextlib.contextmanager
    def _sink(log: Path | None) -> Iterator[IO[bytes]]:
        if log is None:
            import tempfile  # noqa: PLC0415

            with tempfile.TemporaryFile() as temporary:
                yield temporary
        else:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab+") as stream:
                stream.seek(0, os.SEEK_END)
                yield stream


def find_program(name: str, path: str | None) -> Path | None:
    """The path of ``name`` on the search path ``path`` (a value of $PATH), or None."""
    folders = ["."] if os.sep in name else (path if path is not None else os.defpath).split(os.pathsep)
    for folder in folders:
        candidate = os.path.join(folder or ".", name)  # noqa: PTH118  (importing shutil for shutil.which takes time)
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113
            return Path(candidate)
    return None


def _cannot_start(words: tuple[str, ...], cwd: Path, error: OSError) -> ToolkitError:
    if not cwd.is_dir():
        return ToolkitError(f"cannot start {words[0]}: the folder {cwd} does not exist")
    hint = f"install {words[0]}, or put its folder on PATH" if isinstance(error, FileNotFoundError) else None
    return ToolkitError(f"cannot start {words[0]}: {error.strerror}", hint=hint)


class _Forward:
    """A signal handler that passes signals on to a child; earlier signals are sent once the child exists."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._child: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def __call__(self, number: int, _frame: object) -> None:
        self._runner.signalled = number
        if self._child is None:
            self._early.append(number)
        else:
            self._child.send_signal(number)

    def to(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        for number in self._early:
            child.send_signal(number)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends the whole group: by SIGTERM, then by SIGKILL."""
    import subprocess  # noqa: PLC0415

    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        try:
            child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        _end_rest(child)
        return


def _end_rest(child: subprocess.Popen[bytes]) -> None:
    """Ends what is left of the group of a child that ended. A compiler would write into the next build's folder."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
