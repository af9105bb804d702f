"""Compiles op_host and op_kernel with the toolkit's CMake functions into the run package."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from opforge.build import own_sources
from opforge.build.failed_commands import what_was_said
from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, Spec
from opforge.toolkit.process import Completed
from opforge.toolkit.programs import find_cmake, find_compiler, find_ninja
from opforge.toolkit.protocol import Toolkit

SOURCE_FOLDERS = ("op_host", "op_kernel")
_INCLUDABLE = frozenset((".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".tpp", ".cuh", ".cpp", ".cc"))

_SHOWN_LINES = 40


def copy_sources(project: Path, target: Path, ops: Sequence[OpSpec], include: Sequence[str] = ()) -> None:
    """Makes the op_host and op_kernel of the build folder those of the project, touching only what differs.

    Copies, not links: the official CMake functions pack the kernel sources as they find them. They look for op_host's
    files beside each other and for a kernel by its op's name; ``sources`` that lie elsewhere are included from there.

    Raises BuildError for a folder without files, and for a file of ``sources`` that is not there.
    """
    included = own_sources.forwarders(project, ops)
    wanted = _included(project, include) | _wanted(project, ops)
    for folder in SOURCE_FOLDERS:
        own = Path(folder) / "CMakeLists.txt"  # msOpGen's; the project's may be of another layout
        wanted.pop(own, None)
        for old in sorted((target / folder).rglob("*")):
            kept = {*wanted, *included, own}
            if old.is_file() and old.relative_to(target) not in kept:
                old.unlink()
    for name, source in wanted.items():
        copy = target / name
        if name not in included and (not copy.is_file() or copy.read_bytes() != source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    for name, text in included.items():
        if not (target / name).is_file() or (target / name).read_text(encoding="utf-8") != text:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(text, encoding="utf-8")


def _wanted(project: Path, ops: Sequence[OpSpec]) -> dict[Path, Path]:
    """The files that the build folder has, by their paths in it, and the project's that they are copies of."""
    wanted: dict[Path, Path] = {}
    for folder in own_sources.source_folders(ops):
        found = [path for path in sorted((project / folder).rglob("*")) if path.is_file()]
        if not found:
            raise BuildError(f"{project / folder} has no files", hint="restore the folder from your version control")
        target_folder = own_sources.copied_to(folder)
        wanted |= {target_folder / path.relative_to(project / folder): path for path in found}
    for name in own_sources.unlisted(wanted, ops):
        del wanted[name]
    return wanted


def _included(project: Path, include: Sequence[str]) -> dict[Path, Path]:
    """The files of the folders that are included from, likewise."""
    wanted: dict[Path, Path] = {}
    for folder, target in own_sources.include_folders(include).items():
        if not (project / folder).is_dir():
            raise BuildError(
                f"opforge.yaml includes from {folder}, and there is no such folder",
                hint="`include` of the project has paths from where opforge.yaml is: correct it",
            )
        if folder != ".":
            files = [path for path in sorted((project / folder).rglob("*")) if path.suffix in _INCLUDABLE]
            wanted |= {target / path.relative_to(project / folder): path for path in files if path.is_file()}
    return wanted


def configure(request: BuildRequest, spec: Spec, toolkit: Toolkit, source: Path, *, fresh: bool) -> None:
    """Brings ``out`` beside ``source`` to where kernels can be compiled: op_build has read op_host.

    ``fresh`` starts from an empty folder: after a change of toolkit, compiler or skeleton. CANN's own CMake functions
    take stale binaries for good ones when a compiler fails, so with CANN every build is fresh.
    """
    out = source.with_name("out")
    log = request.log("operators")
    log.unlink(missing_ok=True)
    if fresh or not toolkit.simulated:
        shutil.rmtree(out, ignore_errors=True)
    environ = _environ(request, toolkit, source, spec.project.include)
    if (out / "build.ninja").is_file():
        again = request.runner.run(
            [find_ninja(request.environ), "-C", out, "build.ninja"], cwd=source, env=environ, log=log
        )
        if not again.ok:
            _fail(request, again, source)
        return
    command = _configure_command(request, spec, toolkit, source, out)
    done = request.runner.run(command, cwd=source, env=environ, log=log)
    if not done.ok:
        shutil.rmtree(out, ignore_errors=True)  # a half-configured folder would be believed
        _fail(request, done, source)


def compile_operators(request: BuildRequest, toolkit: Toolkit, source: Path, include: Sequence[str] = ()) -> Path:
    """Compiles and packs what is configured; returns the run package, which is new."""
    out = source.with_name("out")
    for old in out.glob("custom_opp_*.run"):
        old.unlink()
    done = request.runner.run(
        # -k0: what one kernel has wrong says nothing of the others, which people want to know in one go.
        [find_ninja(request.environ), "-C", out, f"-j{request.jobs}", "-k0", "binary", "package"],
        cwd=source,
        env=_environ(request, toolkit, source, include),
        log=request.log("operators"),
    )
    if not done.ok:
        _fail(request, done, source)
    made = sorted(out.glob("custom_opp_*.run"))
    if len(made) != 1:
        raise BuildError(f"the build ended well but left {len(made)} run packages in {out}", detail=done.tail())
    return made[0]


def _environ(request: BuildRequest, toolkit: Toolkit, source: Path, include: Sequence[str]) -> dict[str, str]:
    """CANN's CMake functions take no folders for op_build's compiler; every compiler takes those of CPATH."""
    environ = toolkit.activation(request.environ)
    folders = [str(source / folder) for folder in own_sources.include_folders(include).values()]
    if folders:
        environ["CPATH"] = ":".join([*folders, *filter(None, [environ.get("CPATH")])])
    environ.pop("ASCEND_CUSTOM_OPP_PATH", None)  # other packages have no part in this one
    return environ


def _configure_command(
    request: BuildRequest, spec: Spec, toolkit: Toolkit, source: Path, out: Path
) -> list[str | Path]:
    project = spec.project
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
        copies = [f"{source}/", *(f"{source}/op_kernel/{unit}/" for unit in own_sources.units(spec.ops))]
        named = ["", *(f"{unit}/" for unit in own_sources.units(spec.ops))]
        maps = [f"{copy}={name}" for copy, name in zip(copies, named, strict=True)]
        command.append(f"-DASC_SOURCE_PREFIX_MAP={';'.join(maps)}")
    return command


def _fail(request: BuildRequest, done: Completed, source: Path) -> None:
    """Raises with what the compilers said, about the user's files and not about the copies."""
    said = re.sub(re.escape(f"{source}/") + r"(?:op_kernel/(?=(?:[^/\s:]+/)+op_(?:host|kernel)/))?", "", done.output)
    shown = what_was_said(said.splitlines())
    raise BuildError(
        "op_host or op_kernel did not build",
        detail="\n".join(shown[:_SHOWN_LINES]).strip() or done.tail(),
        hint=done.advice(f"the whole output is in {request.log('operators')}"),
    )
