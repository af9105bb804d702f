"""``opforge explain``: codes, files, stdin, JSON, exit codes, and its time."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from opforge.cli import main as cli

SYMBOL = "aclnnFoo or aclnnFooGetWorkspaceSize not in libopapi.so, or libopapi.sonot found."
LOG = f"""\
building
Since the operator is called asynchronously, the stacktrace may be inaccurate.
{SYMBOL}
ImportError: libhccl.so: cannot open shared object file: No such file or directory
RuntimeError: Failed to load the backend extension: torch_npu.
{SYMBOL}
[ERROR] 2025 (PID:1, Device:0, RankID:-1) ERR00100 PTA call acl api failed.
"""


@pytest.fixture(autouse=True)
def no_toolkit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("ASCEND", "LD_LIBRARY", "HCCL")):
            monkeypatch.delenv(name)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.run(["explain", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_code(capsys) -> None:
    code, out, _ = run(capsys, "207008")
    assert code == 0
    assert out == (
        "207008 ACL_ERROR_RT_NO_STREAM_RESOURCE\n"
        "  cause: All streams are in use. Each captured graph keeps some.\n"
        "  fix:   Capture fewer sizes (vLLM: fewer cudagraph_capture_sizes), and use fewer side streams.\n\n"
    )


def test_a_code_with_a_check(capsys) -> None:
    code, out, _ = run(capsys, "561107")
    assert code == 0
    assert "  check: echo $ASCEND_OPP_PATH\n  here:  ASCEND_OPP_PATH is not set\n" in out


def test_a_log_root_first_and_each_once(tmp_path: Path, capsys) -> None:
    (tmp_path / "build.log").write_text(LOG)
    code, out, _ = run(capsys, "build.log")
    assert code == 0
    heads = [line for line in out.splitlines() if line.startswith("build.log:")]
    assert heads == [
        "build.log:4: ImportError: libhccl.so: cannot open shared object file: No such file or directory",
        f"build.log:3: {SYMBOL}",
        "build.log:2: Since the operator is called asynchronously, the stacktrace may be inaccurate.",
        "build.log:5: RuntimeError: Failed to load the backend extension: torch_npu.",
    ]
    assert "No installed library has the function aclnnFoo\n" in out
    assert "it belongs to the CANN toolkit: source /usr/local/Ascend/ascend-toolkit/set_env.sh\n" in out
    assert "see:" not in out
    assert "  see:   https://github.com/vllm-project/vllm-ascend/issues/262\n" in run(capsys, "-v", "build.log")[1]


def test_stdin_and_colours(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    text = b"\x1b[31mbash: /usr/local/bin/npu-smi: No such file\x1b[0m or directory\r\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text), isatty=lambda: False))
    code, out, _ = run(capsys, "-")
    assert code == 0
    assert out.startswith("stdin:1: bash: /usr/local/bin/npu-smi: No such file or directory\n")


def test_without_an_argument_a_pipe_is_read(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    pipe = SimpleNamespace(buffer=io.BytesIO(b"$'\\r': command not found\n"), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", pipe)
    assert run(capsys)[1].startswith("stdin:1: $'\\r': command not found\nA script has Windows line ends\n")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    code, _, err = run(capsys)
    assert (code, err.splitlines()[1]) == (2, "  help: opforge explain --help")


def test_codes_are_completed() -> None:
    command = cli.opforge.get_command(click.Context(cli.opforge), "explain")
    assert command is not None
    items = command.params[0].shell_complete(click.Context(command), "56110")
    assert [item.value for item in items[:2]] == ["561101", "561102"]
    assert items[-1].type == "file"


def test_a_text_instead_of_a_file(capsys) -> None:
    code, out, _ = run(capsys, "error: externally-managed-environment")
    assert code == 0
    assert out.startswith("text:1: error: externally-managed-environment\nThis Python belongs to the system\n")


def test_json(tmp_path: Path, capsys) -> None:
    (tmp_path / "build.log").write_text(LOG)
    code, out, _ = run(capsys, "build.log", "--json")
    told = json.loads(out)
    assert (code, told["schema"], told["nearest"]) == (0, 1, [])
    first = told["explained"][0]
    assert (first["key"], first["line"]) == ("missing-library", 4)
    assert set(first) == {"key", "line", "text", "title", "cause", "check", "here", "fix", "source"}
    assert first["source"].startswith("https://")


def test_what_is_not_known(tmp_path: Path, capsys) -> None:
    (tmp_path / "good.log").write_text("all is well\n")
    code, out, _ = run(capsys, "good.log")
    assert code == 1
    assert out.startswith("nothing in it is known to opforge\n  help: give the whole log")
    code, out, _ = run(capsys, "good.log", "--json")
    assert (code, json.loads(out)) == (1, {"schema": 1, "explained": [], "nearest": []})


def test_the_nearest_codes(capsys) -> None:
    code, out, _ = run(capsys, "50715")
    assert code == 1
    assert out.startswith("50715 is not a known code; similar ones are:\n")
    assert "  507015     ACL_ERROR_RT_AICORE_EXCEPTION: " in out


def test_an_unknown_code_of_a_known_family(capsys) -> None:
    code, out, _ = run(capsys, "561999")
    assert code == 0
    assert out.startswith("561999 a code of the family: aclnn: internal\n")


def test_neither_code_nor_file(tmp_path: Path, capsys) -> None:
    assert run(capsys, "nosuch.log") == (
        2,
        "",
        "error: nosuch.log is not an error code, and no such file exists\n"
        "  help: opforge explain 561103, opforge explain build.log, or COMMAND 2>&1 | opforge explain -\n",
    )
    (tmp_path / "logs").mkdir()
    assert run(capsys, "logs")[2] == "error: logs is a folder\n  help: give a log file in it: ls logs\n"


def test_a_file_that_is_called_like_a_code(tmp_path: Path, capsys) -> None:
    (tmp_path / "561103").write_text("error: externally-managed-environment\n")
    assert run(capsys, "561103")[1].startswith("561103:1: error: ")


def test_a_long_log_is_read_from_its_end_and_fast(tmp_path: Path) -> None:
    """The time is the processor's, since others may run at the same time."""
    log = tmp_path / "long.log"
    log.write_text("[ 42%] Building CXX object CMakeFiles/adapter.dir/csrc/adapter.cpp.o\n" * 20_000 + SYMBOL)
    before = os.times()
    done = subprocess.run([sys.executable, "-m", "opforge", "explain", str(log)], capture_output=True, check=True)
    after = os.times()
    assert b":20001: aclnnFoo" in done.stdout
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 3.0


def test_it_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opforge", "explain", "561103"],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "click" in modules
    assert modules.isdisjoint({"torch", "torch_npu", "copier", "rich", "numpy", "jinja2", "yaml"})
