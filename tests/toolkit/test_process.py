"""Processes: their output, their end by time limit or from outside, and that nothing they started stays."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from opforge.errors import BuildError, ToolkitError
from opforge.toolkit.process import Completed, Runner, find_program

ENV = dict(os.environ)
# A child that starts a grandchild, says both ids, and waits.
FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
open(sys.argv[1], "w").write("up")
time.sleep(600)
"""


def gone(pid: int) -> bool:
    """Whether a process ended; one that waits for its parent to collect it has ended too."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_output_in_the_order_written(tmp_path: Path) -> None:
    code = "import os; os.write(1, b'out\\n'); os.write(2, b'err\\n'); os.write(1, b'\\xff\\n'); raise SystemExit(3)"
    done = Runner().run([sys.executable, "-c", code], cwd=tmp_path, env=ENV)
    assert (done.code, done.ok, done.output) == (3, False, "out\nerr\n\ufffd\n")


def test_log_keeps_several_commands(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "step.log"
    runner = Runner()
    first = runner.run(["echo", "one"], cwd=tmp_path, env=ENV, log=log)
    second = runner.run(["echo", "two"], cwd=tmp_path, env=ENV, log=log)
    assert (first.output, second.output) == ("one\n", "two\n")
    assert log.read_text() == "$ echo one\none\n$ echo two\ntwo\n"


def test_environment_is_exactly_what_is_given(tmp_path: Path) -> None:
    assert Runner().run(["/usr/bin/env"], cwd=tmp_path, env={"ONLY": "this"}).output == "ONLY=this\n"


def test_time_limit_ends_grandchildren(tmp_path: Path) -> None:
    done = Runner().run([sys.executable, "-c", FAMILY, tmp_path / "up"], cwd=tmp_path, env=ENV, timeout=1)
    assert done.timed_out
    assert all(gone(int(pid)) for pid in done.output.split())
    with pytest.raises(BuildError, match=r"slow thing: .* did not end within 1 s"):
        done.require("slow thing", BuildError)


@pytest.mark.parametrize("ending", ["sys.exit(3)", "os.kill(os.getpid(), signal.SIGINT)"])
def test_what_a_failed_child_has_started_ends_with_it(ending: str, tmp_path: Path) -> None:
    """Ctrl-C may end make before the compilers that it started: they would write into the next build's folder."""
    leader = f"""
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
print(subprocess.Popen(["sleep", "60"]).pid, flush=True)
{ending}
"""
    done = Runner().run([sys.executable, "-c", leader], cwd=tmp_path, env=ENV)
    assert done.code in (3, -signal.SIGINT)
    assert gone(int(done.output))


def test_stop_from_another_thread(tmp_path: Path) -> None:
    runner, results = Runner(), []
    thread = threading.Thread(
        target=lambda: results.append(
            runner.run([sys.executable, "-c", FAMILY, tmp_path / "up"], cwd=tmp_path, env=ENV)
        )
    )
    thread.start()
    while not (tmp_path / "up").exists():
        time.sleep(0.01)
    runner.stop()
    thread.join(10)
    assert results[0].code == -signal.SIGTERM
    assert all(gone(int(pid)) for pid in results[0].output.split())
    with pytest.raises(KeyboardInterrupt):
        runner.run(["true"], cwd=tmp_path, env=ENV)


def test_ctrl_c_leaves_no_child(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from opforge.toolkit.process import Runner
        # A shell that runs the tests in the background has them ignore SIGINT, and children inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        folder = Path(sys.argv[1])
        command = [sys.executable, "-c", sys.argv[2], folder / "up"]
        Runner().run(command, cwd=folder, env=dict(os.environ), log=folder / "log")
    """)
    parent = subprocess.Popen([sys.executable, "-c", program, tmp_path, FAMILY], stderr=subprocess.PIPE)
    while not (tmp_path / "up").exists():
        time.sleep(0.01)
    parent.send_signal(signal.SIGINT)
    _, errors = parent.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    pids = (tmp_path / "log").read_text().splitlines()[-1].split()
    assert len(pids) == 2
    assert all(gone(int(pid)) for pid in pids)


def test_a_small_stack_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Completed(("g++",), 1, "g++: internal compiler error: Segmentation fault signal terminated program", 0.1)
    monkeypatch.setattr("resource.getrlimit", lambda _: (256 * 1024, -1))
    told = "this shell limits the stack to 256 KiB (`ulimit -s`): raise it to 8192 and try again"
    assert done.advice("otherwise") == told
    assert Completed(("make",), -signal.SIGSEGV, "", 0.1).advice(None) == told
    monkeypatch.setattr("resource.getrlimit", lambda _: (-1, -1))
    assert done.advice("otherwise") == "otherwise"


@pytest.mark.parametrize("how", ["run", "attach"])
def test_children_of_a_killed_opforge_end_with_it(tmp_path: Path, how: str) -> None:
    """By SIGKILL, of which nobody is told."""
    program = textwrap.dedent("""
        import os, sys
        from pathlib import Path
        from opforge.toolkit.process import Runner
        folder = Path(sys.argv[1])
        runner = Runner()
        runner.run(["true"], cwd=folder, env={})  # this one has ended: it is not looked for
        command = [sys.executable, "-c", sys.argv[2], folder / "up"]
        getattr(runner, sys.argv[3])(command, cwd=folder, env=dict(os.environ))
    """)
    family = FAMILY.replace("flush=True", 'file=open("pids", "w"), flush=True')
    parent = subprocess.Popen([sys.executable, "-c", program, tmp_path, family, how])
    while not (tmp_path / "up").exists():
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    ours = pids if how == "run" else pids[:1]  # an attached program has its children itself
    assert len(pids) == 2
    assert all(gone(pid) for pid in ours)
    if how == "attach":
        os.kill(pids[1], signal.SIGKILL)


def test_program_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ToolkitError) as caught:
        Runner().run(["no-such-program"], cwd=tmp_path, env=ENV)
    assert caught.value.render() == (
        "error: cannot start no-such-program: No such file or directory\n"
        "  help: install no-such-program, or put its folder on PATH"
    )


def test_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ToolkitError, match=r"the folder .*/none does not exist"):
        Runner().run(["true"], cwd=tmp_path / "none", env=ENV)


def test_failure_shows_the_end_of_the_output(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    done = Runner().run(["sh", "-c", "seq 100; exit 4"], cwd=tmp_path, env=ENV, log=log)
    with pytest.raises(BuildError) as caught:
        done.require("counting", BuildError, hint="count less")
    lines = caught.value.render().splitlines()
    assert lines[0] == "error: counting: sh exited with status 4"
    assert lines[1] == f"... 60 earlier lines in {log}"
    assert lines[2] == "61"
    assert lines[-2:] == [f"(the whole log: {log})", "  help: count less"]


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 37", 37), ("kill -TERM $$", 143), ("kill -KILL $$", 137)]
)
def test_attached_child_passes_its_status_on(tmp_path: Path, script: str, code: int) -> None:
    assert Runner().attach(["sh", "-c", script], cwd=tmp_path, env=ENV) == code


def test_attached_child_gets_our_signals(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import os, sys
        from pathlib import Path
        from opforge.toolkit.process import Runner
        script = "trap 'echo got it; exit 5' TERM; touch up; while true; do sleep 0.05; done"
        sys.exit(Runner().attach(["sh", "-c", script], cwd=Path(sys.argv[1]), env=dict(os.environ)))
    """)
    parent = subprocess.Popen([sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE)
    while not (tmp_path / "up").exists():
        time.sleep(0.01)
    parent.terminate()
    output, _ = parent.communicate(timeout=20)
    assert (parent.returncode, output) == (5, b"got it\n")


def test_a_signal_before_the_child_is_there_reaches_it(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import os, subprocess, sys
        from pathlib import Path
        from opforge.toolkit.process import Runner

        class Started(subprocess.Popen):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                while not Path(kwargs["cwd"], "up").exists():
                    pass
                os.kill(os.getpid(), 15)

        subprocess.Popen = Started
        script = "trap 'echo got it; exit 5' TERM; touch up; while true; do sleep 0.05; done"
        sys.exit(Runner().attach(["sh", "-c", script], cwd=Path(sys.argv[1]), env=dict(os.environ)))
    """)
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (5, b"got it\n")


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("cannot write x.o: No space left on device", "the disk is full: free some space and try again"),
        (
            "g++: internal compiler error: File size limit exceeded signal terminated program cc1plus",
            "this shell limits the size of files (`ulimit -f`): raise the limit and try again",
        ),
        (
            "OSError: [Errno 27] File too large: 'x.whl'",
            "this shell limits the size of files (`ulimit -f`): raise the limit and try again",
        ),
        ("x.cpp:3: error: no", "look at x.log"),
    ],
)
def test_what_the_machine_refused_comes_before_other_advice(said: str, advice: str) -> None:
    assert Completed(("tool",), 1, said, 0.1).advice("look at x.log") == advice


def test_find_program(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    assert find_program("tool", f"/nonexistent:{tmp_path}") is None
    program.chmod(0o755)
    assert find_program("tool", f"/nonexistent:{tmp_path}") == program
    assert find_program(str(program), "") == program
    assert find_program("no-such-tool", str(tmp_path)) is None
