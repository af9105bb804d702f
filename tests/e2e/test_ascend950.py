"""Ops of the catalog on the simulated ascend950: generated tests pass with its cores and memories."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec import catalog
from opforge.spec.model import ProjectSpec, Spec
from tests.sampled import sampled

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

KNOWN = tuple(op for op in map(catalog.entry, catalog.names()) if op is not None)
PARTS = tuple(map(str, range(1, 41)))
CHIP = """
import torch, torch_npu

assert torch_npu.npu.get_device_name() == "Ascend950PR_9599"
"""


def passes(environment: Environment, folder: Path, ops: tuple[str, ...]) -> int:
    """Builds and installs a project of these ops for ascend950, and runs its own tests; returns how many passed."""
    project = ProjectSpec("known_ops", "known_ops", "known_ops", "0.1.0", ("ascend950",))
    spec = Spec(project, tuple(dataclasses.replace(op, source=None) for op in KNOWN if op.type in ops))
    assert {op.type for op in spec.ops} == set(ops)
    write_project(render_project(derive(spec)), spec, folder)
    environment.sh("opforge build && opforge install", folder)
    (folder / "chip.py").write_text(CHIP, encoding="utf-8")
    environment.sh("opforge run -- python chip.py", folder)
    passed = re.search(r"(\d+) passed", environment.sh("opforge test", folder).stdout)
    assert passed is not None
    return int(passed[1])


def test_elementwise_and_rows(environment: Environment, tmp_path: Path) -> None:
    assert passes(environment, tmp_path / "known_ops", ("VectorAdd", "RMSNorm", "Softmax", "DynamicQuant")) > 200


def test_products(environment: Environment, tmp_path: Path) -> None:
    assert passes(environment, tmp_path / "known_ops", ("Linear", "SwiGLU", "MatmulRMSNorm")) > 100


@pytest.mark.parametrize("part", sampled(PARTS, {"1"}))
def test_the_catalog(environment: Environment, tmp_path: Path, part: str) -> None:
    names = tuple(op.type for op in KNOWN[PARTS.index(part) :: len(PARTS)])
    assert passes(environment, tmp_path / "known_ops", names) > 20 * len(names)
