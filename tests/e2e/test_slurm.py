"""``opforge build --executor submitit`` on a real Slurm: jobs are cancelled, and a build is stopped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kept import CACHE

pytestmark = [pytest.mark.slow, pytest.mark.compiler]

pytest.importorskip("submitit")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vector_add"
SBIN = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
# One machine, no accounts: `sacct` knows no job. Nobody but this user may reach the daemons.
CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
Ask = Callable[..., str]


def free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """A Slurm that runs; the value calls its commands."""
    programs = [shutil.which(name, path=SBIN) for name in ("slurmctld", "slurmd")]
    if not all(programs) or not shutil.which("sbatch"):
        pytest.skip("Slurm is not installed")
    if os.geteuid() != 0:
        pytest.skip("slurmd needs root")
    folder = tmp_path / "slurm"
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    conf = folder / "slurm.conf"
    host = socket.gethostname().partition(".")[0]
    conf.write_text(CONF.format(host=host, ports=free_ports(), user="root", folder=folder))
    monkeypatch.setenv("SLURM_CONF", str(conf))

    def run(*words: str) -> str:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout

    with (folder / "out").open("w") as out:
        daemons = [subprocess.Popen([str(program), "-D"], stdout=out, stderr=out) for program in programs]
        try:
            until(lambda: "idle" in run("sinfo", "--noheader", "--format=%T"), 60)
            yield run
        finally:
            run("scancel", "--user=root", "--signal=KILL")
            for daemon in reversed(daemons):
                daemon.terminate()
                daemon.wait(timeout=30)


def until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.fixture
def start(tmp_path: Path) -> Callable[[], subprocess.Popen[str]]:
    """Starts the build of a fresh copy of the example on Slurm."""

    def run() -> subprocess.Popen[str]:
        project = tmp_path / "project"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(EXAMPLE, project)
        command = [sys.executable, "-m", "opforge", "build", "--toolchain", "simulator", "--executor", "submitit"]
        environ = {**os.environ, "VIRTUAL_ENV": sys.prefix, "OPFORGE_CACHE": str(CACHE)}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=project, env=environ, stdout=pipe, stderr=pipe, text=True)

    return run


def jobs(ask: Ask, state: str) -> list[str]:
    return ask("squeue", "--noheader", "--format=%A", f"--states={state}").split()


def test_kernels_on_slurm(ask: Ask, start: Callable[[], subprocess.Popen[str]]) -> None:
    build = start()
    _, said = build.communicate(timeout=300)
    assert build.returncode == 0, said
    assert "0 taken from the shared cache (" in said
    assert "sacct" not in said
    assert "not by the farm" not in said

    ask("scontrol", "update", "PartitionName=all", "State=DOWN")  # jobs wait
    build = start()
    until(lambda: bool(jobs(ask, "pending")), 120)
    time.sleep(2)  # until the build has seen them
    cancelled = jobs(ask, "pending")
    ask("scancel", *cancelled)
    ask("scontrol", "update", "PartitionName=all", "State=UP")
    _, said = build.communicate(timeout=300)
    assert build.returncode == 0, said
    assert f"Slurm ended job {cancelled[0]} without a result" in said
    assert f"{len(cancelled)} not by the farm" in said

    ask("scontrol", "update", "PartitionName=all", "State=DOWN")
    build = start()
    until(lambda: bool(jobs(ask, "pending")), 120)
    build.send_signal(signal.SIGINT)
    build.communicate(timeout=60)
    assert build.returncode == 130
    until(lambda: not jobs(ask, "pending,running,completing"), 30)
