"""Compiles a build's kernels as jobs: looks in the shared cache, then gives them to an executor.

CMake and make decide when a kernel is compiled, with CANN as with the simulated toolkit. They start asc_opc, and find a
script of this module instead, which asks here by a socket.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path

from opforge.build import kernel_client
from opforge.build.kernel_executors import Executor, Here, Processes, Unavailable, make_executor
from opforge.build.kernel_job import Job, Maker, Result, toolkit_identity, unworded
from opforge.build.kernel_worker import compiler_of, compiler_version
from opforge.build.request import BuildRequest
from opforge.frozen import dataclass
from opforge.progress import Progress
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.store import Store

_MOST_BYTES = 4_000_000_000
_WAITING = 1024


@dataclass
class Counts:
    """The kernels of a build by the place where they came from."""

    compiled: int = 0
    taken: int = 0  # from the shared cache
    failed: int = 0
    alone: int = 0  # compiled without a job, because they read files outside the build folder
    returned: int = 0  # the farm did not compile them, so this machine did
    machines: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """One line for people."""
        parts = [f"{self.compiled} compiled", f"{self.taken} taken from the shared cache"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.returned} not by the farm"] if self.returned else []
        parts += [f"{self.alone} not shared, because they read files outside the project"] if self.alone else []
        where = ", ".join(f"{host}: {count}" for host, count in sorted(self.machines.items()))
        return f"kernels: {', '.join(parts)}" + (f" ({where})" if where else "")


class Service:
    """Answers the scripts that stand for asc_opc, one thread for each kernel."""

    def __init__(self, maker: Maker, executor: Executor, here: Here, store: Store | None, progress: Progress) -> None:
        self.maker, self.executor, self.here, self.store, self.progress = maker, executor, here, store, progress
        self.counts = Counts()
        self._guard = threading.Lock()
        self._noted: set[str] = set()

    def answer(self, command: list[str], environ: Mapping[str, str]) -> dict[str, object]:
        """The status and messages of a kernel whose outputs now exist; empty if the script must compile itself."""
        job = self.maker.job(command, environ)
        if job is None:
            with self._guard:
                self.counts.alone += 1
            return {}
        result = self._taken(job)
        if result is None:
            result = self._compiled(job)
        place, root = self.maker.place, self.maker.toolkit.root
        if result.complete:
            for name, data in sorted(result.files.items(), key=lambda item: item[0].endswith(".o")):
                _publish(place / job.output / name, unworded(data, place, root) if not name.endswith(".o") else data)
        said = unworded(result.output.encode(), place, root).decode()
        return {"code": result.code if result.code >= 0 else 1, "output": said}

    def _taken(self, job: Job) -> Result | None:
        files = None if self.store is None else self.store.get(job.key)
        if files is None:
            return None
        result = Result(0, "", {name: data for name, data in files.items() if name.startswith(job.name)})
        if not result.complete:
            return None
        with self._guard:
            self.counts.taken += 1
        return result

    def _compiled(self, job: Job) -> Result:
        try:
            result = self.executor.run(job)
        except Unavailable as reason:
            with self._guard:
                self.counts.returned += 1
            self._note(f"warning: the farm did not compile a kernel, so this machine does: {reason}")
            result = Processes(self.here).run(job)
        with self._guard:
            if result.complete:
                self.counts.compiled += 1
                self.counts.machines[result.where] = self.counts.machines.get(result.where, 0) + 1
            else:
                self.counts.failed += 1
        if result.complete and self.store is not None and not self.store.put(job.key, result.files):
            self._note(f"warning: {self.store.folder} cannot be written: kernels are not shared")
        return result

    def _note(self, text: str) -> None:
        with self._guard:
            if text not in self._noted:
                self._noted.add(text)
                self.progress.note(text)


def _publish(path: Path, data: bytes) -> None:
    """Writes an output whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(data)
    written = Path(file.name)
    written.chmod(0o755 if path.suffix == ".o" else 0o644)
    written.replace(path)


@dataclass(frozen=True)
class Jobs:
    """A running service. ``script`` are the words of the program that stands for asc_opc."""

    script: tuple[str, ...]
    slots: int
    counts: Counts


@contextmanager
def serving(request: BuildRequest, toolkit: Toolkit, place: Path, environ: Mapping[str, str]) -> Iterator[Jobs]:
    """Serves the kernels of a build folder while the block runs. ``environ`` is that of its make."""
    farm, runner = request.farm, request.runner
    here = Here(toolkit, request.environ, runner)
    store = None if farm.cache is None else Store(farm.cache / "kernels", _MOST_BYTES, request.progress.note)
    compiler = compiler_version(request.environ, runner)
    maker = Maker(place, toolkit, toolkit_identity(toolkit), compiler, environ)
    folder = Path(tempfile.mkdtemp(prefix="opforge-jobs-"))  # short: a socket's path has at most 107 bytes
    try:
        executor = make_executor(farm, here, lambda: request.folder / "jobs")
        service = Service(maker, executor, here, store, request.progress)
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.bind(str(folder / "socket"))
                line.listen(_WAITING)
                threading.Thread(target=_accept, args=(line, service), daemon=True).start()
                client = [sys.executable, "-I", "-S", kernel_client.__file__, str(folder / "socket")]
                words = [*client, *map(str, compiler_of(toolkit, environ)), "--"]
                yield Jobs(tuple(words), executor.slots, service.counts)
        finally:
            executor.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _accept(line: socket.socket, service: Service) -> None:
    with suppress(OSError):  # the socket is closed at the end
        while True:
            caller, _ = line.accept()
            threading.Thread(target=_serve, args=(caller, service), daemon=True).start()


def _serve(caller: socket.socket, service: Service) -> None:
    with caller, caller.makefile("rb") as stream:
        answer: dict[str, object] = {}
        try:
            asked = json.loads(stream.readline())
            answer = service.answer(asked["words"], asked["environ"])
        except KeyboardInterrupt:  # the build was stopped
            answer = {"code": 1, "output": "interrupted\n"}
        except Exception as error:  # noqa: BLE001  (the script compiles itself)
            service.progress.note(f"warning: a kernel is compiled without a job: {type(error).__name__}: {error}")
        with suppress(OSError):
            caller.sendall(json.dumps(answer).encode())
