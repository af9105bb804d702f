"""A project of many ops passes the tests generated with it: every operator, kind of attribute, dtype and size."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "render" / "torch"))

from torch_projects import GATE_OPS, spec_of

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.qualify]


def test_they_all_pass_in_each_mode_of_the_task_queue(environment: Environment, tmp_path: Path) -> None:
    spec = spec_of(GATE_OPS)
    project = tmp_path / "gates"
    write_project(render_project(derive(spec)), spec, project)
    environment.sh("opforge build && opforge install", project)
    assert re.search(r"\d{3} passed", environment.passes_as_on_devices(project))
    for mode in ("1", "2"):
        queued = environment.sh("opforge test -x -k 'vector_add or gated_pair'", project, TASK_QUEUE_ENABLE=mode)
        assert re.search(r"\d{3} passed", queued.stdout)
