"""Records failures of asc_opc. CANN's scripts only check that output files exist, so they pack leftovers of failures.

Source: asc-devkit cmake/asc/fwk_modules/util/ascendc_bin_param_build.py:484-553 and const_var.py:61 (``test -f``). The
scripts start asc_opc by name. A wrapper of this name, earlier on PATH, therefore sees the result of each run.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.errors import BuildError
from opforge.toolkit.process import find_program
from opforge.toolkit.protocol import CUSTOMIZE, Toolkit

_NAMES = ("asc_opc", "opc")  # since 8.3, and before 8.3
_SIMULATED = "OPFORGE_SIM_ASC_OPC"  # the simulated toolkit's CMake functions start asc_opc by its path
_PARAMETERS = re.compile(r"--input_param=\S*?/(\w+)_param\.json")


def find_kernel_compiler(environ: Mapping[str, str]) -> Path | None:
    """The kernel compiler that CANN's scripts find on PATH."""
    return next(filter(None, (find_program(name, environ.get("PATH")) for name in _NAMES)), None)


def watched(environ: Mapping[str, str], toolkit: Toolkit, folder: Path, instead: Sequence[str] = ()) -> dict[str, str]:
    """``environ`` with a kernel compiler that records its failures in ``folder``. Earlier records are removed.

    ``instead`` are the words of a command that gets the compiler's arguments.

    Raises BuildError if PATH has no kernel compiler; CANN's scripts would report that once per kernel.
    """
    if find_kernel_compiler(environ) is None:
        name = _NAMES[toolkit.generation == CUSTOMIZE]
        raise BuildError(
            f"{name}, which compiles kernels, is not on PATH, although ASCEND_HOME_PATH is {toolkit.root}",
            hint=f"source {toolkit.root}/set_env.sh",
        )
    folder.mkdir(parents=True, exist_ok=True)
    _notes(folder).unlink(missing_ok=True)
    for name in _NAMES:
        program = find_program(name, environ.get("PATH"))
        if program is not None:
            script = folder / name
            command = instead or (str(program.absolute()),)
            script.write_text(_script(command, _notes(folder)), encoding="utf-8", errors="surrogateescape")
            script.chmod(0o755)
    told = {_SIMULATED: str(folder / _NAMES[0])} if instead and toolkit.simulated else {}
    return {**environ, **told, "PATH": f"{folder}:{environ.get('PATH', os.defpath)}"}


def failed_kernels(folder: Path) -> tuple[str, ...]:
    """The names of the kernels whose compilation failed, without duplicates."""
    try:
        said = _notes(folder).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ()
    return tuple(dict.fromkeys(_PARAMETERS.findall(said)))


def _notes(folder: Path) -> Path:
    return folder / "failed"


def _script(command: Sequence[str], notes: Path) -> str:
    return f"""\
#!/bin/sh
# Runs the toolkit's program and records its failures. Written by opforge.
{shlex.join(command)} "$@"
code=$?
[ $code -eq 0 ] || echo "$code $*" >> {shlex.quote(str(notes))}
exit $code
"""
