"""A kind of kernel from outside of opforge, from its spec to the NPU: one registration (with_toy.py), no edit in src/.

Beside it stands an elementwise op, whose files are as ever.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from opforge import kinds
from opforge.fileset import FileSet
from opforge.render import forms
from opforge.render.project import render_project
from opforge.spec.read.parse import load_spec
from tests.e2e.conftest import Environment, make_environment

HERE = Path(__file__).parent
WITH_TOY = f"{sys.executable} {HERE / 'with_toy.py'}"
TAIL = "for (int64_t offset = 0; offset < tiling_->columns; offset += kTile)"
NO_TAIL = "for (int64_t offset = 0; offset + kTile <= tiling_->columns; offset += kTile)"


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> FileSet:
    """The project with the kind registered."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setattr(forms, "_SEARCH_PATH", [forms.templates_root()])
    sys.modules.pop("kind", None)
    from kind import SumOfSquares

    monkeypatch.setattr(kinds, "KINDS", (SumOfSquares, *kinds.KINDS))
    return render_project(kinds.derive(load_spec(HERE / "opforge.yaml")))


def test_a_kind_from_outside_has_its_files_from_its_own_forms(rendered: FileSet) -> None:
    files = {str(file.path): file for file in rendered}
    own = {path for path, file in files.items() if "/kinds/toy/" in file.origin}
    kernel = {f"op_kernel/row_energy{end}" for end in (".cpp", "_kernel.h", "_tiling.h")}
    assert own == {*kernel, "op_host/row_energy_host_tiling.h", "tests/test_sums.py"}
    assert TAIL in files["op_kernel/row_energy_kernel.h"].text
    assert "return 2 * x * grad_y.unsqueeze(-1)" in next(f.text for p, f in files.items() if p.endswith("/_ops.py"))
    assert "The sum of squares over the last dimension." in files["README.md"].text


def test_the_kinds_of_opforge_are_as_without_it(rendered: FileSet) -> None:
    spec = load_spec(HERE / "opforge.yaml")
    elementwise = [kernel for kernel in kinds.derive(spec).kernels if kernel.op.type.startswith("Halve")]
    assert [type(kernel).__name__ for kernel in elementwise] == ["Elementwise", "Elementwise"]
    kernels = {str(file.path): file.text for file in rendered if "halve" in file.path.name}
    for kernel in elementwise:
        for file in kernel.device_files():
            assert kernels[str(file.path)] == file.text


def test_without_the_registration_its_op_is_handwritten() -> None:
    (kernel, *_) = kinds.derive(load_spec(HERE / "opforge.yaml")).kernels
    assert kernel.authored


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_environment(tmp_path_factory.mktemp("toy") / "env")


@pytest.mark.e2e
@pytest.mark.npu
@pytest.mark.compiler
@pytest.mark.slow
def test_from_a_spec_to_the_npu(environment: Environment, tmp_path: Path) -> None:
    environment.sh(f"{WITH_TOY} new Halve --inputs x --compute 'y = 0.5 * x' --package toy --dtype float32", tmp_path)
    project = tmp_path / "toy"
    shutil.copy(HERE / "opforge.yaml", project)
    shutil.copy(HERE / "golden.py", project / "python" / "toy")
    environment.sh(f"{WITH_TOY} update", project)
    environment.sh(f"{WITH_TOY} build && {WITH_TOY} install", project)
    tested = environment.sh(f"{WITH_TOY} test -x", project)
    assert re.search(r"\d{2,} passed", tested.stdout)
    assert "failed" not in tested.stdout

    kernel = project / "op_kernel" / "row_energy_kernel.h"
    assert TAIL in kernel.read_text()
    kernel.write_text(kernel.read_text().replace(TAIL, NO_TAIL))
    environment.sh(f"{WITH_TOY} build && {WITH_TOY} install", project, check=False)
    caught = environment.sh(f"{WITH_TOY} test -k test_sums", project, check=False)
    assert caught.returncode != 0
    assert "test_columns[row_energy-7]" in caught.stdout
