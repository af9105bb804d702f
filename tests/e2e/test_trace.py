"""trace and test --sanitize on a project that is installed, as a user types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]


def test_the_time_line_and_the_levels_of_checks(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector add"
    shutil.copytree(built, project)
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    right = "AscendC::Add(zLocal, xLocal, yLocal, elementCount);"
    assert kernel.read_text().count(right) == 1
    # changes nothing, at addresses that the vector unit does not have
    again = "AscendC::Max(xLocal[1], xLocal[1], xLocal[1], 64);"
    text = kernel.read_text().replace(
        right, f"if (elementCount > 512) {{\n            {again}\n        }}\n        {right}"
    )
    kernel.write_text(text)
    environment.sh("opforge build && opforge install", project)

    traced = json.loads(environment.sh("opforge trace --dtype float32 --out 'time line' --json", project).stdout)
    assert traced["estimated"]
    (row,) = traced["kernels"]
    assert (row["op"], row["dtypes"]) == ("VectorAdd", "float32")
    stem = f"time line/trace_VectorAdd_float32_{row['tiling_key']}_{row['block_dim']}"
    assert traced["files"] == [f"{stem}.json", f"{stem}.svg"]
    trace = json.loads((project / traced["files"][0]).read_text())
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert sum(event["args"]["bytes"] for event in spans if event["name"] == "DataCopyPad") == 3 * 4 * 4096
    assert sum(event["args"]["elements"] for event in spans if event["name"] == "Add") == 4096
    assert all(event["args"]["at"].startswith("op_kernel/") for event in spans)
    assert all(estimate["source"] for estimate in trace["otherData"]["estimates"])
    assert "VectorAdd float32 on Ascend910B1" in (project / traced["files"][1]).read_text()

    tests = "-x --json tests/test_forward.py"
    off = json.loads(environment.sh(f"opforge test --sanitize=off {tests}", project).stdout)
    assert (off["exit_code"], off["failed"], off["refused"]) == (0, 0, [])
    assert off["passed"] > 0
    for level in ("fast", "full"):
        done = environment.sh(f"opforge test --sanitize={level} {tests}", project, check=False)
        assert done.returncode == 1, done.stderr
        out = json.loads(done.stdout)
        assert (out["exit_code"], out["failed"]) == (1, 1)
        assert out["failures"][0]["message"].startswith("op_kernel/vector_add_kernel.h:")
        log = Path(out["log"]).read_text()
        assert log.index("VectorAdd: block 0 of ") < log.index("  rule: ") < log.index("RuntimeError")
        assert "[W" not in log  # what torch_npu warns of
        refused = out["refused"][0]
        line = next(n for n, words in enumerate(text.splitlines(), 1) if again in words)
        assert (refused["op"], refused["api"], refused["pipe"]) == ("VectorAdd", "Max", "V")
        assert (refused["file"], refused["line"]) == ("op_kernel/vector_add_kernel.h", line)
        assert "32" in refused["rule"]
        assert refused["calls"][0]["line"] == line
        assert refused["calls"][-1]["function"] == "vector_add"
