"""Editors with clangd: generated sources have no errors, and a mistake is shown at its line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.build.request import BuildRequest
from opforge.build.state import State
from opforge.build.step_actions import Work
from opforge.build.step_context import find_context
from tests.e2e.conftest import Environment
from tests.kept import CACHE

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

CLANGD = Path(sys.executable).parent / "clangd"
# One op of each pattern of handwritten kernels, one without, and one with products.
OPS = (
    "AddRelu --inputs x,bias,other --pattern elementwise",
    "PickRows --inputs table,index --pattern gather --dtype float16,index=int32",
    "MyProduct --inputs a,b --pattern matmul",
    "GatherAny --inputs table,keys --outputs rows --attr axis:int=0",
    "SwiGLU --inputs x,w_gate,w_up",
)
# Headers of the project of the first test, too.
SHARED = ("op_host/opforge/host_tiling.h", "op_host/opforge/op_context.h", "op_kernel/opforge/tile_io.h")


def reported(file: Path) -> list[str]:
    """The errors that clangd shows in a file. It finds the project's compile_commands.json by itself."""
    command = [CLANGD, f"--check={file}", "--check-locations=0"]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    errors = [line.partition("] ")[2] for line in done.stderr.splitlines() if line.startswith("E[")]
    assert "Loaded compilation database from" in done.stderr
    assert (done.returncode == 0) == (errors == []), done.stderr
    return errors


def written(project: Path) -> list[str]:
    """Writes compile_commands.json as a build does, without compiling. Returns the files in it."""
    request = BuildRequest(project, dict(os.environ), CACHE, "simulator", Path(sys.executable))
    Work(request, find_context(request, State())).write_compile_commands()
    rows = json.loads((project / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    return [str(Path(row["file"]).relative_to(project)) for row in rows]


def test_every_source_of_a_built_project_and_a_mistake(built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    files = written(project)
    parts = ("op_host", "op_kernel", "csrc", "aclnn")
    sources = [path for part in parts for path in (project / part).rglob("*") if path.suffix in (".cpp", ".h")]
    assert {*files} == {str(path.relative_to(project)) for path in sources}
    assert {name: reported(project / name) for name in files} == {name: [] for name in files}

    kernel = project / "op_kernel" / "vector_add_kernel.h"
    text = kernel.read_text(encoding="utf-8")
    before, found, after = text.partition("tiling->totalElements")
    assert found
    kernel.write_text(before + "tiling->totalElement" + after, encoding="utf-8")
    (error,) = reported(kernel)
    line = before.count("\n") + 1
    assert error.startswith(f"[no_member] Line {line}: no member named 'totalElement' in 'VectorAddTilingData'")


@pytest.mark.usefixtures("toolkit_root")
def test_kernels_of_every_kind(environment: Environment, tmp_path: Path) -> None:
    rows = "RowMax --inputs x --outputs y --shape 'x=[..., H]' --shape 'y=[...]' --pattern rows"
    environment.sh(f"opforge new {rows} --package mixed --soc ascend910b", tmp_path)
    project = tmp_path / "mixed"
    for op in OPS:
        environment.sh(f"opforge add {op}", project)
    device = [name for name in written(project) if name.startswith(("op_host/", "op_kernel/")) and name not in SHARED]
    assert len([name for name in device if name.startswith("op_kernel/") and name.endswith(".cpp")]) == len(OPS) + 2
    assert {name: reported(project / name) for name in device} == {name: [] for name in device}
