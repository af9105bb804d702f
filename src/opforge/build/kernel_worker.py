"""Runs a job of a kernel's compilation in a folder of its own, on the build's machine or on a worker of a farm."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from opforge.build.kernel_job import Job, Result, unworded, worded_output
from opforge.build.make import clean_environment
from opforge.errors import BuildError
from opforge.toolkit.build_tools import find_compiler
from opforge.toolkit.process import Runner, find_program
from opforge.toolkit.protocol import Toolkit

_TEXTS = (".d", ".json")  # outputs that may name folders


def compile_job(job: Job, toolkit: Toolkit, environ: Mapping[str, str], runner: Runner) -> Result:
    """Compiles in a new folder that has the job's files, and removes it. The result names no folder of this machine."""
    with tempfile.TemporaryDirectory(prefix="opforge-kernel-") as folder:
        place = Path(folder).resolve() / "cann"
        for name, data in job.files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(unworded(data, place, toolkit.root))
        output = place / job.output
        output.mkdir(parents=True, exist_ok=True)
        before = set(output.iterdir())
        words = [os.fsdecode(unworded(os.fsencode(word), place, toolkit.root)) for word in job.arguments]
        given = {
            name: os.fsdecode(unworded(os.fsencode(value), place, toolkit.root))
            for name, value in job.variables.items()
        }
        env = {**clean_environment(toolkit.activation(environ)), **given, "CXX": str(find_compiler(environ))}
        env.pop("ASCEND_CUSTOM_OPP_PATH", None)
        env.pop("OPFORGE_SIM_ASC_OPC", None)
        done = runner.run([*compiler_of(toolkit, env), *words], cwd=place, env=env)
        files = {
            path.name: worded_output(path.read_bytes(), place, toolkit.root)
            if path.suffix in _TEXTS
            else path.read_bytes()
            for path in sorted(output.iterdir())
            if path.is_file() and path not in before and path.name.startswith(job.name)
        }
        said = worded_output(done.output.encode(errors="surrogateescape"), place, toolkit.root)
        return Result(done.code, said.decode(errors="replace"), files, socket.gethostname())


def compiler_of(toolkit: Toolkit, environ: Mapping[str, str]) -> list[str | Path]:
    """The command of the kernel compiler: the simulated toolkit's own under this Python, or the first on PATH."""
    if toolkit.simulated:
        return [sys.executable, toolkit.root / "bin" / "asc_opc"]
    found = find_program("asc_opc", environ.get("PATH")) or find_program("opc", environ.get("PATH"))
    if found is None:
        raise BuildError("asc_opc is not on PATH", hint=f"source {toolkit.root}/set_env.sh before the worker starts")
    return [found]


def compiler_version(environ: Mapping[str, str], runner: Runner) -> str:
    """The first line that the C++ compiler prints about itself."""
    compiler = find_compiler(environ)
    done = runner.run([compiler, "--version"], cwd=Path("/"), env={**environ, "LC_ALL": "C"}, timeout=60)
    return done.require(f"{compiler} --version failed").output.partition("\n")[0]
