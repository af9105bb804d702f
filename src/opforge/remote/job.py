"""Runs an opforge command on another machine, follows it across broken connections, and fetches the artifacts."""

from __future__ import annotations

import platform
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from opforge.errors import BuildError, EnvironmentProblem, ProjectError
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.remote.address import Address
from opforge.remote.parcel import pack, project_files, take
from opforge.remote.scripts import follow_script, parcel_script, start_script, stop_script
from opforge.sha256 import sha256
from opforge.toolkit.process import Completed, Runner

_PAUSES: tuple[float, ...] = (1, 2, 5, 10, 20, 30, 60, 60, 60)  # seconds before each further attempt
_NO_CONNECTION = 255  # ssh's own status


@dataclass(frozen=True)
class Ended:
    """The end of the command there: its status and its stdout, with local paths."""

    code: int
    output: str


class RemoteJob:
    """One command for one project on one machine."""

    def __init__(self, address: Address, root: Path, runner: Runner, environ: Mapping[str, str]) -> None:
        self.address, self.root, self.runner, self.environ = address, root, runner, environ
        place = sha256(f"{platform.node()}:{root}".encode(errors="surrogateescape")).hexdigest()[:12]
        name = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', root.name)}-{place}"
        self.folder = f"{address.folder or '.cache/opforge/remote'}/{name}"
        self.pauses: Sequence[float] = _PAUSES  # seconds

    def run(self, python: str, arguments: Sequence[str], say: Callable[[str], None]) -> Ended:
        """Sends the project, runs ``opforge ARGUMENTS`` and replaces dist/; tells ``say`` each line of the log."""
        with tempfile.TemporaryDirectory(prefix="opforge-remote-") as made:
            parcel = Path(made) / "parcel"
            key = pack(self.root, project_files(self.root, self.runner, self.environ), parcel)
            key = sha256("\0".join([key, python, *arguments]).encode()).hexdigest()
            try:
                self._start(python, arguments, key, parcel, say)
                code, digest, there = self._follow(Path(made) / "log", say)
            except KeyboardInterrupt:
                self._stop(key, say)
                raise
            fetched = Path(made) / "fetched"
            self._again(partial(self._ssh, parcel_script(self.folder), to=fetched), say).require(
                f"cannot fetch the artifacts from {self.address.target}", BuildError, "run the same command again"
            )
            return Ended(code, take(fetched, digest, self.root).replace(there, str(self.root)))

    def _ssh(self, script: str, *, source: Path = Path("/dev/null"), to: Path | None = None) -> Completed:
        """One connection; stdin comes from ``source``, stdout goes to the file ``to``."""
        redirect = (
            'in=$1; shift; exec "$@" < "$in"' if to is None else 'in=$1; to=$2; shift 2; exec "$@" < "$in" > "$to"'
        )
        files = [str(source)] if to is None else [str(source), str(to)]
        command = ["sh", "-c", redirect, "sh", *files, *self.address.command(script)]
        return self.runner.run(command, cwd=self.root, env=self.environ)

    def _start(self, python: str, arguments: Sequence[str], key: str, parcel: Path, say: Callable[[str], None]) -> None:
        target = self.address.target
        script = start_script(self.folder, python, f"opforge {__version__}", key, arguments)
        done = self._ssh(script, source=parcel)
        if not done.ok:
            raise EnvironmentProblem(
                f"cannot run a command on {target} by ssh (status {done.code})",
                detail=done.tail(),
                hint=f"try `ssh -o BatchMode=yes {target} true`: opforge takes the keys, agent and ~/.ssh/config of "
                "ssh and never asks for a password",
            )
        word, _, rest = (done.output.strip().splitlines() or [""])[-1].partition(" ")
        if word in {"started", "attached"}:
            say(f"{word if word == 'started' else 'attached to the running job'} on {target}: {self.folder}")
            return
        install = f"ssh {target} {python} -m pip install opforge=={__version__}"
        refusals = {
            "folder": (f"cannot make the folder {self.folder} on {target}", "check its rights and the disk's space"),
            "unpack": (f"cannot unpack the project in {self.folder} on {target}", "check the disk's space there"),
            "tool": (f"{target} lacks the program {rest}", f"install {rest} there"),
            "missing": (
                f"{python} on {target} cannot run opforge",
                f"{install}, or name its environment: --python PATH",
            ),
            "version": (f"{target} has {rest}, this machine has opforge {__version__}", install),
            "busy": (
                f"another job of this project runs on {target}, with other sources or options",
                "wait for its end, or press Ctrl-C where it is followed",
            ),
        }
        what, hint = refusals.get(word, (f"{target} answered something unexpected", "look at the output above"))
        error = ProjectError if word == "busy" else EnvironmentProblem
        raise error(what, detail=done.tail() if word not in {"busy", "version", "tool"} else None, hint=hint)

    def _follow(self, log: Path, say: Callable[[str], None]) -> tuple[int, str, str]:
        """Tells the log until the job ends. Returns its status, the parcel's digest and the project's folder there."""
        seen, rest = 0, b""
        while True:
            script = follow_script(self.folder, seen)
            self._again(partial(self._ssh, script, to=log), say).require(
                f"cannot follow the job on {self.address.target}", BuildError, "run the same command again: it attaches"
            )
            state, there, new = log.read_bytes().split(b"\n", 2)
            project = f"{there.decode(errors='replace')}/project"
            seen += len(new)
            *lines, rest = (rest + new).split(b"\n")
            words = state.decode().split()
            if words[0] != "running" and rest:
                lines.append(rest)
            for line in lines:
                say(line.decode(errors="replace").replace(project, str(self.root)))
            if words[0] == "ended":
                return int(words[1]), words[2], project
            if words[0] == "lost":
                raise BuildError(
                    f"the job on {self.address.target} was killed, or the machine started anew",
                    hint="run the same command again",
                )

    def _again(self, connect: Callable[[], Completed], say: Callable[[str], None]) -> Completed:
        """Connects again while the connection breaks; the job goes on meanwhile."""
        done = connect()
        for pause in self.pauses:
            if done.code != _NO_CONNECTION:
                break
            say(f"the connection to {self.address.target} broke; the job goes on there; trying again in {pause} s")
            time.sleep(pause)
            done = connect()
        return done

    def _stop(self, key: str, say: Callable[[str], None]) -> None:
        stopped = self._ssh(stop_script(self.folder, key)).ok
        say(
            f"stopped the job on {self.address.target}"
            if stopped
            else f"could not stop the job on {self.address.target}: it may go on"
        )
