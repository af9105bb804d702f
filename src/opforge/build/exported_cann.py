"""Makes the project that CANN builds without opforge: op_host, op_kernel, CMake files, presets, build.sh."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from opforge.build.own_sources import include_folders
from opforge.build.run_package import copy_sources
from opforge.build.skeleton import own_cmake_files, with_options
from opforge.build.tuned_files import tuned_files
from opforge.errors import BuildError
from opforge.fileset import File, FileSet
from opforge.program import Program
from opforge.render.cann_project import cann_files, cmake_files_8
from opforge.toolkit.protocol import CUSTOMIZE, FIND_PACKAGE

GENERATIONS = (CUSTOMIZE, FIND_PACKAGE)
_INTERFACES = {CUSTOMIZE: "the project template of CANN 8.x", FIND_PACKAGE: "`find_package(ASC)` of CANN 8.3 and later"}
_OP_HOST = "op_host/CMakeLists.txt"
_PROGRAMS = (".sh",)


def cann_project(root: Path, program: Program, generation: int, note: Callable[[str], None]) -> FileSet:
    """The files of the stand-alone project, for one generation of CMake functions.

    The sources are those that a build compiles: files of `sources` and `include` are at the paths that CANN expects.
    Raises BuildError for a source that is missing or not text.
    """
    spec = program.spec
    tuned, _ = tuned_files(root, program, note)
    with tempfile.TemporaryDirectory(prefix="opforge-export-") as scratch:
        copy_sources(root, Path(scratch), program.ops, spec.project.include, tuned)
        sources = [_source(path, Path(scratch)) for path in sorted(Path(scratch).rglob("*")) if path.is_file()]
    cmake = cmake_files_8() if generation == CUSTOMIZE else own_cmake_files()
    cmake[_OP_HOST] = with_options(cmake[_OP_HOST], spec.project)
    files = [File(PurePosixPath(name), text, "cmake") for name, text in cmake.items()]
    include = [path.as_posix() for path in include_folders(spec.project.include).values()]
    types = [op.type for op in program.ops]
    copied = generation == CUSTOMIZE
    return FileSet.of(*sources, *files, *cann_files(spec, types, include, _INTERFACES[generation], copied=copied))


def _source(path: Path, folder: Path) -> File:
    name = path.relative_to(folder).as_posix()
    try:
        return File(PurePosixPath(name), path.read_bytes().decode(), "source", executable=path.suffix in _PROGRAMS)
    except UnicodeDecodeError as error:
        raise BuildError(f"{name} is not a text in UTF-8, so it is not exported", hint="convert it to UTF-8") from error
