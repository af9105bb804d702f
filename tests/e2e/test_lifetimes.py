"""A thousand calls leave nothing behind: no object of the aclnn interface, no device memory, stream or event.

lifetimes/calls.py makes the calls, on the current stream, on side streams and from two threads, with inputs that are
freed while a call may still be in the task queue, with gradients, and refused ones; and compares results on the way.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

LIFETIMES = Path(__file__).parent / "lifetimes"
PROGRAM = LIFETIMES / "calls.py"
CALLS = 1000


def _calls(environment: Environment, project: Path, package: str, op: str, queue: str) -> str:
    command = f"opforge run -- python {PROGRAM} {package} {op} {CALLS}"
    return environment.sh(command, project, TASK_QUEUE_ENABLE=queue).stdout


def test_calls_of_vector_add(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project, symlinks=True)
    environment.sh("opforge install", project)
    assert _calls(environment, project, "vector_add", "vector_add", "1") == ""

    code = "import calls; calls.main('vector_add', 'vector_add', 100, (calls.leaking,))"
    seen = environment.sh(f'opforge run -- python -c "{code}"', project, PYTHONPATH=str(LIFETIMES))
    assert "leaking: aclIntArray grew from 120 to 220" in seen.stdout
    assert "leaking: stream grew from" in seen.stdout


@pytest.mark.qualify
def test_calls_of_swiglu_in_each_mode_of_the_task_queue(environment: Environment, tmp_path: Path) -> None:
    environment.sh("opforge new SwiGLU --inputs x,w_gate,w_up", tmp_path)
    project = tmp_path / "swiglu"
    environment.sh("opforge add VectorAdd --inputs x,y && opforge build && opforge install", project)
    for queue in ("0", "1", "2"):
        for op in ("swiglu", "vector_add"):
            assert _calls(environment, project, "swiglu", op, queue) == "", (queue, op)
