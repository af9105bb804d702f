"""Kernels on a Dask cluster and by submitit: real schedulers and workers on this machine, which compile stand-ins."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_toolkit import op_host
from workshop import SPEC, Workshop

from opforge.build.kernel_service import Counts
from opforge.build.pipeline import build
from opforge.build.request import Farm
from opforge.cli import main as cli
from opforge.errors import BuildError, EnvironmentProblem, UsageError

pytest.importorskip("distributed")
pytestmark = pytest.mark.compiler

# Loaded by each worker: its toolkit is the stand-in, in the cache that OPFORGE_CACHE names.
PRELOAD = """
import opforge.toolkit.simulator
opforge.toolkit.simulator.ensure_simulator = lambda cache, **_: cache / "toolkit" / "stand-in"
"""
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path, workshop: Workshop) -> Iterator[Start]:
    """Starts a program of Dask, and ends it after the test."""
    (tmp_path / "stand_in.py").write_text(PRELOAD)
    running: list[subprocess.Popen[bytes]] = []

    def run(*words: str, **variables: str) -> subprocess.Popen[bytes]:
        env = {**workshop.environ, "OPFORGE_CACHE": str(workshop.cache), "HOME": str(tmp_path), **variables}
        log = (tmp_path / f"dask{len(running)}.log").open("wb")
        words = (sys.executable, "-m", "dask", *words)
        running.append(subprocess.Popen(words, cwd=tmp_path, env=env, stdout=log, stderr=log))
        return running[-1]

    yield run
    for program in running:
        program.kill()
        program.wait()


@pytest.fixture
def scheduling(start: Start) -> subprocess.Popen[bytes]:
    """A scheduler."""
    return start(
        "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", "scheduler.json", "--host", "127.0.0.1"
    )


@pytest.fixture
def scheduler(scheduling: subprocess.Popen[bytes], tmp_path: Path) -> str:  # noqa: ARG001
    """Its address."""
    file = tmp_path / "scheduler.json"
    wait_for(file.is_file)
    time.sleep(0.2)
    return next(word for word in file.read_text().split('"') if word.startswith("tcp://"))


def wait_for(happened: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def worker(start: Start, scheduler: str, tmp_path: Path, **variables: str) -> subprocess.Popen[bytes]:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload", str(tmp_path / "stand_in.py"))
    log = {"STAND_IN_LOG": str(tmp_path / "compiled.log"), "STAND_IN_SECONDS": "0.3"}
    return start("worker", scheduler, *options, **{**log, **variables})


@pytest.fixture
def many(project: Path) -> Path:
    """A project of six ops with two dtypes."""
    head, ops = SPEC.split("ops:\n")
    names = [f"Tiny{word}" for word in ("One", "Two", "Three", "Four", "Five", "Six")]
    (project / "opforge.yaml").write_text(f"{head}ops:\n" + "".join(ops.replace("TinyCopy", op) for op in names))
    for file in ("op_host/tiny_copy.cpp", "op_kernel/tiny_copy.cpp", "op_kernel/tiny_copy_kernel.h"):
        (project / file).unlink()
    for op in names:
        file = f"tiny_{op[4:].lower()}"
        (project / f"op_host/{file}.cpp").write_text(op_host(op, file, "float16,float"))
        (project / f"op_kernel/{file}.cpp").write_text(f"// entry of {op}\n")
    return project


def ran(tmp_path: Path) -> list[str]:
    log = tmp_path / "compiled.log"
    return log.read_text().splitlines() if log.is_file() else []


def on(workshop: Workshop, project: Path, farm: Farm) -> tuple[Counts, list[str]]:
    request = workshop.request(project, farm=farm)
    counts = build(request).jobs
    assert counts is not None
    return counts, request.progress.lines


@pytest.mark.slow
def test_workers_compile_and_a_second_build_takes(start: Start, scheduler: str, many: Path, workshop: Workshop) -> None:
    place = many.parent
    for _ in range(2):
        worker(start, scheduler, place)
    counts, lines = on(workshop, many, Farm("dask", scheduler, place / "shared"))
    assert (counts.compiled, counts.taken, counts.failed, counts.returned) == (12, 0, 0, 0)
    assert len(ran(place)) == 12  # by the workers: this process has no STAND_IN_LOG
    assert not [line for line in lines if "the farm" in line]
    assert not list((many / "build/cann/out/kernels").glob("asc_opc.calls"))
    shutil.copytree(many, place / "clone", ignore=shutil.ignore_patterns("build", "dist"))
    counts, _ = on(workshop, place / "clone", Farm("dask", scheduler, place / "shared"))
    assert (counts.compiled, counts.taken) == (0, 12)
    assert len(ran(place)) == 12


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(start: Start, scheduler: str, many: Path, workshop: Workshop) -> None:
    place = many.parent
    victim = worker(start, scheduler, place, STAND_IN_SECONDS="300", STAND_IN_LOG=str(place / "victim.log"))
    killed: list[bool] = []

    def kill() -> None:
        wait_for((place / "victim.log").is_file)  # it has a job, which it will never end
        victim.send_signal(signal.SIGKILL)
        killed.append(True)
        worker(start, scheduler, place)

    thread = threading.Thread(target=kill)
    thread.start()
    counts, lines = on(workshop, many, Farm("dask", scheduler, place / "shared"))
    thread.join()
    assert killed == [True]
    assert (counts.compiled, counts.taken, counts.failed, counts.returned) == (12, 0, 0, 0)
    assert len(set(ran(place))) == 12
    assert not [line for line in lines if "the farm" in line]
    assert len([path for path in (place / "shared/kernels").iterdir() if not path.name.startswith(".")]) == 12
    assert len(list((many / "build/vendor").rglob("Tiny*.o"))) == 24


@pytest.mark.slow
def test_without_workers_this_machine_compiles(
    start: Start, scheduler: str, many: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opforge.build.kernel_executors._WITHOUT_WORKERS", 3.0)
    place = many.parent
    victim = worker(start, scheduler, place, STAND_IN_SECONDS="300")

    def kill() -> None:
        wait_for(lambda: bool(ran(place)))
        victim.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    counts, lines = on(workshop, many, Farm("dask", scheduler))
    thread.join()
    assert (counts.compiled, counts.failed) == (12, 0)
    assert [line for line in lines if "so this machine does: the scheduler has no worker" in line]


@pytest.mark.slow
def test_a_scheduler_that_ends(
    start: Start, scheduling: subprocess.Popen[bytes], scheduler: str, many: Path, workshop: Workshop
) -> None:
    place = many.parent
    worker(start, scheduler, place, STAND_IN_SECONDS="300")

    def kill() -> None:
        wait_for(lambda: bool(ran(place)))
        scheduling.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    counts, lines = on(workshop, many, Farm("dask", scheduler))
    thread.join()
    assert (counts.compiled, counts.failed, counts.returned) == (12, 0, 12)
    assert len([line for line in lines if "so this machine does" in line]) < 12


@pytest.mark.slow
def test_a_worker_with_another_compiler_is_not_used(
    start: Start, scheduler: str, project: Path, workshop: Workshop, tmp_path: Path
) -> None:
    other = tmp_path / "g++-other"
    other.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "g++ 99" && exit 0\nexec g++ "$@"\n')
    other.chmod(0o755)
    worker(start, scheduler, tmp_path, CXX=str(other))
    counts, lines = on(workshop, project, Farm("dask", scheduler))
    assert counts.compiled == 2
    assert ran(tmp_path) == []
    assert [line for line in lines if "the C++ compiler of " in line and "g++ 99" in line]


def test_a_kernel_that_does_not_compile_is_told(
    start: Start, scheduler: str, project: Path, workshop: Workshop, tmp_path: Path
) -> None:
    worker(start, scheduler, tmp_path)
    (project / "op_kernel/tiny_copy_kernel.h").write_text("BROKEN\n")
    with pytest.raises(BuildError) as caught:
        on(workshop, project, Farm("dask", scheduler))
    assert "op_kernel/tiny_copy.cpp:1:1: error: BROKEN" in caught.value.render()
    assert len(ran(tmp_path)) == 2  # a failure is a result: no other machine tries again


def test_submitit(project: Path, workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its executor of this machine; the jobs' processes find the stand-in by sitecustomize."""
    pytest.importorskip("submitit")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(PRELOAD)
    for name, value in (("PYTHONPATH", str(tmp_path / "site")), ("OPFORGE_CACHE", str(workshop.cache))):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "compiled.log"))
    counts, lines = on(workshop, project, Farm("submitit", "local", tmp_path / "shared"))
    assert (counts.compiled, counts.failed) == (2, 0), lines
    assert not [line for line in lines if "the farm" in line]
    assert len(ran(tmp_path)) == 2


def test_what_is_refused(project: Path, workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="--executor dask needs the scheduler's address"):
        build(workshop.request(project, farm=Farm("dask")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("opforge.build.kernel_executors._CONNECT_SECONDS", 1.0)
        with pytest.raises(EnvironmentProblem, match="no Dask scheduler answers there"):
            build(workshop.request(project, farm=Farm("dask", "tcp://127.0.0.1:1")))
    with pytest.raises(UsageError, match="submitit has slurm and local"):
        build(workshop.request(project, farm=Farm("submitit", "pbs")))
    assert cli.run(["build", "--scheduler", "tcp://a:1", "--project", str(project)]) == 2
    assert "--scheduler needs --executor dask or submitit" in capsys.readouterr().err
