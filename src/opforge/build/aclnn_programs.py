"""Builds the C++ programs below aclnn/ with CMake, against the activated toolkit and the installed package."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from opforge.build.request import BuildRequest
from opforge.errors import BuildError, ProjectError
from opforge.frozen import dataclass
from opforge.kinds import derive
from opforge.naming import snake
from opforge.spec.read.parse import load_spec
from opforge.toolkit.build_tools import find_cmake, find_compiler, find_ninja
from opforge.toolkit.process import Runner

_STEP = "aclnn"


def build_programs(request: BuildRequest, vendor_dir: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Builds two programs for each op: one that calls aclnn, and one that launches the kernel.

    ``environ`` is an activated environment, ``vendor_dir`` the installed package. Only changed programs are compiled.
    Raises ProjectError for a project without aclnn/, and BuildError if a program does not build.
    """
    source = request.root / "aclnn"
    if not (source / "CMakeLists.txt").is_file():
        raise ProjectError(f"{source} has no CMakeLists.txt", hint=_hint(request.root))
    out, log = request.folder / "aclnn", request.log(_STEP)
    log.unlink(missing_ok=True)
    start = time.monotonic()
    configured = _configure(request, vendor_dir, environ, source, out)
    done = request.runner.run([find_ninja(environ), "-C", out, f"-j{request.jobs}"], cwd=out, env=environ, log=log)
    done.require("the programs below aclnn/ did not build", BuildError)
    kernels = derive(load_spec(request.root / "opforge.yaml")).public
    programs = tuple(
        out / f"{program}_{snake(kernel.op.type)}"
        for kernel in kernels
        for program in (("call", "launch") if kernel.launched else ("call",))
    )
    for program in programs:
        if not program.is_file():
            raise BuildError(f"the build succeeded but did not produce {program}", detail=done.tail())
    if configured or "ninja: no work to do." not in done.output:
        request.progress.note(f"built the programs below aclnn/ in {time.monotonic() - start:.1f} s")
    return programs


def _hint(root: Path) -> str:
    if load_spec(root / "opforge.yaml").project.has("aclnn"):
        return "restore the folder from your version control"
    return "add `aclnn` to the features in opforge.yaml, then build again"


def _configure(request: BuildRequest, vendor_dir: Path, environ: Mapping[str, str], source: Path, out: Path) -> bool:
    """Configures in an empty folder if a dependency has changed. CMake itself notices changes of its files."""
    for path in (vendor_dir, source):
        if ";" in str(path):
            raise BuildError(
                f"CMake takes {path} for two paths: it has `;` in it",
                hint="rename the folder, or let another environment (--python) or --prefix lead elsewhere",
            )
    chip = simulated_chip(environ["OPFORGE_SOC"]) if "OPFORGE_SOC" in environ else ()
    programs = Programs("the programs below aclnn/", source, out, (f"-DOPP_VENDOR={vendor_dir}", *chip))
    return configure(programs, request.runner, environ, request.log(_STEP))


@dataclass(frozen=True)
class Programs:
    """C++ programs by their name in messages: the folder of their CMakeLists.txt, the build folder, definitions."""

    name: str
    source: Path
    out: Path
    definitions: tuple[str, ...]


def configure(programs: Programs, runner: Runner, environ: Mapping[str, str], log: Path) -> bool:
    """Configures programs for Ninja in an empty folder, if a definition, a tool or the toolkit has changed.

    Returns whether it did. Raises BuildError.
    """
    source, out = programs.source, programs.out
    command: list[str | Path] = [find_cmake(environ), "-S", source, "-B", out, "-G", "Ninja"]
    command += [f"-DCMAKE_MAKE_PROGRAM={find_ninja(environ)}", f"-DCMAKE_CXX_COMPILER={find_compiler(environ)}"]
    command += programs.definitions
    stamp = out / "configured.json"
    said = json.dumps([str(word) for word in command] + [environ.get("ASCEND_HOME_PATH", "")], indent=1)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == said:
        return False
    shutil.rmtree(out, ignore_errors=True)
    done = runner.run(command, cwd=source, env=environ, log=log)
    if not done.ok:
        shutil.rmtree(out, ignore_errors=True)  # CMake would accept a half-configured folder
    done.require(f"{programs.name} cannot be configured", BuildError)
    stamp.write_text(said, encoding="utf-8")
    return True


def simulated_chip(name: str) -> tuple[str, ...]:
    """Definitions for a simulated chip, whose tools are Python scripts that need our Python."""
    return (f"-DSOC_VERSION={name}", f"-DASCEND_PYTHON_EXECUTABLE={sys.executable}")
