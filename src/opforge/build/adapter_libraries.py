"""Compiles the torch side: the adapter, and the torch_npu glue that all projects in one environment share.

The cache stores both libraries by their inputs: sources, compiler, options, variables, PyTorch version, and the
contents of other files that the compiler read. csrc/ is copied first, so that the key matches the compiled files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from opforge.build import key_parts
from opforge.build.depfiles import hiding_places, outside, read_rules, searched_folders
from opforge.build.files_read import Inputs, read_whole
from opforge.build.plain_folder import remove_tree
from opforge.build.python_env import read_version, version_file, version_numbers
from opforge.build.request import BuildRequest
from opforge.build.state import State
from opforge.build.step_context import StepContext
from opforge.errors import BuildError
from opforge.frozen import dataclass
from opforge.toolkit.process import Completed
from opforge.toolkit.store import Store

ADAPTER = "libadapter.so"
GLUE = "libnpu_glue.so"
GLUE_SOURCES = ("npu_glue.cpp", "npu_glue.h")
GLUE_FOLDERS = ("csrc/opforge", "csrc")  # older versions of opforge used the second one

_ABI = re.compile(r"_GLIBCXX_USE_CXX11_ABI=([01])")
# -O1: the adapter only checks and calls. Higher levels take longer to compile and gain nothing.
_FLAGS = ("-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
_NEEDS_CPP20 = (2, 14)  # the first PyTorch whose headers do
_MOST_BYTES = 200_000_000  # of the cache, for adapters and for glues
_FORMAT = "2"  # of the cache's entries
# torch_npu's headers include ATen/ATen.h (3,900 files) and need this much of it, which compiles in two thirds of the
# time. With a torch_npu that needs more, the glue compiles with the whole header.
_NARROW = "narrow"  # a folder in which compilers find it before PyTorch's
_NARROW_ATEN = """\
#pragma once
#include <ATen/Context.h>
#include <ATen/DeviceGuard.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
"""


@dataclass(frozen=True)
class Libraries:
    """The libraries, the hashes of csrc/ as it was read, and the other files that the compiler read."""

    adapter: Path
    glue: Path
    read: Mapping[str, str]
    outside: tuple[str, ...]


@dataclass(frozen=True)
class _Library:
    """One library: its sources in csrc/, its link options, and what its cache entry depends on."""

    kind: str  # the name of its log and of its folder in the cache
    name: str
    sources: tuple[str, ...]
    read: Mapping[str, str]
    includes: tuple[Path, ...]
    libraries: tuple[str | Path, ...]
    torch: Path
    packages: tuple[Path, ...]  # torch, and torch_npu if it is used

    @property
    def narrow(self) -> tuple[str, ...]:
        """The compiler's options for the narrow ATen/ATen.h."""
        return ("-I", _NARROW) if self.name == GLUE else ()

    @property
    def what(self) -> str:
        """The name of its sources in messages."""
        return "csrc/" if self.name == ADAPTER else self.sources[0]


def build_libraries(
    request: BuildRequest,
    context: StepContext,
    torch: Path,
    torch_npu: Path,
    folders: Sequence[str] = ("csrc",),
    *,
    place: str = "torch",
) -> Libraries:
    """Builds libadapter.so, which links only torch, and libnpu_glue.so from ``folders``, in ``place`` below build/.

    Raises BuildError with the compiler's messages about the user's files.
    """
    copy = request.folder / place / "src"
    inputs = read_whole(request.root, folders, lambda found: _copied(found, copy))
    folder = next(
        (f for f in GLUE_FOLDERS if any(f"{f}/{name}" in inputs.names for name in GLUE_SOURCES)), GLUE_FOLDERS[0]
    )
    glue_sources = [f"{folder}/{name}" for name in GLUE_SOURCES]
    missing = [name for name in glue_sources if name not in inputs.names]
    if missing:
        raise BuildError(f"{missing[0]} is missing", hint="`opforge update` writes it again")
    units = [name for name in inputs.names if name.endswith(".cpp") and name.count("/") == 1]
    own = tuple(name for name in units if name.partition("/")[2] not in GLUE_SOURCES)
    if not own:
        raise BuildError(
            f"{request.root / 'csrc'} has no .cpp file", hint="restore the folder from your version control"
        )
    of_glue = {name: inputs.hashes[name] for name in glue_sources}
    linked = ("-L", torch / "lib", "-ltorch", "-ltorch_cpu", "-lc10")
    adapter = _Library("adapter", ADAPTER, own, inputs.hashes, (), (*linked, "-ldl"), torch, (torch,))
    glue = _Library(
        "glue",
        GLUE,
        (glue_sources[0],),
        of_glue,
        npu_includes(torch_npu),
        # The activated toolkit provides the libraries that torch_npu needs; the linker cannot find them.
        ("-L", torch_npu / "lib", "-ltorch_npu", *linked, "-Wl,--allow-shlib-undefined"),
        torch,
        (torch, torch_npu),
    )
    with ThreadPoolExecutor(max_workers=2) as pool:  # two compilers, mostly busy with PyTorch's headers
        made = [pool.submit(_kept_or_compiled, request, context, library, copy) for library in (adapter, glue)]
    (first, of_adapter), (second, of_glue_too) = (library.result() for library in made)
    return Libraries(first, second, inputs.hashes, tuple(sorted({*of_adapter, *of_glue_too})))


def flags(torch: Path | None) -> tuple[str, ...]:
    """The compiler's options for csrc/, with the C++ that the headers of this PyTorch need."""
    series = (0, 0) if torch is None else version_numbers(read_version(torch))[:2]
    return ("-std=c++20" if series >= _NEEDS_CPP20 else "-std=c++17", *_FLAGS)


def npu_includes(torch_npu: Path) -> tuple[Path, ...]:
    """The folders of torch_npu's headers."""
    return (torch_npu / "include", torch_npu / "include" / "third_party" / "acl" / "inc")


def _copied(inputs: Inputs, copy: Path) -> Inputs:
    """Copies csrc/ below ``copy``."""
    remove_tree(copy)
    for name in inputs.names:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(inputs.read(name))
    aten = copy / _NARROW / "ATen" / "ATen.h"
    aten.parent.mkdir(parents=True)
    aten.write_text(_NARROW_ATEN, encoding="utf-8")
    return inputs


def _kept_or_compiled(
    request: BuildRequest, context: StepContext, library: _Library, copy: Path
) -> tuple[Path, tuple[str, ...]]:
    """The library beside ``copy``, either from the cache or compiled, and other files that its compiler read."""
    target = copy.with_name(library.name)
    target.unlink(missing_ok=True)
    key = _key(request, context, library)
    store = Store(request.cache / library.kind, _MOST_BYTES, request.progress.note)
    kept = store.get(key)
    if kept is not None:
        before = json.loads(kept["outside.json"])
        if all(key_parts.outside_hash(State(), request.root, name) == digest for name, digest in before.items()):
            _publish(target, kept[library.name])
            return target, tuple(before)
    began = key_parts.clock(request.folder)
    names = _compile(request, context, library, copy, target)
    now = {name: key_parts.outside_hash(State(), request.root, name) for name in names}
    if not any(key_parts.changed_since(request.root / name, began) for name in names):
        store.put(key, {library.name: target.read_bytes(), "outside.json": json.dumps(now).encode()})
    return target, names


def _key(request: BuildRequest, context: StepContext, library: _Library) -> str:
    versions = State()
    depends = {
        "format": _FORMAT,
        **library.read,
        **key_parts.compiler_parts(context.compiler),
        **key_parts.variable_parts(request.environ, key_parts.COMPILERS_READ),
        **{package.name: versions.file_hash(version_file(package)) or "" for package in library.packages},
        "options": " ".join((*flags(library.torch), _abi(library.torch))),
        "narrow ATen/ATen.h": _NARROW_ATEN if library.narrow else "",
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]


def _compile(
    request: BuildRequest, context: StepContext, library: _Library, copy: Path, target: Path
) -> tuple[str, ...]:
    """Compiles and links a library. Returns the files read outside csrc/, PyTorch and the compiler's own folders."""
    log = request.log(library.kind)
    log.unlink(missing_ok=True)
    work = copy.parent
    # The project's other headers are found relative to the original csrc/.
    includes = (
        "-I",
        "csrc",
        "-I",
        request.root / "csrc",
        *_system(library.includes),
        *_system((library.torch / "include",)),
    )
    maps = [f"-ffile-prefix-map={package}/={package.name}/" for package in library.packages]
    objects = []
    for source in library.sources:
        built = work / f"{library.kind}-{Path(source).stem}.o"
        command = [
            context.compiler,
            *flags(library.torch),
            _abi(library.torch),
            *includes,
            *maps,
            "-MD",
            "-MF",
            built.with_suffix(".d"),
        ]
        command += [f"-ffile-prefix-map={request.root}/=", "-c", source, "-o", built]
        if not (library.narrow and _run(request, [*command, *library.narrow], copy, log).ok):
            _require(_run(request, [*command], copy, log), f"{library.what} does not compile")
        objects.append(built)
    scratch = target.with_name(f".{target.name}.new")
    command = [context.compiler, "-shared", *objects, "-o", scratch, *library.libraries]
    _require(_run(request, [*command], copy, log), f"{library.what} does not link")
    if not scratch.is_file():
        raise BuildError(f"the compiler succeeded but did not produce {target.name}")
    scratch.replace(target)
    read = read_rules(built.with_suffix(".d") for built in objects)
    found = outside(read, copy, context.compiler, (copy, *library.packages))
    folders = searched_folders({name: request.environ.get(name, "") for name in key_parts.COMPILERS_READ})
    paths = (*found, *hiding_places(found, folders), *(f"{folder}/" for folder in folders))
    return tuple(key_parts.named(request.root, path) for path in paths)


def _system(folders: Sequence[Path]) -> list[str | Path]:
    return [word for folder in folders for word in ("-isystem", folder)]


def _abi(torch: Path) -> str:
    config = torch / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    found = _ABI.search(config.read_text(encoding="utf-8")) if config.is_file() else None
    return f"-D_GLIBCXX_USE_CXX11_ABI={found[1] if found else '1'}"


def _run(request: BuildRequest, command: Sequence[str | Path], copy: Path, log: Path) -> Completed:
    """Runs the command in the copy, so that diagnostics name csrc/adapter.cpp."""
    return request.runner.run(command, cwd=copy, env=key_parts.compilers_environment(request.environ), log=log)


def _require(done: Completed, what: str) -> None:
    if done.ok:
        return
    lines = done.output.splitlines()
    first = next((i for i, line in enumerate(lines) if ": error:" in line or ": fatal error:" in line), 0)
    shown = "\n".join(lines[max(0, first - 2) : first + 30])
    raise BuildError(what, detail=shown or done.tail(), hint=done.advice(f"the whole output is in {done.log}"))


def _publish(target: Path, data: bytes) -> None:
    scratch = target.with_name(f".{target.name}.new")
    scratch.write_bytes(data)
    scratch.chmod(0o755)
    scratch.replace(target)
