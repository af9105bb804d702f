"""Runs an opforge command on another machine, follows it across broken connections, and fetches its results."""

from __future__ import annotations

import platform
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from opforge.errors import BuildError, EnvironmentProblem
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.remote.command import Command
from opforge.remote.connection import NO_CONNECTION, Connection, advice
from opforge.remote.output import GrowingLog
from opforge.remote.parcel import pack, project_files, take
from opforge.remote.scripts import (
    follow_script,
    parcel_script,
    problem_script,
    start_script,
    stop_script,
    taken_script,
)
from opforge.remote.start_errors import elsewhere, start_error
from opforge.sha256 import sha256
from opforge.toolkit.process import Completed

_PAUSES: tuple[float, ...] = (1, 2, 5, 10, 20, 30, 60, 60, 60)  # seconds before each further attempt
_FULL = 1024  # KiB that are left; a disk with less is full
_LOGS, _SHOWN = "build/logs/", 6  # files that are not named, and the number of those that are
_ENDS = ("ended ", "lost")  # how the follow script ends
_UNPACKED = "unpacked"  # in place of a digest


class Screen(Protocol):
    """Shows a job."""

    def note(self, text: str) -> None:
        """One line about the job and its machine."""

    def output(self, text: str) -> None:
        """A part of the command's output, with its line ends."""


@dataclass(frozen=True)
class Ended:
    """The end of the command there: its status and its stdout, with local paths; "" if that was shown."""

    code: int
    output: str


@dataclass(frozen=True)
class _Results:
    """The results of a job, still there. ``left`` is the space on its disk in KiB; -1 if that is not known."""

    code: int
    left: int
    digest: str
    project: str


class RemoteJob:
    """One command for one project on one machine."""

    def __init__(self, connection: Connection, root: Path, screen: Screen) -> None:
        self.connection, self.root, self.screen = connection, root, screen
        self.address = connection.address
        place = sha256(f"{platform.node()}:{root}".encode(errors="surrogateescape")).hexdigest()[:12]
        name = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', root.name)}-{place}"
        self.folder = f"{self.address.folder or '.cache/opforge/remote'}/{name}"
        self.pauses: Sequence[float] = _PAUSES  # seconds

    def run(self, command: Command) -> Ended:
        """Sends the project, runs the command, shows its output, and fetches what it brings back."""
        connection = self.connection
        with tempfile.TemporaryDirectory(prefix="opforge-remote-") as made:
            parcel = Path(made) / "parcel"
            key = pack(self.root, project_files(self.root, connection.runner, connection.environ), parcel)
            key = sha256(f"{key}\0{command.meaning}".encode(errors="surrogateescape")).hexdigest()
            begun = False
            try:
                self._start(command, key, parcel)
                begun = True
                results = self._follow(Path(made) / "log")
            except KeyboardInterrupt:
                if begun or not connection.asking:
                    self._stop(key)
                raise
            return self._fetch(command, results, Path(made) / "fetched")

    def _start(self, command: Command, key: str, parcel: Path) -> None:
        target = self.address.target
        script = start_script(self.folder, f"opforge {__version__}", key, command)
        done = self.connection.run(script, source=parcel)
        if not done.ok:
            raise EnvironmentProblem(
                f"cannot run a command on {target} by ssh (status {done.code})",
                detail=done.tail(),
                hint=advice(done, self.address, terminal=self.connection.terminal),
            )
        word, _, rest = (done.output.strip().splitlines() or [""])[-1].partition(" ")
        if word not in {"started", "attached", "ended"}:
            raise start_error(done, self.address, self.folder)
        where = f"{target}: {self.folder}"
        if word == "ended":
            self.screen.note(
                f"this command ended {rest} min ago on {where}\n"
                "  its results were not fetched, and come now; the next time it runs anew"
            )
        else:
            self.screen.note(f"{word if word == 'started' else 'attached to the running job'} on {where}")

    def _follow(self, answer: Path) -> _Results:
        """Shows the log until the job ends."""
        log = GrowingLog(answer, self.root, self.screen.output)

        def connect() -> Completed:
            log.begin()
            return self.connection.follow(follow_script(self.folder, log.seen), answer, log.read)

        done = self._again(connect).require(
            f"cannot follow the job on {self.address.target}", BuildError, "run the same command again: it attaches"
        )
        log.end()
        word, *more = next(line for line in reversed(done.output.splitlines()) if line.startswith(_ENDS)).split()
        if word == "lost":
            raise BuildError(
                f"the job on {self.address.target} was killed, or the machine started anew",
                hint="run the same command again",
            )
        code, left, digest = more
        return _Results(int(code), int(left) if left.isdigit() else -1, digest, log.project)

    def _fetch(self, command: Command, results: _Results, parcel: Path) -> Ended:
        target = self.address.target
        if results.digest == _UNPACKED:
            raise BuildError(
                f"the command ended with status {results.code} on {target}, but its results could not be packed in "
                f"{self.folder}; nothing here has changed",
                detail=self.connection.run(problem_script(self.folder)).tail(),
                hint=f"free some space there and run the command again, or {elsewhere(self.address)}",
            )
        self._again(partial(self.connection.run, parcel_script(self.folder), to=parcel)).require(
            f"cannot fetch the results from {target}", BuildError, "run the same command again: it fetches them"
        )
        taken = take(parcel, results.digest, self.root, command)
        self.connection.run(taken_script(self.folder), ask=False)
        files = [name for name in taken.files if not name.startswith(_LOGS)]
        if files:
            more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
            self.screen.note(f"fetched: {', '.join(files[:_SHOWN])}{more}")
        if results.code != 0 and 0 <= results.left < _FULL:
            self.screen.note(
                f"the disk of {target}: {self.folder} is full ({results.left} KiB are left)\n"
                f"  help: free some space there, or {elsewhere(self.address)}"
            )
        return Ended(results.code, taken.output.replace(results.project, str(self.root)))

    def _again(self, connect: Callable[[], Completed]) -> Completed:
        """Connects again while the connection breaks; the job goes on meanwhile."""
        done = connect()
        for pause in self.pauses:
            if done.code != NO_CONNECTION:
                break
            self.screen.note(
                f"the connection to {self.address.target} broke; the job goes on there; trying again in {pause} s"
            )
            time.sleep(pause)
            done = connect()
        return done

    def _stop(self, key: str) -> None:
        target = self.address.target
        stopped = self.connection.run(stop_script(self.folder, key), ask=False).ok
        self.screen.note(
            f"stopped the job on {target}" if stopped else f"could not stop the job on {target}: it may go on"
        )
