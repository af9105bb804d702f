"""Failing commands say what is known about the output that they show."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.cli.shared.activating import Activated
from opforge.cli.shared.console import Console
from opforge.cli.shared.explained_errors import explain_detail, explain_output
from opforge.errors import BuildError, InstallError
from opforge.install import failed_texts

OUTPUT = "kernel.cpp:7:3: error: no matching function for call to \u2018DataCopy(GlobalTensor&, GlobalTensor&)\u2019"


def test_title_cause_and_fix_follow(capsys) -> None:
    explain_detail(Console(), BuildError("op_host or op_kernel did not build", detail=OUTPUT))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "known: DataCopy does not have this combination of tensors\n"
        "  cause: Data moves between global memory and UB, not from global memory to global memory, and both tensors "
        "have the same dtype.\n"
        "  fix:   Copy through a LocalTensor: first into UB, then out.\n"
    )


def test_not_with_json_nor_without_a_match_nor_without_output(capsys) -> None:
    explain_detail(Console(as_json=True), BuildError("it failed", detail=OUTPUT))
    explain_detail(Console(), BuildError("it failed", detail="error: expected ';' before '}' token"))
    explain_detail(Console(), BuildError("error: externally-managed-environment"))
    assert capsys.readouterr() == ("", "")


def test_not_twice(capsys) -> None:
    """Where opforge's own hint says the same, nothing is added."""
    said = "this Python belongs to the system: make an environment (python3 -m venv .venv) and activate it"
    explain_detail(Console(), InstallError("no", detail="error: externally-managed-environment", hint=said))
    full = "the disk is full: free some space and try again"
    explain_detail(Console(), BuildError("no", detail="write: No space left on device", hint=full))
    assert capsys.readouterr() == ("", "")


def test_at_most_two(capsys) -> None:
    lines = [
        "libhccl.so: cannot open shared object file",
        "No module named 'tbe'",
        "dcmi module initialize failed. ret",
    ]
    explain_output(Console(), "\n".join([*lines, "$'\\r': command not found"]))
    assert capsys.readouterr().err.count("known: ") == 2


def test_a_command_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    def fail(*_: object) -> None:
        raise BuildError("op_host or op_kernel did not build", detail=OUTPUT)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("opforge.cli.build.make_request", fail)
    assert cli.run(["build"]) == BuildError.exit_code
    assert "\nknown: DataCopy does not have" in capsys.readouterr().err
    assert cli.run(["build", "--json"]) == BuildError.exit_code
    out, err = capsys.readouterr()
    assert "known: " not in out + err


def test_the_plugin_writes_the_texts_of_failures(tmp_path: Path) -> None:
    plugin = Path(failed_texts.__file__).read_text(encoding="utf-8")
    (tmp_path / "opforge_failed_texts.py").write_text(plugin)
    (tmp_path / "test_one.py").write_text("def test_good(): pass\ndef test_bad(): assert 1 == 2, 'ab' + 'cd'\n")
    (tmp_path / "test_two.py").write_text("import torch_npu_that_is_missing\n")
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), failed_texts.VARIABLE: str(tmp_path / "texts")}
    words = [sys.executable, "-m", "pytest", "-p", "opforge_failed_texts", "-q", "--continue-on-collection-errors"]
    done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    texts = (tmp_path / "texts").read_text()
    assert "AssertionError: abcd" in texts
    assert "No module named 'torch_npu_that_is_missing'" in texts
    assert "test_good" not in texts.replace("def test_good(): pass", "")


def test_run_explains_an_uncaught_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd) -> None:
    source = str(Path(__file__).parents[2] / "src")
    environ = {**os.environ, "PYTHONPATH": source}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("opforge.cli.run.activate", lambda *_: Activated(Path(sys.executable), environ))
    program = "import _opforge_autoload as o; o.settle(); raise RuntimeError('Getting socket times out')"
    assert cli.run(["run", "--", sys.executable, "-c", program]) == 1
    err = capfd.readouterr().err
    assert "RuntimeError: Getting socket times out\nknown: A rank waited too long for the connection" in err
    assert cli.run(["run", "--", sys.executable, "-c", "import sys; sys.exit('Getting socket times out')"]) == 1
    assert "known: " not in capfd.readouterr().err

    def full(**_: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryDirectory", full)
    assert cli.run(["run", "--", sys.executable, "-c", program]) == 1
    err = capfd.readouterr().err
    assert "RuntimeError: Getting socket times out" in err
    assert "known: " not in err
