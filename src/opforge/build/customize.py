"""The CMake interface of CANN 8.x: a project template whose functions are copied into each project.

Source: CANN 8.1.RC1 tools/op_project_templates/ascendc/customize. Its functions look for their scripts in
``${CMAKE_SOURCE_DIR}/cmake``, so a project cannot include them from the toolkit.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

_FOLDERS = ("cmake", "scripts")
_FILES = ("CMakeLists.txt", "op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt")

# The call that compiles op_host for op_build. Its list of sources becomes part of the compiler's command.
OPBUILD = re.compile(r"\bopbuild\(\s*OPS_SRC\s+\$\{\w+\}")


def copy_customize(template: Path, target: Path) -> None:
    """Copies the parts of the template that build a project; framework/ and the presets are not needed."""
    for name in _FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(template / name, target / name)
    for folder in _FOLDERS:
        # CANN 9.x has links to common/util here: copies of the files, and no link that leads nowhere.
        shutil.copytree(template / folder, target / folder, ignore_dangling_symlinks=True)
        for path in (target / folder, *(target / folder).rglob("*")):
            script = path.is_dir() or path.suffix == ".sh"  # started as programs; a toolkit may be read-only
            path.chmod(path.stat().st_mode | (0o700 if script else 0o600))


def op_build_failed(output: str) -> bool:
    """Whether op_build reported a failure; the template's opbuild() only prints a message then, and goes on."""
    return "opbuild ops error:" in output
