"""Compiles op_host and op_kernel with the toolkit's CMake functions into the run package."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.build import own_sources
from opforge.build.customize import op_build_failed
from opforge.build.failed_commands import each_failure, what_was_said
from opforge.build.files_read import Inputs, read_whole
from opforge.build.kernel_compiler import failed_kernels, watched
from opforge.build.make import clean_environment, gnu_make
from opforge.build.part import Kernels
from opforge.build.part_targets import targets_of
from opforge.build.plain_folder import remove_tree
from opforge.build.request import BuildRequest
from opforge.build.skeleton import JOBS
from opforge.build.wrong_members import meant_member
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, Spec
from opforge.toolkit.build_tools import find_cmake, find_compiler
from opforge.toolkit.process import Completed
from opforge.toolkit.protocol import CUSTOMIZE, Toolkit

if TYPE_CHECKING:
    from opforge.build.kernel_service import Jobs

SOURCE_FOLDERS = ("op_host", "op_kernel")
_INCLUDABLE = frozenset((".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".tpp", ".cuh", ".cpp", ".cc"))

_SHOWN_LINES = 40
_KILLED = re.compile(
    r"\bError 1(2[89]|[3-9]\d)\b|signal terminated program|: \*\*\* .*\b(Killed|Terminated|Interrupt)$", re.MULTILINE
)


def copy_sources(
    project: Path,
    target: Path,
    ops: Sequence[OpSpec],
    include: Sequence[str] = (),
    added: Mapping[Path, str] | None = None,
) -> Mapping[str, str]:
    """Copies the project's op_host and op_kernel into the build folder; only files that differ are written.

    Returns the hashes of all files in the source folders as they were read, so that they match what is compiled. The
    files are copies, not links, because the official CMake functions pack the kernel sources as they are. These
    functions expect all op_host files in one folder, and a kernel under the name of its op; generated files there
    include the ``sources`` that are elsewhere. ``added``: texts of further files.

    Raises BuildError for a folder without files, and for a missing file of ``sources``.
    """
    folders = (*own_sources.source_folders(ops), *(folder for folder in include if folder != "."))
    included = own_sources.forwarders(project, ops)

    def copied(inputs: Inputs) -> Mapping[str, str]:
        wanted = _included(inputs, include) | _wanted(inputs, ops)
        read = {source: inputs.read(source) for source in inputs.names}
        for folder in SOURCE_FOLDERS:
            wanted.pop(Path(folder) / "CMakeLists.txt", None)  # msOpGen writes it; layouts may differ
        texts = {name: read[source] for name, source in wanted.items()}
        ours = {**included, **(added or {})}
        synchronise(target, {**texts, **{name: text.encode() for name, text in ours.items()}})
        return inputs.hashes

    return read_whole(project, folders, copied)


def synchronise(target: Path, texts: Mapping[Path, bytes]) -> None:
    """Makes the source folders of ``target`` hold exactly these files and the CMake files."""
    for folder in SOURCE_FOLDERS:
        kept = {*texts, Path(folder) / "CMakeLists.txt"}
        for old in sorted((target / folder).rglob("*")):
            if (old.is_file() or old.is_symlink()) and old.relative_to(target) not in kept:
                old.unlink()
    for name, data in texts.items():
        copy = target / name
        if not copy.is_file() or copy.read_bytes() != data:
            remove_tree(copy)  # a folder that was there before
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)


def _wanted(inputs: Inputs, ops: Sequence[OpSpec]) -> dict[Path, str]:
    """The files that the build folder must have: path in the build folder -> path of the original in the project."""
    wanted: dict[Path, str] = {}
    for folder in own_sources.source_folders(ops):
        found = [name for name in inputs.names if name.startswith(f"{folder}/")]
        if not found:
            raise BuildError(
                f"{inputs.root / folder} has no files", hint="restore the folder from your version control"
            )
        target_folder = own_sources.copied_to(folder)
        wanted |= {target_folder / Path(name).relative_to(folder): name for name in found}
    for name in own_sources.unlisted(wanted, ops):
        del wanted[name]
    return wanted


def _included(inputs: Inputs, include: Sequence[str]) -> dict[Path, str]:
    """The files of the include folders, in the same form as ``_wanted``."""
    wanted: dict[Path, str] = {}
    for folder, target in own_sources.include_folders(include).items():
        if not (inputs.root / folder).is_dir():
            raise BuildError(
                f"opforge.yaml includes from {folder}, which does not exist",
                hint="`include` of the project has paths from where opforge.yaml is: correct it",
            )
        if folder != ".":
            files = [name for name in inputs.names if name.startswith(f"{folder}/")]
            wanted |= {
                target / Path(name).relative_to(folder): name for name in files if Path(name).suffix in _INCLUDABLE
            }
    return wanted


def configure(request: BuildRequest, spec: Spec, toolkit: Toolkit, source: Path, *, fresh: bool) -> None:
    """Configures ``out`` beside ``source`` until kernels can be compiled: op_build has then read op_host.

    ``fresh`` starts with an empty folder, after a change of toolkit, compiler or skeleton. If a compiler fails, CANN's
    own CMake functions accept stale binaries, so every build with CANN is fresh.

    Raises BuildError if compilers report errors, or if an older build cannot be removed.
    """
    out = source.with_name("out")
    log = request.log("operators")
    log.unlink(missing_ok=True)
    if fresh or not toolkit.simulated:
        remove_tree(out)
        if out.exists():
            raise BuildError(f"{out} is of an earlier build, and cannot be removed", hint="remove it as its owner")
    environ = _environ(request, toolkit, source, spec.project.include)
    make = gnu_make(request.runner, request.environ)
    watched(environ, toolkit, source.with_name("watched"))  # the configuration only checks that the compiler exists
    if (out / "Makefile").is_file():
        again = make.run(request, out, ("cmake_check_build_system",), environ)
        if not again.ok:
            _fail(request, again, source)
        return
    command = [*_configure_command(request, spec, toolkit, source, out), f"-DCMAKE_MAKE_PROGRAM={make.program}"]
    done = request.runner.run(command, cwd=source, env=environ, log=log)
    if not done.ok or (toolkit.generation == CUSTOMIZE and op_build_failed(done.output)):
        remove_tree(out)  # CMake would accept a half-configured folder
        _fail(request, done, source)


@contextmanager
def kernel_jobs(request: BuildRequest, toolkit: Toolkit, source: Path, include: Sequence[str]) -> Iterator[Jobs | None]:
    """Serves kernels as jobs while the block runs, if the request has a farm or a shared cache."""
    if not request.farm.used:
        yield None
        return
    from opforge.build.kernel_service import serving  # noqa: PLC0415  (sockets, threads: rarely used)

    with serving(request, toolkit, source.parent, _environ(request, toolkit, source, include)) as jobs:
        yield jobs
        request.progress.note(jobs.counts.text)


def compile_operators(
    request: BuildRequest, toolkit: Toolkit, source: Path, include: Sequence[str] = (), jobs: Jobs | None = None
) -> Path:
    """Compiles and packs the configured operators. Returns the run package, which is always new."""
    out = source.with_name("out")
    for old in out.glob("custom_opp_*.run"):
        old.unlink()
    notes = source.with_name("watched")
    environ = watched(_environ(request, toolkit, source, include), toolkit, notes, jobs.script if jobs else ())
    make = gnu_make(request.runner, request.environ)
    slots = jobs.slots if jobs else 0
    # Separate runs, because CANN's ``package`` packs what exists even if an earlier target failed; and because
    # op_host compiles here, with fewer compilers than a farm has.
    for targets in ((("binary",), ("all",)) if slots else (("binary", "all"),)) + (("package",),):
        many = replace(request, jobs=max(request.jobs, slots)) if targets == ("binary",) else request
        done = make.run(many, out, targets, environ)
        if not done.ok or failed_kernels(notes):
            _fail(request, done, source, failed_kernels(notes))
    made = sorted(out.glob("custom_opp_*.run"))
    if len(made) != 1:
        raise BuildError(f"the build succeeded but produced {len(made)} run packages in {out}", detail=done.tail())
    return made[0]


def compile_kernels(
    request: BuildRequest,
    toolkit: Toolkit,
    source: Path,
    include: Sequence[str],
    kernels: Kernels,
    *,
    jobs: Jobs | None = None,
) -> int:
    """Compiles some kernels of the configured operators. Returns the number of binaries; 0 if only CANN knows it."""
    out = source.with_name("out")
    notes = source.with_name("watched")
    environ = watched(_environ(request, toolkit, source, include), toolkit, notes, jobs.script if jobs else ())
    make = gnu_make(request.runner, request.environ)
    targets = targets_of(out, toolkit, kernels)
    many = replace(request, jobs=max(request.jobs, jobs.slots if jobs else 0))
    for run in targets.runs:
        done = make.run(many, out, run, environ)
        if not done.ok or failed_kernels(notes):
            _fail(request, done, source, failed_kernels(notes))
    missing = [path for path in targets.made if not path.is_file()]
    if missing:
        raise BuildError(f"make succeeded but did not produce {missing[0]}", detail=done.tail())
    return sum(path.suffix == ".o" for path in targets.made)


def _environ(request: BuildRequest, toolkit: Toolkit, source: Path, include: Sequence[str]) -> dict[str, str]:
    """The environment for CMake. CPATH has the include folders, as op_build's compiler takes none."""
    environ = clean_environment(toolkit.activation(request.environ))
    folders = [str(source / folder) for folder in own_sources.include_folders(include).values()]
    if folders:
        environ["CPATH"] = ":".join([*folders, *filter(None, [environ.get("CPATH")])])
    environ.pop("ASCEND_CUSTOM_OPP_PATH", None)  # other packages must not affect this one
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
        "Unix Makefiles",
        f"-DCMAKE_CXX_COMPILER={find_compiler(request.environ)}",
        "-DCMAKE_BUILD_TYPE=Release",
        *_interface_options(toolkit, out),
        f"-DASCEND_CANN_PACKAGE_PATH={toolkit.root}",
        f"-DASCEND_COMPUTE_UNIT={';'.join(project.soc)}",
        f"-DASCEND_PYTHON_EXECUTABLE={sys.executable if toolkit.simulated else 'python3'}",
        f"-Dvendor_name={project.vendor}",
        f"-D{JOBS}={request.jobs}",
        "-DENABLE_SOURCE_PACKAGE=True",
        "-DENABLE_BINARY_PACKAGE=True",
    ]
    if toolkit.simulated:
        copies = [f"{source}/", *(f"{source}/op_kernel/{unit}/" for unit in own_sources.units(spec.ops))]
        named = ["", *(f"{unit}/" for unit in own_sources.units(spec.ops))]
        maps = [f"{copy}={name}" for copy, name in zip(copies, named, strict=True)]
        command.append(f"-DASC_SOURCE_PREFIX_MAP={';'.join(maps)}")
    return command


def _interface_options(toolkit: Toolkit, out: Path) -> list[str]:
    """The options that differ between the generations: the functions' folder, or the folder of the run package."""
    if toolkit.generation == CUSTOMIZE:
        return [f"-DCMAKE_INSTALL_PREFIX={out}", "-DENABLE_TEST=False"]
    return [f"-DASC_DIR={toolkit.asc_dir}", f"-DCMAKE_PREFIX_PATH={toolkit.asc_dir}"]


def _fail(request: BuildRequest, done: Completed, source: Path, kernels: Sequence[str] = ()) -> None:
    """Raises with the compilers' messages, which name the user's files instead of the copies.

    ``kernels`` are those whose compilation failed, even if make did not notice.
    """
    said = re.sub(re.escape(f"{source}/") + r"(?:op_kernel/(?=(?:[^/\s:]+/)+op_(?:host|kernel)/))?", "", done.output)
    shown = what_was_said(said.splitlines(), kernels if done.ok else ())
    problems = each_failure(said.splitlines(), kernels if done.ok else ()) if request.keep_going else ()
    if problems:
        shown = [problem.render() for problem in problems]
    meant = meant_member("\n".join(shown), sorted(source.rglob("*.h")))
    hint = f"the whole output is in {request.log('operators')}"
    error = BuildError(
        "op_host or op_kernel did not build",
        detail="\n".join(shown if problems else shown[:_SHOWN_LINES]).strip() or done.tail(),
        hint=done.advice(f"{meant}; {hint}" if meant else hint),
    )
    error.problems = problems
    error.interrupted = done.code < 0 or request.runner.stopped or _KILLED.search(done.output) is not None
    raise error
