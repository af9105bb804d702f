"""What generated kernels of other dtypes than floats look like, and that clang-format leaves them as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from generated_ops import ROOT
from typed_ops import KINDS, TYPED

from opforge.ir.backward import backward_of
from opforge.ir.graph import Graph
from opforge.kinds import kernel_of
from opforge.kinds.elementwise.kernel import kernel_form
from opforge.kinds.vector_kernel import host_tiling_form, tiling_form
from opforge.plan.vector_model import Plan
from opforge.render.ascendc.ascendc_side import SharedForm
from opforge.render.forms import render_form
from opforge.soc import SOCS
from opforge.spec.model import OpSpec
from tests.parsed import graph_of

pytestmark = pytest.mark.torch


def sources(spec: OpSpec, graph: Graph) -> dict[str, str]:
    """What is generated for the kernel, by the name of its form."""
    plan = kernel_of(spec, (SOCS["ascend910b"],), graph).plan
    assert isinstance(plan, Plan)
    return {
        "kernel.h": render_form("code/ascendc/kinds/elementwise/kernel.h", kernel_form(spec, plan)),
        "tiling.h": render_form("code/ascendc/kinds/elementwise/tiling.h", tiling_form(spec, graph, plan)),
        "host_tiling.h": render_form(
            "code/ascendc/kinds/elementwise/host_tiling.h", host_tiling_form(spec, graph, plan)
        ),
    }


@pytest.mark.parametrize("name", ["kernel.h", "tiling.h", "host_tiling.h"])
def test_golden(name: str, golden) -> None:
    golden(f"kinds/{name}.txt", sources(KINDS, graph_of(KINDS))[name])


def test_golden_of_a_gradient(golden) -> None:
    """What becomes of a selection and of gelu."""
    m, x, *_ = KINDS.inputs
    spec = OpSpec("Chosen", (m, x), (), (replace(x, name="y"),), "y = where(m, gelu(x), 0.5 * x)")
    found = backward_of(spec, graph_of(spec))
    assert found is not None
    assert found.kernel is not None
    assert found.graph is not None
    golden("kinds/gradient_kernel.h.txt", sources(found.kernel, found.graph)["kernel.h"])


def test_clang_format_changes_nothing(tmp_path: Path) -> None:
    program = shutil.which("clang-format") or str(Path(sys.executable).with_name("clang-format"))
    names = []
    for coupled in (False, True):
        path = tmp_path / f"vector_math_{coupled}.h"
        path.write_text(render_form("code/ascendc/op_kernel/vector_math.h", SharedForm(coupled)), encoding="utf-8")
        names.append(str(path))
    for spec in (KINDS, *TYPED):
        for name, text in sources(spec, graph_of(spec)).items():
            path = tmp_path / f"{spec.type}_{name}"
            path.write_text(text, encoding="utf-8")
            names.append(str(path))
    command = [program, f"--style=file:{ROOT / '.clang-format'}", "--dry-run", "--Werror", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
