"""One tiny op for each kind of signature, from a spec to calls on the NPU: kinds/opforge.yaml says which.

Ops with an expression need nothing else. The kernels written by hand begin as the skeletons that opforge renders; their
bodies, and what tiling says beside shapes, are put in as their author would.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.sampled import sampled

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

KINDS = Path(__file__).parent / "kinds"
# pytest's -k: what make test-all runs, and what make qualify does.
WRITTEN, ALL = "walk or pick_row or weighted_by_list or mix_into", ""
# What the author of a kernel adds to generated files: behind which line, and what.
ADDED = {
    "op_kernel/pick_row_tiling.h": ("    uint32_t tileElements;\n", "    int64_t pickedRow;  // -1: x has no rows\n"),
    "op_kernel/weighted_by_list_tiling.h": ("    uint32_t tileElements;\n", "    float weight;\n"),
    "op_kernel/mix_into_tiling.h": ("    uint32_t tileElements;\n", "    uint32_t gainsCount;\n    float weight;\n"),
    "op_host/mix_into_host_tiling.h": (
        "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n",
        """\
    tiling->gainsCount = static_cast<uint32_t>(host_tiling::ElementsOf(call.inputs[kGainsInput][0]));
    double weight = 0;
    for (const float one : call.curveValues) {
        weight += one;
    }
    const bool negated = std::find(call.flagsValues.begin(), call.flagsValues.end(), true) != call.flagsValues.end();
    tiling->weight = static_cast<float>(negated ? -weight : weight);
""",
    ),
    "op_host/pick_row_host_tiling.h": (
        "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n",
        """\
    const int64_t rows = call.inputs[kXInput][0][0];
    int64_t sum = 0;
    for (const int64_t value : call.rowValues) {
        sum += value;
    }
    tiling->pickedRow = rows == 0 ? -1 : (sum % rows + rows) % rows;
""",
    ),
    "op_host/weighted_by_list_host_tiling.h": (
        "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n",
        """\
    double weight = 0;
    for (const float one : call.weightsAttr) {
        weight += one;
    }
    tiling->weight = static_cast<float>(call.negateAttr ? -weight : weight);
""",
    ),
}


def _project(environment: Environment, folder: Path) -> Path:
    """The project, as `opforge new` and `opforge update` make it of the spec, and its references."""
    environment.sh("opforge new MixedScale --inputs x,scale --package kinds --compute 'y = x * scale'", folder)
    project = folder / "kinds"
    shutil.copy(KINDS / "opforge.yaml", project)
    shutil.copy(KINDS / "golden.py", project / "python" / "kinds")
    environment.sh("opforge update", project)
    return project


def _write_kernels(project: Path) -> None:
    for kernel in (KINDS / "op_kernel").iterdir():
        shutil.copy(kernel, project / "op_kernel")
    for name, (line, more) in ADDED.items():
        text = (project / name).read_text()
        assert text.count(line) == 1
        (project / name).write_text(text.replace(line, line + more))


@pytest.mark.parametrize("tests", sampled([WRITTEN, ALL], {WRITTEN}))
def test_every_kind_of_signature_runs(environment: Environment, tmp_path: Path, tests: str) -> None:
    project = _project(environment, tmp_path)
    environment.sh("opforge build && opforge install", project)
    skeletons = environment.sh("opforge test -q -k 'pick_row and sizes'", project, check=False)
    assert "PickRow: its kernel body is not written yet: op_kernel/pick_row_kernel.h" in skeletons.stdout

    _write_kernels(project)
    environment.sh("opforge build && opforge install", project)
    shutil.copy(KINDS / "walk.py", project / "tests" / "test_walk.py")
    every = environment.sh(f"opforge test -x -k '{tests}'", project)
    assert re.search(r"\d{3} passed" if tests == ALL else r"\d{2,} passed", every.stdout)
    for mode in ("1", "2"):
        queued = environment.sh("opforge test -x -k 'by_list or pick_row or into'", project, TASK_QUEUE_ENABLE=mode)
        assert re.search(r"\d+ passed", queued.stdout)
    edited = environment.sh("opforge status", project, check=False).stdout
    assert all(name in edited for name in ADDED)
