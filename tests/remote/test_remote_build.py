"""``opforge build --on``, with a stand-in for ssh."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.errors import BuildError, OpforgeError
from opforge.release import __version__
from opforge.remote import parcel
from opforge.remote.command import Command


def build(there: Path, *more: str, on: str = "ssh://me@npu:2222") -> int:
    return cli.run(["build", "--on", on, "--python", str(there / "python"), *more])


def test_it_sends_what_a_build_reads_and_fetches_dist(there, project, capsys) -> None:
    assert build(there, "--jobs", "2") == 0
    sent = (project / "dist" / "a.run").read_text().split("\n")
    assert sent[:-1] == ["./.gitignore", "./.opforge/lock.json", "./op_host/a b.cpp", "./opforge.yaml"]
    assert sorted(path.name for path in (project / "dist").iterdir()) == ["a.run", "a.whl"]
    assert (project / "dist" / "a.run").stat().st_mode & stat.S_IXUSR
    out, err = capsys.readouterr()
    assert f"compiling in {project}" in err
    assert "--jobs=2" in out
    assert (there / "calls").read_text() == "x\n" * 4  # start, follow, fetch, fetched
    (project / "op_host" / "a b.cpp").unlink()
    assert build(there) == 0
    assert "a b.cpp" not in (project / "dist" / "a.run").read_text()
    assert not list(project.glob(".dist-*"))


def test_output_is_shown_as_it_comes(there, project) -> None:
    (project / "slow").touch()
    words = ["build", "--on", "ssh://npu", "--python", str(there / "python")]
    client = subprocess.Popen([sys.executable, "-m", "opforge", *words], stderr=subprocess.PIPE, text=True)
    assert client.stderr is not None
    assert client.stderr.readline().startswith("started on npu: ")
    assert client.stderr.readline() == f"compiling in {project}\n"
    assert client.poll() is None
    (there / "go").touch()
    assert "fetched: dist/a.run, dist/a.whl\n" in client.communicate(timeout=30)[1]


@pytest.mark.parametrize("broken", ["2", "3", "2\n3", "3\n4"])
def test_a_broken_connection_is_tried_again(there, project, capsys, broken: str) -> None:
    (there / "break").write_text(broken + "\n")
    assert build(there) == 0
    assert (there / "runs").read_text() == "ran\n"
    err = capsys.readouterr().err
    assert err.count("compiling in") == 1
    assert err.count("the connection to me@npu broke") == broken.count("\n") + 1
    assert (project / "dist" / "a.whl").read_text() == "wheel\n"


def test_the_same_command_attaches_and_other_sources_are_refused(there, project, capsys) -> None:
    (project / "slow").touch()
    words = ["build", "--on", "ssh://npu", "--python", str(there / "python")]
    first = subprocess.Popen([sys.executable, "-m", "opforge", *words], cwd=project, stderr=subprocess.DEVNULL)
    while not (there / "runs").exists():
        assert first.poll() is None
    first.kill()  # the job goes on
    first.wait()
    (project / "edited").touch()
    assert build(there, on="ssh://npu") != 0
    assert "another job of this project runs on npu" in capsys.readouterr().err
    (project / "edited").unlink()
    (there / "go").touch()
    assert build(there, on="ssh://npu") == 0
    assert (project / "dist" / "a.whl").exists()


def test_ctrl_c_stops_the_job_there(there, project) -> None:
    (project / "slow").touch()
    words = ["build", "--on", "ssh://npu", "--python", str(there / "python")]
    client = subprocess.Popen(
        [sys.executable, "-m", "opforge", *words],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (there / "runs").exists():
        assert client.poll() is None
    client.send_signal(signal.SIGINT)
    _, err = client.communicate(timeout=30)
    assert client.returncode != 0
    assert "stopped the job on npu" in err
    (pid,) = (there / "home").glob(".cache/opforge/remote/*/job/pid")
    for _ in range(200):  # killed processes go a little later
        if subprocess.run(
            ["kill", "-0", "--", f"-{pid.read_text().strip()}"], check=False, capture_output=True
        ).returncode:
            return
        time.sleep(0.05)
    pytest.fail("the job goes on")


def test_a_failure_there_is_a_failure_here_with_local_paths(there, project, capsys) -> None:
    (project / "fails").touch()
    assert build(there) == 4
    assert f"error: {project}/op_host/a.cpp:3" in capsys.readouterr().err
    assert [path.name for path in (project / "dist").iterdir()] == ["old.run"]


@pytest.mark.usefixtures("project")
def test_refusals_say_what_to_do(there, capsys) -> None:
    (there / "refuse").write_text("ssh: connect to host npu port 2222: Connection refused\n")
    assert build(there) != 0
    err = capsys.readouterr().err
    assert "Connection refused" in err
    assert "try `ssh -p 2222 me@npu true`" in err
    (there / "refuse").unlink()
    (there / "python").write_text("#!/bin/sh\necho opforge 0.0.7\n")
    assert build(there) != 0
    err = capsys.readouterr().err
    assert f"me@npu has opforge 0.0.7, this machine has opforge {__version__}" in err
    install = f"ssh -p 2222 me@npu {there / 'python'} -m pip install opforge=={__version__}"
    assert install in err
    (there / "python").write_text("#!/bin/sh\necho No module named opforge >&2; echo or that >&2; exit 1\n")
    assert build(there) != 0
    err = capsys.readouterr().err
    assert "No module named opforge" in err
    assert f"error: {there / 'python'} on me@npu cannot run opforge\nNo module" in err
    assert install in err


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "on",
    ["ssh://-oProxyCommand=touch x", "ssh://-F@host", "ssh://me@-host", "ssh://", "npu", "ssh://npu:0", "ssh://a b"],
)
def test_addresses_that_could_be_options_are_refused(on: str, there, capsys) -> None:
    assert build(there, on=on) != 0
    assert "expected ssh://[user@]host[:port][/folder]" in capsys.readouterr().err
    assert not (there / "calls").exists()


def test_a_damaged_parcel_leaves_dist_alone(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "old.run").touch()
    (tmp_path / "parcel").write_bytes(b"half")
    with pytest.raises(BuildError, match="arrived damaged"):
        parcel.take(tmp_path / "parcel", "0" * 64, tmp_path, Command((), "python3"))
    assert (tmp_path / "dist" / "old.run").exists()


def test_a_link_out_of_the_project_is_not_sent(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "key").symlink_to("/etc/hostname")
    with pytest.raises(OpforgeError, match="leads out"):
        parcel.pack(root, ["key"], tmp_path / "parcel")


def test_a_part_of_a_build_leaves_dist_alone(there, project, capsys) -> None:
    assert build(there, "--only", "A,B") == 0
    out, err = capsys.readouterr()
    assert "--only=A,B" in out
    assert "fetched" not in err
    assert [path.name for path in (project / "dist").iterdir()] == ["old.run"]


def test_a_job_that_ended_meanwhile_is_fetched_once(there, project, capsys) -> None:
    (there / "break").write_text("".join(f"{n}\n" for n in (2, 3, 4)))
    assert build(there) != 0
    assert "cannot follow the job on me@npu" in capsys.readouterr().err
    assert [path.name for path in (project / "dist").iterdir()] == ["old.run"]
    assert build(there) == 0
    err = capsys.readouterr().err
    assert "this command ended 0 min ago on me@npu" in err
    assert err.count("compiling in") == 1
    assert (there / "runs").read_text() == "ran\n"
    assert (project / "dist" / "a.whl").exists()
    assert build(there) == 0
    assert "this command ended" not in capsys.readouterr().err
    assert (there / "runs").read_text() == "ran\nran\n"


@pytest.mark.usefixtures("project")
def test_a_quiet_command_shows_errors_alone(there, capsys) -> None:
    Path("fails").touch()
    assert build(there, "-q") == 4
    err = capsys.readouterr().err
    assert "started on" not in err
    assert "op_host/a.cpp:3" in err
