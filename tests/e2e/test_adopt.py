"""Operators that were there before: adopted, built, installed and tested, in the layouts that people have."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

LAYOUTS = Path(__file__).parent / "layouts"


def unit(folder: Path, op: str, file: str) -> None:
    """The operator of tests/e2e/layouts under another name, with its reference beside it."""
    for source in LAYOUTS.rglob("*"):
        if source.suffix in (".cpp", ".h", ".py"):
            name = str(source.relative_to(LAYOUTS)).replace("weighted_sum", file).replace("golden.py", "reference.py")
            text = source.read_text().replace("WeightedSum", op).replace("weighted_sum", file)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text.replace("WEIGHTED_SUM", file.upper()))


def judged_as_device(environment: Environment, vendor: str) -> set[str]:
    """The ops for which rules that devices do not enforce are warnings."""
    note = environment.prefix / "opp" / "vendors" / vendor / "simulator.json"
    return set(json.loads(note.read_text())["device"])


@pytest.mark.usefixtures("toolkit_root")
def test_a_collection_from_adoption_to_calls(environment: Environment, tmp_path: Path) -> None:
    project = tmp_path / "Sammlung für alle"
    unit(project, "WeightedSum", "weighted_sum")
    (project / "reference.py").unlink()
    unit(project / "nn" / "scaled_sum", "ScaledSum", "scaled_sum")
    shared = project / "common" / "inc" / "shared" / "halves.h"  # found by its name, on the host and in the kernel
    shared.parent.mkdir(parents=True)
    shared.write_text("#pragma once\nconstexpr int kHalves = 2;\n")
    for name in ("op_host/scaled_sum/scaled_sum_infershape.cpp", "op_kernel/scaled_sum/scaled_sum.cpp"):
        source = project / "nn" / "scaled_sum" / name
        text = '#include "shared/halves.h"\nstatic_assert(kHalves == 2, "the header of the repository");\n'
        source.write_text(text + source.read_text())
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    environment.sh(f"opforge adopt '{project.name}' --package collected", tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    environment.sh("opforge build && opforge install", project)
    assert judged_as_device(environment, "collected") == {"WeightedSum", "ScaledSum"}
    assert environment.sh("opforge status", project).stdout == f"{project.name} is up to date\n"
    assert re.search(r"\d\d passed", environment.sh("opforge test -x", project).stdout)

    kernel = project / "nn" / "scaled_sum" / "op_kernel" / "scaled_sum" / "scaled_sum_kernel.h"
    right = kernel.read_text()
    kernel.write_text(right.replace("zQueue_.EnQue(z);", "zQueue_.EnQueue(z);"))
    wrong = environment.sh("opforge build", project, check=False)
    assert wrong.returncode == 8
    assert "nn/scaled_sum/op_kernel/scaled_sum/scaled_sum_kernel.h:49:" in wrong.stderr
    kernel.write_text(right.replace("Muls(z, y", "Adds(z, y"))
    environment.sh("opforge build && opforge install", project)
    failed = environment.sh("opforge test", project, check=False).stdout
    assert {name.split("[")[0] for name in re.findall(r"^FAILED (\S+)", failed, re.MULTILINE)} == {
        "tests/test_scaled_sum.py::test_sizes"
    }


@pytest.mark.usefixtures("toolkit_root")
def test_a_prototype_from_json_to_calls(environment: Environment, tmp_path: Path) -> None:
    shutil.copy(LAYOUTS.parent / "prototypes" / "scaled_custom.json", tmp_path)
    environment.sh("opforge adopt scaled_custom.json --soc ascend910b --compute 'z = alpha * x'", tmp_path)
    project = tmp_path / "scaled_custom"
    environment.sh("opforge build && opforge install", project)
    assert judged_as_device(environment, "scaled_custom") == set(), "its kernel is written by opforge"
    assert re.search(r"\d+ passed", environment.sh("opforge test -x", project).stdout)
