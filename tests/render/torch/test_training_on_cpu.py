"""The generated test of two processes, for ops of every shape: on the CPU, without a simulated device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.slow]

# As pytest would call it; a process that is spawned imports this module again.
CALL = '''
from pathlib import Path
import test_pytorch
from torch import distributed

destroy = distributed.destroy_process_group


def destroy_and_look() -> None:
    """A thread of gloo that outlives its group can abort the process while Python ends."""
    destroy()
    threads = [task.joinpath("comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    assert not [name for name in threads if "gloo" in name], threads


distributed.destroy_process_group = destroy_and_look

if __name__ == "__main__":
    assert len(test_pytorch.TRAINED) > 5
    test_pytorch.test_two_processes(Path.cwd())
    print("ended")
'''


@pytest.mark.parametrize("ops", ["gate", "product"])
def test_two_processes(ops: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    project: Path = request.getfixturevalue(f"{ops}_project")
    site: Path = request.getfixturevalue(f"{ops}_site")
    for test in (project / "tests").glob("*.py"):
        text = test.read_text(encoding="utf-8").replace('import torch_npu  # noqa: F401  (device "npu")\n', "")
        (tmp_path / test.name).write_text(text, encoding="utf-8")
    (tmp_path / "call.py").write_text(CALL, encoding="utf-8")
    hidden = ("ASCEND", "PYTEST", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(
        [sys.executable, "call.py"],
        cwd=tmp_path,
        env=env | {"PYTHONPATH": str(site), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "ended\n", done.stderr
    assert done.returncode == 0
