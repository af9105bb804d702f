"""Waiting for jobs of Slurm: a stand-in for squeue says what runs. tests/e2e/test_slurm.py has Slurm itself."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from opforge.build import kernel_executors
from opforge.build.kernel_executors import SlurmQueue, Unavailable
from opforge.toolkit.process import Runner

SQUEUE = """#!/bin/sh
echo "$@" >> '{folder}/asked'
test -e '{folder}/silent' && { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
cat '{folder}/jobs'
"""


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SlurmQueue:
    """A queue with job 7, asked ten times in a second."""
    monkeypatch.setattr(kernel_executors, "_POLL", 0.1)
    monkeypatch.setattr(kernel_executors, "_LATE_FILE", 0.5)
    program = tmp_path / "squeue"
    program.write_text(SQUEUE.replace("{folder}", str(tmp_path)))
    program.chmod(0o755)
    (tmp_path / "jobs").write_text("7\n")
    return SlurmQueue({"PATH": f"{tmp_path}:{os.environ['PATH']}"}, Runner())


def test_a_result(queue: SlurmQueue, tmp_path: Path) -> None:
    result = tmp_path / "result.pkl"
    threading.Timer(0.5, result.touch).start()
    queue.wait("7", result)
    assert set((tmp_path / "asked").read_text().splitlines()) == {f"--noheader --format=%A --user={os.geteuid()}"}


def test_a_job_that_ends_without_a_result(queue: SlurmQueue, tmp_path: Path) -> None:
    """It was cancelled, or its machine died."""
    threading.Timer(0.5, (tmp_path / "jobs").write_text, ("8\n",)).start()
    with pytest.raises(Unavailable, match="Slurm ended job 7 without a result"):
        queue.wait("7", tmp_path / "result.pkl")


def test_a_result_that_a_shared_folder_shows_late(queue: SlurmQueue, tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("")
    began = time.monotonic()
    threading.Timer(0.3, (tmp_path / "result.pkl").touch).start()
    queue.wait("7", tmp_path / "result.pkl")
    assert time.monotonic() - began < 5


def test_a_job_that_waits_again(queue: SlurmQueue, tmp_path: Path) -> None:
    """Slurm puts the job of a machine that died into the queue again."""
    (tmp_path / "jobs").write_text("")
    threading.Timer(0.3, (tmp_path / "jobs").write_text, ("7\n",)).start()
    threading.Timer(1.2, (tmp_path / "result.pkl").touch).start()
    queue.wait("7", tmp_path / "result.pkl")


def test_slurm_that_does_not_answer(queue: SlurmQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_executors, "_SILENCE", 0.5)
    (tmp_path / "silent").touch()
    with pytest.raises(Unavailable, match="squeue has not answered"):
        queue.wait("7", tmp_path / "result.pkl")
    (tmp_path / "squeue").unlink()
    queue.environ = {"PATH": str(tmp_path)}
    with pytest.raises(Unavailable, match="squeue has not answered"):
        queue.wait("7", tmp_path / "result.pkl")
