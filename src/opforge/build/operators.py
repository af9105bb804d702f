"""Compiles op_host and op_kernel with the toolkit's CMake functions into the run package."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from opforge.build import own_sources
from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, ProjectSpec
from opforge.toolkit.process import Completed
from opforge.toolkit.programs import find_cmake, find_compiler, find_ninja
from opforge.toolkit.protocol import Toolkit

SOURCE_FOLDERS = ("op_host", "op_kernel")

_FRAME = re.compile(r"\[\d+/\d+\] |ninja: |-- |\$ ")
_SHOWN_LINES = 40


def copy_sources(project: Path, target: Path, ops: Sequence[OpSpec]) -> None:
    """Makes the op_host and op_kernel of the build folder those of the project, touching only what differs.

    Copies, not links: the official CMake functions pack the kernel sources as they find them. They look for op_host's
    files beside each other and for a kernel by its op's name; ``sources`` that lie elsewhere are included from there.

    Raises BuildError for a folder without files, and for a file of ``sources`` that is not there.
    """
    included = own_sources.forwarders(project, ops)
    for folder in SOURCE_FOLDERS:
        wanted = {p.relative_to(project): p for p in sorted((project / folder).rglob("*")) if p.is_file()}
        if not wanted:
            raise BuildError(f"{project / folder} has no files", hint="restore the folder from your version control")
        for old in sorted((target / folder).rglob("*")):
            kept = {*wanted, *included}
            if old.is_file() and old.name != "CMakeLists.txt" and old.relative_to(target) not in kept:
                old.unlink()
        for name, source in wanted.items():
            copy = target / name
            if name == Path(folder) / "CMakeLists.txt" or name in included:
                continue
            if not copy.is_file() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
    for name, text in included.items():
        if not (target / name).is_file() or (target / name).read_text(encoding="utf-8") != text:
            (target / name).write_text(text, encoding="utf-8")


def configure(request: BuildRequest, project: ProjectSpec, toolkit: Toolkit, source: Path, *, fresh: bool) -> None:
    """Brings ``out`` beside ``source`` to where kernels can be compiled: op_build has read op_host.

    ``fresh`` starts from an empty folder: after a change of toolkit, compiler or skeleton. CANN's own CMake functions
    take stale binaries for good ones when a compiler fails, so with CANN every build is fresh.
    """
    out = source.with_name("out")
    log = request.log("operators")
    log.unlink(missing_ok=True)
    if fresh or not toolkit.simulated:
        shutil.rmtree(out, ignore_errors=True)
    environ = _environ(request, toolkit)
    if (out / "build.ninja").is_file():
        again = request.runner.run(
            [find_ninja(request.environ), "-C", out, "build.ninja"], cwd=source, env=environ, log=log
        )
        if not again.ok:
            _fail(request, again, source)
        return
    command = _configure_command(request, project, toolkit, source, out)
    done = request.runner.run(command, cwd=source, env=environ, log=log)
    if not done.ok:
        shutil.rmtree(out, ignore_errors=True)  # a half-configured folder would be believed
        _fail(request, done, source)


def compile_operators(request: BuildRequest, toolkit: Toolkit, source: Path) -> Path:
    """Compiles and packs what is configured; returns the run package, which is new."""
    out = source.with_name("out")
    for old in out.glob("custom_opp_*.run"):
        old.unlink()
    done = request.runner.run(
        [find_ninja(request.environ), "-C", out, f"-j{request.jobs}", "binary", "package"],
        cwd=source,
        env=_environ(request, toolkit),
        log=request.log("operators"),
    )
    if not done.ok:
        _fail(request, done, source)
    made = sorted(out.glob("custom_opp_*.run"))
    if len(made) != 1:
        raise BuildError(f"the build ended well but left {len(made)} run packages in {out}", detail=done.tail())
    return made[0]


def _environ(request: BuildRequest, toolkit: Toolkit) -> dict[str, str]:
    environ = toolkit.activation(request.environ)
    environ.pop("ASCEND_CUSTOM_OPP_PATH", None)  # other packages have no part in this one
    return environ


def _configure_command(
    request: BuildRequest, project: ProjectSpec, toolkit: Toolkit, source: Path, out: Path
) -> list[str | Path]:
    command: list[str | Path] = [
        find_cmake(request.environ),
        "-S",
        source,
        "-B",
        out,
        "-G",
        "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={find_ninja(request.environ)}",
        f"-DCMAKE_CXX_COMPILER={find_compiler(request.environ)}",
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DASC_DIR={toolkit.asc_dir}",
        f"-DCMAKE_PREFIX_PATH={toolkit.asc_dir}",
        f"-DASCEND_CANN_PACKAGE_PATH={toolkit.root}",
        f"-DASCEND_COMPUTE_UNIT={';'.join(project.soc)}",
        f"-DASCEND_PYTHON_EXECUTABLE={sys.executable if toolkit.simulated else 'python3'}",
        f"-Dvendor_name={project.vendor}",
        "-DENABLE_SOURCE_PACKAGE=True",
        "-DENABLE_BINARY_PACKAGE=True",
    ]
    if toolkit.simulated:
        command.append(f"-DASC_SOURCE_PREFIX_MAP={source}/=")
    return command


def _fail(request: BuildRequest, done: Completed, source: Path) -> None:
    """Raises with what the compilers said, about the user's files and not about the copies."""
    shown = _what_was_said(done.output.replace(f"{source}/", "").splitlines())
    raise BuildError(
        "op_host or op_kernel did not build",
        detail="\n".join(shown[:_SHOWN_LINES]).strip() or done.tail(),
        hint=done.advice(f"the whole output is in {request.log('operators')}"),
    )


def _what_was_said(lines: list[str]) -> list[str]:
    """What the first command that failed wrote, out of ninja's and CMake's own lines."""
    for index, line in enumerate(lines):
        if line.startswith("CMake Error"):  # op_host is compiled while configuring; its errors come before
            said = [text for text in lines[:index] if not _FRAME.match(text)]
            return said or [text for text in lines[index:] if not _FRAME.match(text)]
        if line.startswith("FAILED:"):
            said = lines[index + 2 :]  # after the command itself
            end = next((i for i, text in enumerate(said) if _FRAME.match(text)), len(said))
            return said[:end]
    return [text for text in lines if not _FRAME.match(text)]
