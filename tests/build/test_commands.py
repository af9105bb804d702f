"""The commands as processes: what a build with nothing to do imports, and how interrupted ones end.

They run against the stand-in toolkit as real CANN, which a process of its own finds by ASCEND_HOME_PATH alone.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_toolkit import make_fake_toolkit
from workshop import Workshop, snapshot

pytestmark = pytest.mark.compiler

COMMANDS = ["test", *(pytest.param(command, marks=pytest.mark.slow) for command in ("bench", "verify", "trace"))]
ENDS = [
    (signal.SIGINT, 130),
    *(pytest.param(number, 128 + number, marks=pytest.mark.slow) for number in (signal.SIGTERM, signal.SIGHUP)),
]

COSTLY = (
    "torch",
    "copier",
    "rich",
    "jinja2",
    "yaml",
    "subprocess",
    "concurrent.futures",
    "shutil",
    "logging",
    "wheel",
    "secrets",
    "shutil",
    "tempfile",
)


@pytest.fixture(scope="module")
def cann(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_fake_toolkit(tmp_path_factory.mktemp("cann") / "latest")
    (root / "version.cfg").write_text("Version=9.0.0\n")
    return root


@pytest.fixture
def environ(workshop: Workshop, cann: Path) -> dict[str, str]:
    package = str(Path(__file__).parents[2] / "src")
    return {
        **workshop.with_cann(cann),
        "VIRTUAL_ENV": str(workshop.python.parents[1]),
        "OPFORGE_CACHE": str(workshop.cache),
        "PYTHONPATH": package,
    }


def opforge(project: Path, environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "opforge", *words], cwd=project, env=environ, capture_output=True, text=True, check=False
    )


def test_nothing_to_do_imports_little_and_writes_nothing(project: Path, environ: dict[str, str]) -> None:
    assert opforge(project, environ, "build").returncode == 0
    time.sleep(0.1)
    opforge(project, environ, "build")
    before = snapshot(project)
    program = (
        "import sys; from opforge.cli.main import run; code = run(['build']); "
        f"print([m for m in {COSTLY!r} if m in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "nothing to do: dist/ is up to date\n")
    assert snapshot(project) == before


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_ended_build_leaves_no_process_and_no_artifact(
    project: Path, environ: dict[str, str], cann: Path, number: signal.Signals, code: int
) -> None:
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text(f"// {number.name}\n")
    opc = cann / "bin" / "asc_opc"
    text = opc.read_text()
    opc.write_text(text.replace('"""Copies', 'import time; print("up", flush=True); time.sleep(60)\n"""Copies'))
    try:
        build = subprocess.Popen(
            [sys.executable, "-m", "opforge", "build"], cwd=project, env=environ, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while not running(str(project), "asc_opc") and time.monotonic() < deadline:
            time.sleep(0.02)
        build.send_signal(number)
        _, said = build.communicate(timeout=30)
    finally:
        opc.write_text(text)
    assert build.returncode == code, said
    assert b"Traceback" not in said
    assert running(str(project)) == []
    assert not list(project.glob("dist/*"))
    assert opforge(project, environ, "build").returncode == 0
    assert len(list(project.glob("dist/*"))) == 2


def running(*words: str) -> list[str]:
    """Command lines of live processes that hold all of these words."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if all(word in command for word in words):
                found.append(command)
    return found


def test_exit_codes_of_each_kind_of_failure(project: Path, environ: dict[str, str], tmp_path: Path) -> None:
    assert opforge(tmp_path, environ, "build").returncode == 5
    assert opforge(project, {**environ, "CXX": "none"}, "build").returncode == 6
    assert opforge(project, environ, "build", "--python", "/nonexistent").returncode == 7
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("BROKEN\n")
    assert opforge(project, environ, "build").returncode == 8
    assert opforge(project, environ, "uninstall").returncode == 9
    assert opforge(project, environ, "build", "--toolchain", "other").returncode == 2
    (project / "opforge.yaml").write_text("edition: 1\n")
    assert opforge(project, environ, "build").returncode == 3


def test_two_at_once(project: Path, environ: dict[str, str]) -> None:
    builds = [
        subprocess.Popen([sys.executable, "-m", "opforge", "build"], cwd=project, env=environ, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    ends = [(build.communicate(timeout=120)[1].decode(), build.returncode) for build in builds]
    assert sorted(code for _, code in ends) in ([0, 5], [0, 0])  # the second may come when the first is done
    for said, code in ends:
        if code == 5:
            assert "another opforge is at work in" in said
    assert opforge(project, environ, "build").returncode == 0


def test_run_passes_exit_status_and_signals_on(project: Path, environ: dict[str, str]) -> None:
    assert opforge(project, environ, "run", "--", "sh", "-c", "exit 37").returncode == 37
    assert opforge(project, environ, "run", "--", "sh", "-c", "kill -TERM $$").returncode == 143


def test_run_refuses_what_cannot_start_as_shells_do(project: Path, environ: dict[str, str]) -> None:
    (project / "script.py").touch()
    (project / "tool").touch()
    for program, code, said in (
        (
            "nosuch",
            127,
            r"none of the \d+ folders on PATH has it; the first is /\S+/env/bin\n  help: ",
        ),
        ("./nosuch", 127, rf"this file does not exist\n  help: .* {project}\n"),
        (
            "script.py",
            126,
            r"the file is not executable\n  help: opforge run -- python script.py",
        ),
        ("./tool", 126, r"the file is not executable\n  help: chmod \+x ./tool\n"),
    ):
        done = opforge(project, environ, "run", "--", program)
        assert done.returncode == code
        assert re.match(f"error: cannot run {re.escape(program)}: {said}", done.stderr), done.stderr


def test_run_tells_what_activation_sets_and_takes_no_option_of_the_command(
    project: Path, environ: dict[str, str]
) -> None:
    done = opforge(project, environ, "run", "--json")
    told = json.loads(done.stdout)
    assert (told["schema"], told["python"]) == (1, f"{environ['VIRTUAL_ENV']}/bin/python")
    assert told["variables"]["PATH"].startswith(f"{environ['VIRTUAL_ENV']}/bin:")
    assert "HOME" not in told["variables"]
    assert opforge(project, environ, "run", "echo", "--json", "-q").stdout == "--json -q\n"
    for words in ((), ("--json", "--", "true")):
        assert opforge(project, environ, "run", *words).returncode == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_build_what_is_installed_must_be_current(
    project: Path, environ: dict[str, str], command: str
) -> None:
    done = opforge(project, environ, command, "--no-build")
    assert (done.returncode, done.stderr) == (
        9,
        "error: the build is not up to date: spec: not built yet\n"
        "  help: leave out --no-build: the command then builds and installs what changed\n",
    )
    opforge(project, environ, "build")
    done = opforge(project, environ, command, "--no-build")
    assert "error: tiny_op is not installed in" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_build_first_and_end_with_the_report_of_the_build(
    project: Path, environ: dict[str, str], command: str
) -> None:
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("BROKEN\n")
    done = opforge(project, environ, command)
    built = opforge(project, environ, "build")
    assert done.returncode == built.returncode == 8
    report = built.stderr[built.stderr.index("error: ") :]
    assert "BROKEN" in report
    assert done.stderr.endswith(report)
    (project / "opforge.yaml").write_text("edition: 1\n")
    done = opforge(project, environ, command)
    assert (done.returncode, done.stdout) == (3, "")
    assert "opforge.yaml:1:1: " in done.stderr
    assert "  install" not in done.stderr
