"""``opforge export wheel``: the wheel of a build, with an adapter for the PyTorch of each of several environments.

Kernels and run package do not depend on PyTorch, so that only the adapter and the glue are compiled again.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opforge.build import key_parts
from opforge.build.adapter_libraries import Libraries, build_libraries
from opforge.build.pipeline import build
from opforge.build.project_lock import project_lock
from opforge.build.python_env import PythonEnv, find_env, read_version, require_torch, torch_series
from opforge.build.request import BuildRequest
from opforge.build.state import State, load_state
from opforge.build.step_context import find_context
from opforge.build.wheel import BUILD_NOTE, library_entries
from opforge.build.wheel_file import Entry, pack
from opforge.build.wheel_metadata import requirements
from opforge.errors import BuildError, UsageError
from opforge.frozen import dataclass

_REQUIRED = (b"Requires-Dist: torch", b"Provides-Extra: npu")  # lines of METADATA


@dataclass(frozen=True)
class ExportedWheel:
    """The wheel, and the versions of PyTorch that it has adapters for."""

    path: Path
    torch: tuple[str, ...]


@dataclass(frozen=True)
class _Target:
    """An environment and its PyTorch."""

    prefix: Path
    version: str  # of torch
    torch: Path
    torch_npu: Path


def export_wheel(request: BuildRequest, also: Sequence[Path], out: Path) -> ExportedWheel:
    """Builds the project, and writes its wheel to ``out``, with adapters for the environments ``also`` too.

    Raises UsageError if two environments have the same series of PyTorch, and the errors of ``build``.
    """
    if out.resolve() == request.dist.resolve():
        hint = "give another folder: `opforge build` would replace the wheel there"
        raise UsageError(f"{out} is the folder of the project's own wheel", hint=hint)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder", hint="give another folder")
    runner = request.runner
    env = find_env(request.python, request.environ, load_state(request.state_file), runner)
    own = _target(env, require_torch(env))
    others = []
    for option in also:
        env = find_env(option, request.environ, State(), runner, "--also")
        others.append(_target(env, require_torch(env, "<VERSION>")))
    _refuse_alike(own, *others)
    built = build(request)
    with project_lock(request.folder):
        made = _libraries(request, others)
        out.mkdir(parents=True, exist_ok=True)
        target = out.absolute() / built.wheel.name
        scratch = target.with_name(f".{target.name}")
        try:
            pack(scratch, *_joined(built.wheel, own.version, made))
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    return ExportedWheel(target, (own.version, *made))


def _target(env: PythonEnv, packages: tuple[Path, Path]) -> _Target:
    return _Target(env.prefix, read_version(packages[0]), *packages)


def _refuse_alike(*targets: _Target) -> None:
    """A wheel has one adapter for a series of PyTorch."""
    first: dict[str, _Target] = {}
    for target in targets:
        series = torch_series(target.version)
        if series in first:
            raise UsageError(
                f"{first[series].prefix} and {target.prefix} both have torch {series}",
                hint=f"leave out --also {target.prefix}: one adapter works with all releases of torch {series}",
            )
        first[series] = target


def _libraries(request: BuildRequest, targets: Sequence[_Target]) -> dict[str, Path]:
    """The folders with the libraries for these environments, by version of PyTorch."""
    state = load_state(request.state_file)
    context = find_context(request, state)
    folders = key_parts.adapter_folders(key_parts.source_folders(state))
    made = {}
    for target in targets:
        place = f"torch-{torch_series(target.version)}"
        request.progress.note(f"adapter: for torch {target.version} in {target.prefix}")
        libraries = build_libraries(request, context, target.torch, target.torch_npu, folders, place=place)
        _require_sources_of_build(state, libraries)
        made[target.version] = request.folder / place
    return made


def _require_sources_of_build(state: State, libraries: Libraries) -> None:
    key = state.steps["adapter"].key
    changed = [name for name, digest in libraries.read.items() if key.get(name) != digest]
    if changed:
        raise BuildError(f"{changed[0]} was changed during the build", hint="export the wheel again")


def _joined(wheel: Path, own: str, made: Mapping[str, Path]) -> tuple[Iterator[Entry], str]:
    """The files of ``wheel`` and the libraries in ``made``, and the name of RECORD."""
    versions = (own, *made)
    package = wheel.name.partition("-")[0]
    with zipfile.ZipFile(wheel) as file:
        found = [(each.filename, file.read(each), bool(each.external_attr >> 16 & 0o100)) for each in file.infolist()]
    record, _, _ = found.pop()

    def entries() -> Iterator[Entry]:
        for name, data, runs in found:
            if name == f"{package}/{BUILD_NOTE}":
                yield name, _note(data, versions), runs
            elif name.endswith(".dist-info/METADATA"):
                yield name, _metadata(data, versions), runs
            else:
                yield name, data, runs
        for version, folder in made.items():
            yield from library_entries(package, version, folder)

    return entries(), record


def _note(data: bytes, versions: Sequence[str]) -> bytes:
    torch = [version.partition("+")[0] for version in versions]
    return json.dumps({**json.loads(data), "torch": torch}, indent=2).encode() + b"\n"


def _metadata(data: bytes, versions: Sequence[str]) -> bytes:
    head, separator, text = data.partition(b"\n\n")
    kept = [line for line in head.splitlines() if not line.startswith(_REQUIRED)]
    place = next((i for i, line in enumerate(kept) if line.startswith(b"Description-Content-Type")), len(kept))
    kept[place:place] = [line.encode() for line in requirements(versions)]
    end = b"" if separator else b"\n"
    return b"\n".join(kept) + separator + text + end
