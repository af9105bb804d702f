"""The simulated toolkit without its mark, sourced by hand and as awkward as CANN's: opforge takes it for CANN.

What is built, installed and run goes the way that it would go there: no mark, no step, no name of the simulator.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.toolkit.aten_library import ensure_aten
from opforge.toolkit.process import Runner

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

LAYOUTS = Path(__file__).parent / "layouts"


@pytest.fixture
def cann(toolkit_root: Path, tmp_path: Path) -> Path:
    """A copy of the simulated toolkit, whose files are the same ones, that does not say what it is."""
    ensure_aten(toolkit_root, Path(sys.executable), runner=Runner(), environ=os.environ, progress=lambda _: None)
    root = tmp_path / "cann"
    shutil.copytree(toolkit_root, root, copy_function=os.link, symlinks=True)
    (root / "version.cfg").unlink()
    (root / "version.cfg").write_text("Version=9.0.0\n")
    (root / "toolkit.json").unlink()
    return root


def test_from_a_spec_and_from_sources_to_calls(environment: Environment, tmp_path: Path, cann: Path) -> None:
    sourced = f". '{cann}/set_env.sh' && export OPFORGE_SIM_AWKWARD=all &&"
    environment.sh("opforge new VectorAdd --inputs x,y", tmp_path)
    project = tmp_path / "vector_add"
    said = environment.sh(f"{sourced} opforge build && opforge install", project).stderr
    assert "toolkit: cann 9.0.0 (ASCEND_HOME_PATH is the CANN toolkit" in said
    assert "CANN's own" not in said
    assert "opforge's own CMake files are used" in said, "msopgen-half"
    assert re.search(r"\d\d passed", environment.sh(f"{sourced} opforge test -x", project).stdout)
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    kernel.write_text(f"{kernel.read_text()}int planted = nowhere;\n")
    wrong = environment.sh(f"{sourced} opforge build", project, check=False).stderr
    assert len(re.findall(r"^op_kernel/vector_add_kernel\.h:\d+:15: error: ", wrong, re.MULTILINE)) == 1

    adopted = tmp_path / "adopted"
    for source in LAYOUTS.rglob("*"):
        if source.suffix in (".cpp", ".h"):
            target = adopted / source.relative_to(LAYOUTS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    shutil.copy(LAYOUTS / "golden.py", adopted / "reference.py")
    environment.sh(f"{sourced} opforge adopt . --package adopted_op", adopted)
    environment.sh(f"{sourced} opforge build && opforge install", adopted)
    assert re.search(r"\d+ passed", environment.sh(f"{sourced} opforge test -x", adopted).stdout)
    for package in ("adopted_op", "vector_add"):
        environment.sh(f"{sourced} opforge uninstall {package}", tmp_path)
    assert not (environment.prefix / "opp").exists()
