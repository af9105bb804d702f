"""LLaMA blocks trained on the NPU: each norm, softmax and gated activation is a generated op. A minute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec.read.parse import parse_spec

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

HERE = Path(__file__).parent / "llama"
# The gradient of softmax, with the wrong sign for the sum over a row.
RIGHT = "row_math::WithRows<row_math::Sub>(gradYLocal,"


def test_llama_blocks_train(environment: Environment, tmp_path: Path) -> None:
    project, spec = tmp_path / "llama", parse_spec((HERE / "opforge.yaml").read_text(encoding="utf-8"), None)
    write_project(render_project(derive(spec)), spec, project)
    environment.sh("opforge build && opforge install", project)
    train = f"opforge run --rules=device -- python '{HERE / 'block.py'}'"
    assert "losses" in environment.sh(train, project).stdout

    kernel = project / "op_kernel" / "masked_softmax_grad_kernel.h"
    text = kernel.read_text(encoding="utf-8")
    assert RIGHT in text
    kernel.write_text(text.replace(RIGHT, RIGHT.replace("Sub", "Add")), encoding="utf-8")
    environment.sh("opforge build && opforge install", project, check=False)  # its own check finds that as well
    failed = environment.sh(train, project, check=False)
    assert failed.returncode != 0
    assert "AssertionError: step 0, " in failed.stderr
