"""docs/pytorch.md: its commands are run, its programs written to files, and its Python sessions compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "pytorch.md"
INSTALLED = "opforge build && opforge install"
SESSION = """
import doctest, sys
found = doctest.testfile(sys.argv[1], module_relative=False, encoding="utf-8")
sys.exit(f"{found.failed} of {found.attempted} differ" if found.failed or found.attempted < 30 else 0)
"""


def test_all_of_the_page(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    text = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^    \$ (.*)$", text, re.MULTILINE)
    new = "opforge new SwiGLU --inputs x,w_gate,w_up --features modules,fuse,converter"
    assert commands[:3] == [new, "cd swiglu", INSTALLED]
    environment.sh(commands[0], tmp_path)
    project = tmp_path / "swiglu"
    environment.sh(INSTALLED, project)

    session = tmp_path / "session.py"
    session.write_text(SESSION, encoding="utf-8")
    environment.sh(f"opforge run -- python '{session}' '{PAGE}'", project)

    programs = re.findall(r"^```python (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert text.count("```") == 2 * len(programs)
    for name, program in programs:
        (project / name).write_text(program, encoding="utf-8")
    for command in commands[3:]:
        said = environment.sh(command, project).stdout
        if "train.py" in command:
            lines = [line for line in said.splitlines() if line.startswith("process ")]
            assert sorted(lines) == [f"process {rank}: the same as in one process" for rank in range(2)]
