"""``opforge build --on`` through a real sshd on this machine, whose connections are killed during the build."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kept import CACHE

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vector_add"
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
SEPARATION = Path("/run/sshd")  # sshd, started by root, asks for this folder


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def children(pid: int) -> list[int]:
    """The processes of the connections of an sshd."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int, Path]]:
    """An sshd, its port, and a folder with an ``ssh`` that knows its key."""
    if SSHD is None or not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        pytest.skip("sshd, ssh or ssh-keygen is not installed")
    folder = tmp_path / "ssh"
    folder.mkdir()
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    port = free_port()
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        f"StrictModes no\nPidFile none\nSetEnv OPFORGE_CACHE={CACHE}\n"
    )
    host = (folder / "host.pub").read_text().strip()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host}\n")
    (folder / "config").write_text(
        f"IdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
    )
    (folder / "bin").mkdir()
    (folder / "bin" / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F "{folder}/config" "$@"\n')
    (folder / "bin" / "ssh").chmod(0o755)
    made = os.geteuid() == 0 and not SEPARATION.exists()
    if made:
        SEPARATION.mkdir(mode=0o755)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield process, port, folder / "bin"
    finally:
        process.terminate()
        process.wait()
        if made:
            SEPARATION.rmdir()


def test_a_build_survives_its_connection(server: tuple[subprocess.Popen[bytes], int, Path], tmp_path: Path) -> None:
    sshd, port, programs = server
    project = tmp_path / "mein Projekt ü"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", "dist"))
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "OPFORGE_CACHE": str(tmp_path / "unused")}
    on = ["--on", f"ssh://127.0.0.1:{port}{tmp_path}/there", "--python", sys.executable]
    command = [sys.executable, "-m", "opforge", "build", "--toolchain", "simulator", *on]
    client = subprocess.Popen(
        command, cwd=project, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list((tmp_path / "there").glob("*/job/pid")):
        assert client.poll() is None, client.communicate()
        time.sleep(0.1)
    time.sleep(1)  # the client follows now
    for pid in children(sshd.pid):
        os.kill(pid, signal.SIGKILL)
    _, log = client.communicate(timeout=600)
    assert client.returncode == 0, log
    assert "the connection to 127.0.0.1 broke" in log
    assert str(tmp_path / "there") not in log.split("\n", 1)[1]
    assert sorted(path.suffix for path in (project / "dist").iterdir()) == [".run", ".whl"]
    again = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=True)
    assert "nothing to do" in again.stderr
    assert not (tmp_path / "unused").exists()
