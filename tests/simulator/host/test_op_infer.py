"""op_infer: what it answers of the InferShape functions in a compiled op_host library, and what it refuses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

FLOAT, ND = 0, 2
X = f"{FLOAT} {ND} 2 3 5 0"
CALLS = {
    f"AddCustom 2 1 {X} 1 {X} 1 1 1 f 1.5": "ok 2 3 5",
    f"AddCustom 2 1 {FLOAT} {ND} 5 1 2 3 4 5 0 1 {X} 1 1 1 f 1.5": "failed",
    f"NotBuilt 1 1 {X} 1 1 0": "none",
    "AddCustom 2 1 0": "crashed",  # it ends too early
    "AddCustom 99999": "crashed",  # more inputs than anything has
    f"AddCustom 2 1 {X} 1 {X} 1 1 1 z 1": "crashed",  # no kind of attribute
    f"AddCustom 2 1 1 {ND} 1 1 1 7 1 {X} 1 1 0": "crashed",  # a value of half
    "AddCustom 0 0 0": "crashed",  # InferShape reads an input that is not there
    "AddCustom 0 0 0 ": "crashed",
    f"AddCustom 2 1 {X} 1 {X} 1 1 1 f 2.5": "ok 2 3 5",  # in another process
}


def op_infer(tools: HostTools, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(tools.root / "tools" / "opbuild" / "op_infer"), *map(str, arguments)]
    env = {**os.environ, "LD_LIBRARY_PATH": str(tools.root / "lib64"), **tools.preload}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_each_call_is_answered(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.write_text("".join(f"{call}\n" for call in CALLS), encoding="utf-8")
    done = op_infer(host_tools, all_ops, calls)
    assert (done.returncode, done.stderr) == (0, "")
    assert dict(zip(CALLS, done.stdout.splitlines(), strict=True)) == CALLS


def test_dtypes(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    half = X.replace(f"{FLOAT} ", "1 ", 1)
    asked = [f"AddCustom 2 1 {x} 1 {x} 1 1 1 f 1.5" for x in (X, half)]
    calls.write_text("".join(f"{call}\n" for call in (*asked, f"NotBuilt 1 1 {X} 1 1 0")), encoding="utf-8")
    done = op_infer(host_tools, all_ops, calls, "--dtypes")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["ok 0", "ok 1", "none"]


def test_ranges(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.write_text(f"Registered 1 1 {X} 1 1 0\nNotBuilt 1 1 {X} 1 1 0\n", encoding="utf-8")
    done = op_infer(host_tools, all_ops, calls, "--ranges")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["ok 2 3 5 2 3 5", "none"]


def test_refused(host_tools: HostTools, tmp_path: Path) -> None:
    done = op_infer(host_tools)
    assert (done.returncode, done.stderr) == (
        1,
        "usage: op_infer <op shared library> <file of calls> [--dtypes|--ranges]\n",
    )
    absent = tmp_path / "absent.so"
    done = op_infer(host_tools, absent, tmp_path / "calls")
    assert done.returncode == 1
    assert done.stderr.startswith(f"op_infer: cannot load the op library: {absent}: cannot open shared object file")
