"""A handwritten kernel with a typical mistake: each tile reads the weights from offset 0, not from its own.

All results are right as long as a row fits into one tile. Tests, `verify` and `bench` must use longer rows. Another
mistake stops the build: an attribute without the suffix of its member.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.qualify]

RMS_NORM = Path(__file__).parent / "rms_norm"
RIGHT, WRONG = "gammaGm, column, count", "gammaGm, 0, count"


@pytest.mark.usefixtures("toolkit_root")
def test_every_check_sees_it(environment: Environment, tmp_path: Path) -> None:
    environment.sh("opforge new RMSNorm --inputs x,gamma --package rms --compute 'y = x * gamma'", tmp_path)
    project = tmp_path / "rms"
    shutil.copytree(RMS_NORM, project, dirs_exist_ok=True)
    environment.sh("opforge update", project)
    kernel = project / "op_kernel" / "rms_norm_kernel.h"
    assert " failed" not in environment.sh("opforge test -q", project).stdout
    right = kernel.read_text()
    kernel.write_text(right.replace("args.epsAttr", "args.eps"))
    stopped = environment.sh("opforge build", project, check=False)
    assert "\n  help: did you mean `epsAttr`? RMSNormArgs has no `eps`; the whole output is in " in stopped.stderr
    kernel.write_text(right)

    for command in ("verify", "bench"):
        assert json.loads(environment.sh(f"opforge {command} --json", project).stdout)["passed"], command

    assert right.count(RIGHT) == 1
    kernel.write_text(right.replace(RIGHT, WRONG))
    tested = environment.sh("opforge test -q", project, check=False)
    assert tested.returncode == 1
    assert "FAILED tests/test_rms_norm.py::test_sizes[0]" in tested.stdout
    assert "H=257 (torch.float32, shape [1, 257]): 1 of 257 elements are off" in tested.stdout

    verified = environment.sh("opforge verify", project, check=False)
    assert verified.returncode == 1
    assert "the first is RMSNorm, float16, random, y under standard A, B, C" in verified.stdout
    timed = environment.sh("opforge bench", project, check=False)
    assert timed.returncode == 1
    assert timed.stdout.endswith("4 of 6 results are WRONG\n")
    rows = json.loads((project / "build/reports/bench.json").read_text())["rows"]
    passed = {"1x4096": False, "33x127": True, "512x1024": False, "2048x4096": None}  # the last is only counted
    assert {row["label"]: row["passed"] for row in rows} == passed
