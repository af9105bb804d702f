"""bench, verify and test --leaks on a project that is installed: reports, verdicts, and a kernel that is wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.qualify]

REPORTS = Path("build/reports")


def measures_without_opforge(environment: Environment, project: Path) -> None:
    """The copy in the project is enough, and opforge uses it too. The environment itself has no opforge."""
    environment.sh("opforge vendor testing", project)
    absent = environment.sh("opforge run -- python -c 'import opforge.testing'", project, check=False)
    assert "No module named 'opforge.testing'" in absent.stderr
    program = "python -m opforge.testing.verify --quick --dtype float32"
    alone = environment.sh(f"opforge run -- env PYTHONPATH=tests/_opforge {program}", project).stdout
    assert re.match(r"(ok   VectorAdd float32 [^\n]+\n)+\Z", alone)
    assert json.loads(environment.sh("opforge verify --json --quick", project).stdout)["passed"]


def test_measuring(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector add"  # with a space, as folders of people have
    shutil.copytree(built, project)
    early = environment.sh("opforge bench --no-build", project, check=False)
    assert early.returncode == 9
    assert "help: leave out --no-build" in early.stderr

    shown = environment.sh("opforge bench --plot picture.png", project, LC_ALL="C").stdout
    bench = json.loads((project / REPORTS / "bench.json").read_text())
    assert bench["simulated"]
    assert {row["dtype"] for row in bench["rows"]} == {"float16", "bfloat16", "float32"}
    for row in bench["rows"]:
        size = {"float16": 2, "bfloat16": 2, "float32": 4}[row["dtype"]]
        elements = row["shapes"]["x"][0] * row["shapes"]["x"][1]
        assert row["gm_bytes"]["measured"] == {"read": 2 * size * elements, "written": size * elements}
        assert row["gm_bytes"]["fused"] == 3 * size * elements
        if row["label"] == "2048x4096":  # only counted
            assert (row["custom_us"], row["passed"]) == (None, None)
        else:
            assert row["error"]["max"] == row["native_error"]["max"]  # one addition, rounded once
    assert " us) simulated" in shown
    assert "Counts that hold on hardware:" in shown
    assert (project / "picture.png").read_bytes().startswith(b"\x89PNG")
    picture = (project / REPORTS / "bench.svg").read_text()
    assert "us simulated<" in picture
    assert "![" in (project / REPORTS / "bench.md").read_text()

    verified = json.loads(environment.sh("opforge verify --json", project).stdout)
    assert verified["passed"]
    outputs = {(row["dtype"], row["output"]) for row in verified["rows"]}
    assert {("bfloat16", "z"), ("float32", "grad_x"), ("float16", "grad_y")} <= outputs
    refused = environment.sh("opforge verify --op Vektor", project, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: --op Vektor: vector_add has the ops VectorAdd\n")

    measures_without_opforge(environment, project)
    assert re.search(r"\d+ passed", environment.passes_as_on_devices(project))
    grew = environment.sh("opforge test --leaks --calls 200", project).stdout
    assert grew.endswith("no growth over 200 calls, with TASK_QUEUE_ENABLE 0, 1 and 2\n")

    kernel = project / "op_kernel" / "vector_add_kernel.h"
    right = "AscendC::Add(zLocal, xLocal, yLocal, elementCount);"
    assert kernel.read_text().count(right) == 1
    again = "AscendC::Sub(zLocal, xLocal, yLocal, 64);"
    wrong = f"{right}\n        if (elementCount > 512) {{\n            {again}\n        }}"
    kernel.write_text(kernel.read_text().replace(right, wrong))
    stale = environment.sh("opforge verify --no-build", project, check=False)
    assert (stale.returncode, stale.stdout) == (9, "")
    failed = environment.sh("opforge verify --dtype float16", project, check=False)
    assert failed.returncode == 1
    assert "the first is VectorAdd, float16, random, z under standard A, B" in failed.stdout
    rows = json.loads((project / REPORTS / "verify.json").read_text())["rows"]
    worst = next(row["worst"] for row in rows if not row["passed"])
    assert worst["error"] > 0.01
