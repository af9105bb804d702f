"""``--on`` through a real sshd on this machine: broken connections, Ctrl-C, questions of ssh."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from opforge.install.pytest_report import read_report
from opforge.release import __version__
from tests.e2e.conftest import make_environment
from tests.kept import CACHE
from tests.remote.conftest import PYTHON
from tests.remote.terminal import run_on_terminal

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


def test_tests_run_there_survive_and_end_with_ctrl_c(
    server: tuple[subprocess.Popen[bytes], int, Path], tmp_path: Path
) -> None:
    sshd, port, programs = server
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", "dist"))
    python = make_environment(tmp_path / "env").prefix / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}))
    (site / "opforge_there.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "OPFORGE_CACHE": str(tmp_path / "unused")}
    on = ["--toolchain", "simulator", "--on", f"ssh://127.0.0.1:{port}{tmp_path}/there", "--python", str(python)]
    command = [sys.executable, "-m", "opforge", "test", *on, "-k", "forward", "-vv"]

    def started() -> subprocess.Popen[str]:
        return subprocess.Popen(
            command, cwd=project, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def until(client: subprocess.Popen[str], word: str) -> str:
        """Reads until the word, which may stand in a line that has no end yet."""
        assert client.stdout is not None
        text = ""
        while word not in text:
            letter = client.stdout.read(1)
            assert letter, f"it ended without {word!r}:\n{text}"
            text += letter
        return text

    client = started()
    text = until(client, "PASSED")  # the output comes while the tests run
    for pid in children(sshd.pid):
        os.kill(pid, signal.SIGKILL)
    text += client.stdout.read()  # not communicate(): it does not know what was read ahead
    assert client.wait() == 0, text
    assert "the connection to 127.0.0.1 broke" in text
    report = read_report(project / "build" / "reports" / "tests.xml")
    assert report.failed == 0
    whole = re.sub(r"\s*the connection .* broke.*\n", "", text)  # the note may stand within a line
    assert report.passed == whole.count("PASSED") > 20, text
    assert "fetched: build/reports/tests.xml, dist/" in text

    (project / "tests" / "test_forward_slow.py").write_text("import time\n\ndef test_it(): time.sleep(600)\n")
    command[-2] = "forward_slow"
    client = started()
    until(client, "test_forward_slow.py")
    client.send_signal(signal.SIGINT)
    assert "stopped the job on 127.0.0.1" in client.stdout.read()
    assert client.wait() == 130
    for _ in range(200):  # killed processes go a little later
        listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if str(tmp_path) not in listing.replace(str(programs.parent), "the sshd"):
            return
        time.sleep(0.05)
    pytest.fail(listing)


@pytest.fixture
def client(
    server: tuple[subprocess.Popen[bytes], int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """A command that builds with a stand-in for opforge there, in a project that is the current folder."""
    _, port, programs = server
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    (tmp_path / "python").write_text(PYTHON.replace("VERSION", __version__).replace("$THERE", str(tmp_path)))
    (tmp_path / "python").chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(EXAMPLE / "opforge.yaml", project)
    monkeypatch.chdir(project)
    on = f"ssh://127.0.0.1:{port}{tmp_path}/there"
    return [sys.executable, "-m", "opforge", "build", "--on", on, "--python", str(tmp_path / "python")]


def run_without_terminal(command: list[str]) -> str:
    """The messages of a command that must fail soon."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        start_new_session=True,
    )
    assert done.returncode == 7
    return done.stderr


def test_a_new_host_is_asked_about_on_a_terminal_alone(client: list[str], tmp_path: Path) -> None:
    (tmp_path / "ssh" / "known").write_text("")
    message = run_without_terminal(client)
    assert "Host key verification failed." in message
    assert "in a terminal once, and compare the key's fingerprint" in message
    question = ("continue connecting (yes/no/[fingerprint])? ", "yes\n")
    code, shown = run_on_terminal(client, Path.cwd(), os.environ, [question])
    assert code == 0, shown
    assert Path("dist/a.whl").exists()
    assert (tmp_path / "ssh" / "known").read_text()


def test_a_passphrase_is_asked_for_once(client: list[str], tmp_path: Path) -> None:
    key = tmp_path / "ssh" / "user"
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", key], check=True)
    message = run_without_terminal(client)
    assert "Permission denied (publickey" in message
    assert "load the key into an agent (`ssh-add`)" in message
    Path("slow").touch()  # several connections
    question = (f"Enter passphrase for key '{key}': ", "secret\n")
    code, shown = run_on_terminal(client, Path.cwd(), os.environ, [question])
    assert code == 0, shown
    assert shown.count("Enter passphrase") == 1
