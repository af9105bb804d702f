"""Computes the parts of step keys: sources, spec, toolkit, compiler, its variables, torch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from opforge.build.plain_folder import cann_place
from opforge.build.python_env import PythonEnv, version_file
from opforge.build.repository import boundary
from opforge.build.request import BuildRequest
from opforge.build.state import State
from opforge.errors import ProjectError
from opforge.plain_files import list_files
from opforge.release import __version__
from opforge.sha256 import sha256
from opforge.toolkit.protocol import Toolkit

SPEC = "opforge.yaml"
LOCK = ".opforge/lock.json"
README = "README.md"
TUNING = "tuning"  # plans that `opforge tune` found
LICENCES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "NOTICE")
PAGES = (README, *LICENCES)
SIMULATOR = "opforge.yaml, simulator"  # the settings of the simulated device, which the wheel contains

# Variables that compilers and linkers read, and variables that CMake copies into its commands.
COMPILERS_READ = (
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"),
    "SOURCE_DATE_EPOCH",
)
CMAKE_READS = (
    *("CFLAGS", "CXXFLAGS", "LDFLAGS", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CXX_LINKER_LAUNCHER"),
    *("CMAKE_INCLUDE_PATH", "CMAKE_LIBRARY_PATH", "CMAKE_TOOLCHAIN_FILE"),
)
INCLUDE_FOLDERS = COMPILERS_READ[:3]


def source_files(root: Path, folders: Iterable[str]) -> list[str]:
    """Every file below these folders, relative to ``root`` and sorted, without caches and editor backups.

    Raises SpecialFileError and BuildError for links that lead out of the project, FIFOs and devices.
    """
    found: set[str] = set()
    for folder in folders:
        found.update(list_files(str(root), folder, boundary(root, folder)))
    return sorted(found)


def source_folders(state: State) -> tuple[str, ...]:
    """The folders of op_host and op_kernel files, as recorded by the last run of the step that reads the spec."""
    return state.meaning.folders if state.meaning else ("op_host", "op_kernel")


def adapter_folders(source_folders: Iterable[str]) -> tuple[str, ...]:
    """The parts of csrc/ that are compiled for PyTorch: all of it, unless a repository keeps its operators there.

    Such a csrc/ is the repository's own, with files that opforge does not compile.
    """
    theirs = any(folder.startswith("csrc/") for folder in source_folders)
    return ("csrc/adapter.cpp", "csrc/opforge") if theirs else ("csrc",)


def package_folders(state: State) -> tuple[str, ...]:
    """The folder of the Python package, as recorded by the last run of the step that reads the spec."""
    return (f"python/{state.meaning.package}",) if state.meaning else ()


def pages(root: Path) -> list[str]:
    """The files in the project folder that the wheel's metadata contains: README.md and licences."""
    return [name for name in PAGES if os.path.isfile(root / name)]  # noqa: PTH113  (one system call)


def hashes(state: State, root: Path, names: Iterable[str]) -> dict[str, str]:
    """``{"op_host/vector_add.cpp": "sha256 ..."}``. A missing file has an entry as well."""
    return {name: state.file_hash(root / name) or "missing" for name in names}


def packed_hashes(state: State, root: Path, names: Iterable[str]) -> dict[str, str]:
    """``hashes`` for files that are packed with their executable bit."""
    found = hashes(state, root, names)
    return {name: packed_hash(digest, runs=os.access(root / name, os.X_OK)) for name, digest in found.items()}


def packed_hash(digest: str, *, runs: bool) -> str:
    """A file's hash, and whether the file is executable."""
    return f"{digest} executable" if runs else digest


def spec_parts(state: State, root: Path, read: Mapping[str, str]) -> dict[str, str]:
    """The text of the spec, the lock, and the version of opforge. ``read`` has the hashes read by this build."""
    on_disk = hashes(state, root, (name for name in (SPEC, LOCK) if name not in read))
    return {**on_disk, **{name: read[name] for name in (SPEC, LOCK) if name in read}, "opforge": __version__}


def meaning_parts(
    state: State, root: Path, part: Literal["says", "interface"], read: Mapping[str, str]
) -> dict[str, str]:
    """The spec's contents as last parsed, so that a changed comment does not rebuild anything.

    ``part`` is ``says`` for everything, or ``interface`` for what op_host and the CMake files depend on. An expression
    reaches the kernels through the sources that are rendered from it.
    """
    record = state.steps.get("spec")
    if record is None or record.meaning is None or record.key != spec_parts(state, root, read):
        return {SPEC: "not read yet", "opforge": __version__}
    return {SPEC: getattr(record.meaning, part), "opforge": __version__}


def simulator_parts(state: State) -> dict[str, str]:
    """The settings of the simulated device, as last parsed from the spec. The wheel contains them."""
    return {SIMULATOR: state.meaning.simulator if state.meaning else "not read yet"}


def toolkit_parts(toolkit: Toolkit) -> dict[str, str]:
    """The toolkit and its fingerprint."""
    return {"toolkit": f"{toolkit.kind} {toolkit.root}", "toolkit content": toolkit.fingerprint}


def place_parts(request: BuildRequest) -> dict[str, str]:
    """The folder outside the project in which operators are built. A copy of the project does not contain it."""
    place = cann_place(request)
    return {} if place.parent == request.folder else {"the place of the build": str(place)}


def compiler_parts(compiler: Path) -> dict[str, str]:
    """The compiler as path, size and time of its file. Querying its version would start a process."""
    real = compiler.resolve()
    found = real.stat()
    return {"compiler": f"{compiler} {real} {found.st_size} {found.st_mtime_ns}"}


def variable_parts(environ: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Those of the variables that are set."""
    return {name: environ[name] for name in names if environ.get(name)}


def torch_parts(state: State, env: PythonEnv) -> dict[str, str]:
    """PyTorch and torch_npu: the contents of their version files, and their folders."""
    parts = {}
    for name, package in (("torch", env.torch), ("torch_npu", env.torch_npu)):
        version = state.file_hash(version_file(package)) if package else None
        parts[name] = f"{package} {version or 'missing'}"
    return parts


def named(root: Path, path: str) -> str:
    """A path as keys contain it: relative to the project if it is inside, else absolute."""
    return path.removeprefix(f"{root}/")


def outside_parts(state: State, root: Path, step: str) -> dict[str, str]:
    """The current hashes of the files outside the project that the step's compilers read in its last run."""
    record = state.steps.get(step)
    return {name: outside_hash(state, root, name) for name in (record.outside if record else ())}


def outside_hash(state: State, root: Path, name: str) -> str:
    """The hash of a file, given by an absolute path or a path in the project. Only regular files have one.

    A name that ends with a slash is a folder that compilers search. A new header there may hide one of the toolkit or
    of the system.
    """
    if name.endswith("/"):
        return _names_in(name)
    try:
        return state.file_hash(os.path.join(root, name)) or "missing"  # noqa: PTH118  (``name`` may be absolute)
    except (OSError, ProjectError):
        return "missing"


def clock(folder: Path) -> int:
    """The current time as the file system sees it. File times are coarser than other clocks and lag behind them."""
    mark = folder / ".clock"
    mark.write_bytes(b"")
    os.utime(mark)
    return mark.stat().st_ctime_ns


def changed_since(path: Path, began: int) -> bool:
    """Whether a file may have changed since ``began``, a time from ``clock``; False if the file is missing.

    This uses the inode's change time, which programs cannot set. A network file system uses the server's clock.
    """
    try:
        return path.stat().st_ctime_ns >= began
    except OSError:
        return False


def compilers_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` for compilers: a fixed date for ``__DATE__``, no LD_RUN_PATH in libraries, no coloured messages."""
    clean = {name: value for name, value in environ.items() if name not in ("LD_RUN_PATH", "GCC_COLORS")}
    clean.setdefault("SOURCE_DATE_EPOCH", "315532800")  # 1980, the earliest date that zip can store
    return clean


def _names_in(folder: str) -> str:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  (plain strings)
    except OSError:
        return "missing"
    return sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
