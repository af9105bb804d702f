"""The executors of a build's kernel compilations: this machine's processes, a Dask cluster, or submitit.

A farm may fail: a worker dies, a scheduler ends, a machine has another toolkit. A kernel that the farm does not compile
is compiled on this machine, and a note says why. A kernel that does not compile is a result, not a failure of the farm.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from opforge.build.farm_worker import compile_here
from opforge.build.kernel_job import Job, Result
from opforge.build.kernel_worker import compile_job
from opforge.build.request import Farm
from opforge.errors import EnvironmentProblem, ToolkitError, UsageError
from opforge.frozen import dataclass
from opforge.toolkit.process import Runner
from opforge.toolkit.protocol import Toolkit

_CONNECT_SECONDS = 20.0
_WITHOUT_WORKERS = 30.0  # seconds that a job waits for a worker
_POLL = 2.0
_LATE_FILE = 15.0  # seconds until a shared folder shows a file of another machine
_SILENCE = 60.0  # seconds of a batch system


class Unavailable(Exception):  # noqa: N818  (a state of the farm)
    """The farm did not run a job. The text says why."""


class Executor(ABC):
    """Runs jobs; several threads call ``run`` at the same time."""

    slots: int = 0  # jobs that run at the same time; 0: as many as the build has compilers

    @abstractmethod
    def run(self, job: Job) -> Result:
        """The job's result. Raises Unavailable."""

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Ends what the executor holds."""


@dataclass(frozen=True)
class Here:
    """This machine's toolkit and environment, for jobs that run on it."""

    toolkit: Toolkit
    environ: Mapping[str, str]
    runner: Runner


class Processes(Executor):
    """A process on this machine for each job."""

    def __init__(self, here: Here) -> None:
        self.here = here

    def run(self, job: Job) -> Result:
        """The job's result."""
        return compile_job(job, self.here.toolkit, self.here.environ, self.here.runner)


class Dask(Executor):
    """The workers of a Dask cluster. The scheduler gives the job of a worker that died to another one."""

    def __init__(self, address: str) -> None:
        try:
            import distributed  # noqa: PLC0415
        except ImportError as error:
            raise EnvironmentProblem(
                "--executor dask needs the package distributed", hint="pip install 'opforge[farm]'"
            ) from error
        try:
            self.client: Any = distributed.Client(address, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise EnvironmentProblem(
                f"--scheduler {address}: no Dask scheduler answers there",
                hint="dask scheduler, and dask worker ADDRESS",
            ) from error
        self.wait: Callable[..., object] = distributed.wait
        self.late = (TimeoutError, asyncio.TimeoutError, distributed.TimeoutError)
        self.slots = sum(self.client.ncores().values())

    def run(self, job: Job) -> Result:
        """The job's result, from any worker."""
        future = self.client.submit(compile_here, job, pure=False, retries=1)
        alone = time.monotonic()
        try:
            while not self._ended(future):
                alone = self._alone_since(alone)
            result = future.result(timeout=_CONNECT_SECONDS)
        except Unavailable:
            raise
        except (Exception, asyncio.CancelledError) as error:  # of the worker, or one of the connection's many
            raise Unavailable(_said(error)) from error
        finally:
            future.release()
        return _checked(result)

    def _alone_since(self, before: float) -> float:
        """The time since which there is no worker. Raises Unavailable if that is too long, or without a scheduler."""
        if self.client.status != "running":
            raise Unavailable("the scheduler does not answer")
        if self.client.scheduler_info().get("workers"):
            return time.monotonic()
        if time.monotonic() - before > _WITHOUT_WORKERS:
            raise Unavailable("the scheduler has no worker")
        return before

    def _ended(self, future: Any) -> bool:
        """Waits for a short time."""
        try:
            self.wait(future, timeout=_POLL)
        except self.late:
            return False
        return True

    def close(self) -> None:
        """Leaves the cluster."""
        self.client.close(timeout=5)


class Submitit(Executor):
    """Jobs of a batch system: ``slurm``, or ``local`` for processes on this machine. They share ``folder``."""

    slots = 64

    def __init__(self, cluster: str, folder: Path, here: Here) -> None:
        try:
            import submitit  # noqa: PLC0415
        except ImportError as error:
            raise EnvironmentProblem(
                "--executor submitit needs the package submitit", hint="pip install 'opforge[farm]'"
            ) from error
        if cluster not in ("slurm", "local"):
            raise UsageError(f"--scheduler {cluster}: submitit has slurm and local", hint="--scheduler slurm")
        if cluster == "local":
            self.slots = 0
        try:
            self.executor: Any = submitit.AutoExecutor(folder=folder, cluster=cluster)
        except RuntimeError as error:
            raise EnvironmentProblem(f"submitit cannot use {cluster}: {error}", hint="is sbatch on PATH?") from error
        self.executor.update_parameters(timeout_min=30, name="opforge-kernel", cpus_per_task=1)
        self.queue = SlurmQueue(here.environ, here.runner) if cluster == "slurm" else None
        self._guard = threading.Lock()
        self._running: dict[str, Any] = {}

    def run(self, job: Job) -> Result:
        """The job's result."""
        try:
            with self._guard:  # submitit's executors are not made for threads
                submitted = self.executor.submit(compile_here, job)
                self._running[submitted.job_id] = submitted
        except Exception as error:
            raise Unavailable(_said(error)) from error
        try:
            if self.queue is not None:
                self.queue.wait(submitted.job_id, submitted.paths.result_pickle)
            return _checked(submitted.result())
        except Unavailable:
            raise
        except Exception as error:
            raise Unavailable(_said(error)) from error
        finally:
            with self._guard:
                self._running.pop(submitted.job_id, None)

    def close(self) -> None:
        """Cancels the jobs of a build that was stopped."""
        with self._guard:
            left = list(self._running.values())
        for job in left:
            job.cancel(check=False)


class SlurmQueue:
    """Slurm's queue, for waiting. submitit asks ``sacct``, which knows nothing where Slurm keeps no accounts."""

    def __init__(self, environ: Mapping[str, str], runner: Runner) -> None:
        self.environ, self.runner = environ, runner
        self._guard = threading.Lock()
        self._asked, self._answered = -math.inf, time.monotonic()
        self._waiting: frozenset[str] = frozenset()  # jobs that wait or run

    def wait(self, job: str, result: Path) -> None:
        """Waits for a job's result. Raises Unavailable if the job ends without one, or Slurm does not answer."""
        submitted, ended = time.monotonic(), math.inf
        while not _visible(result):
            time.sleep(_POLL / 4)
            if self._has(job, submitted):
                ended = math.inf
            elif ended == math.inf:
                ended = time.monotonic()
            elif time.monotonic() - ended > _LATE_FILE:
                raise Unavailable(f"Slurm ended job {job} without a result")

    def _has(self, job: str, submitted: float) -> bool:
        """Whether the job waits or runs, as far as a recent answer says. One call of squeue serves all threads."""
        with self._guard:
            now = time.monotonic()
            if now - self._asked > _POLL:
                self._asked = now
                try:
                    user = str(os.geteuid())
                    answer = self.runner.run(
                        ["squeue", "--noheader", "--format=%A", f"--user={user}"],
                        cwd=Path("/"),
                        env=self.environ,
                        timeout=_CONNECT_SECONDS,
                    )
                except ToolkitError:
                    answer = None
                if answer is not None and answer.ok:
                    self._answered = now
                    self._waiting = frozenset(answer.output.split())
            if now - self._answered > _SILENCE:
                raise Unavailable(f"Slurm's squeue has not answered for {_SILENCE:.0f} s")
            return job in self._waiting or self._answered <= submitted


def _visible(file: Path) -> bool:
    """Whether a file exists. Changing the folder's permissions to what they are lets NFS forget what it knew."""
    with suppress(OSError):
        file.parent.chmod(file.parent.stat().st_mode)
    return file.exists()


def _checked(result: object) -> Result:
    if not isinstance(result, Result) or (result.code == 0 and not result.complete):
        raise Unavailable("the worker gave an incomplete result")
    if result.code < 0:
        raise Unavailable(f"a signal ended the compiler on {result.where}")
    return result


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def make_executor(farm: Farm, here: Here, folder: Callable[[], Path]) -> Executor:
    """The executor that the command line names. Raises UsageError and EnvironmentProblem."""
    if farm.executor == "processes":
        return Processes(here)
    if farm.executor == "dask":
        if farm.scheduler is None:
            raise UsageError("--executor dask needs the scheduler's address", hint="--scheduler tcp://HOST:8786")
        return Dask(farm.scheduler)
    return Submitit(farm.scheduler or "slurm", folder(), here)
