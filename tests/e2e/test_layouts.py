"""An op whose op_host and op_kernel lie in folders of their own, from its spec to calls; references beside kernels."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

LAYOUTS = Path(__file__).parent / "layouts"


@pytest.mark.usefixtures("toolkit_root")
def test_sources_of_another_layout(environment: Environment, tmp_path: Path) -> None:
    environment.sh("opforge new Halved --inputs x --package layouts --compute 'y = x * 0.5'", tmp_path)
    project = tmp_path / "layouts"
    shutil.copytree(LAYOUTS, project, dirs_exist_ok=True)
    golden = project / "python" / "layouts" / "golden.py"
    environment.sh("opforge update", project)
    early = environment.sh("opforge build", project, check=False)
    assert "python/layouts/golden.py does not exist" in early.stderr
    assert not (project / "build" / "cann").exists()

    (project / "golden.py").rename(golden)
    environment.sh("opforge build && opforge install", project)
    assert {path.name for path in (project / "op_host").glob("weighted*")} == {"weighted_sum"}
    assert environment.sh("opforge status", project).stdout == "layouts is up to date\n"
    every = environment.sh("opforge test -x", project)
    assert re.search(r"\d\d passed", every.stdout)

    kernel = project / "op_kernel" / "weighted_sum" / "weighted_sum_kernel.h"
    right = kernel.read_text()
    kernel.write_text(right.replace("Muls(z, y", "Adds(z, y"))
    golden.write_text(golden.read_text().replace("x / 2", "x / 2.1"))
    environment.sh("opforge build && opforge install", project)
    wrong = environment.sh("opforge test -k 'weighted_sum or author'", project, check=False).stdout
    for name in ("test_reference_of_the_author[halved-1]", "test_sizes[0]"):
        assert re.search(rf"^FAILED tests/\w+\.py::{re.escape(name)}", wrong, re.MULTILINE)
