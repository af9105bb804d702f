"""Finds the parts of an existing operator project: its units, their op_host and op_kernel files, its presets.

Supports two layouts: msOpGen's, a folder with op_host and op_kernel, and that of CANN's operator repositories, in which
each op has such a folder, with subfolders for one architecture (``arch35``) or another purpose (``op_api``).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opforge.errors import ProjectError
from opforge.frozen import dataclass
from opforge.plain_files import read_plain
from opforge.soc import SUPPORTED

_CPP = (".cpp", ".cc")
_DEPTH = 7
_SHOWN = 8  # folders named in a message
# Folders without ops of the project: tools' outputs, tests, opforge's own files.
_SKIPPED = frozenset(
    (
        *("op_host", "op_kernel"),
        *("aclnn", "benchmarks", "build", "build_out", "cmake", "dist", "docs", "examples", "framework"),
        *("python", "scripts", "test", "tests"),
    )
)
# Below op_host: handwritten aclnn functions, descriptions of binaries, graphs, plug-ins for other frameworks.
_NOT_HOST = frozenset(("config", "framework", "op_api", "op_graph", "op_plugin", "test", "tests", "ut"))
_ACLNN = "aclnn_"  # prefix of handwritten aclnn functions in op_host itself
_EXECUTOR = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*["<](opdev/(make_)?op_executor\.h|aclnn_kernels/|fallback/fallback)', re.MULTILINE
)
OTHER_ARCH = re.compile(r"arch(?!22$)[0-9]+")  # 22 is that of Atlas A2 and A3; 35 is the 950's
# The SoCs that an adopted project gets by itself. Public operators for the 950 compute in vector registers (arch35),
# which the simulator does not have; ``--soc ascend950`` takes the files of the other chips for it.
ADOPTED = tuple(soc for soc in SUPPORTED if soc != "ascend950")


@dataclass(frozen=True)
class Unit:
    """A folder with op_host and op_kernel; empty for the project's root. Files are relative to it."""

    folder: str
    host: tuple[str, ...]
    kernels: tuple[str, ...]


@dataclass(frozen=True)
class Presets:
    """The package's settings in CMakePresets.json; None or empty if not set."""

    vendor: str | None = None
    units: tuple[str, ...] = ()


def find_units(root: Path, only: Sequence[str] = ()) -> tuple[Unit, ...]:
    """The units of a project, sorted; with ``only``, those in these folders, wherever they are.

    Raises:
        ProjectError: there are none.
    """
    folders = list(_folders(root))
    folders += [name for name in map(_plain, only) if name not in folders and _is_unit(root / name)]
    wrong = [name for name in only if not any(_is_named(folder, name) for folder in folders)]
    if wrong:
        hint = f"folders with op_host and op_kernel are {', '.join(folders[:_SHOWN]) or 'none'}"
        hint += f" and {len(folders) - _SHOWN} more" if len(folders) > _SHOWN else ""
        raise ProjectError(f"{root} has no operator in {', '.join(wrong)}", hint=hint)
    found = [_unit(root, folder) for folder in folders if not only or any(_is_named(folder, name) for name in only)]
    units = tuple(unit for unit in found if unit.host and unit.kernels)
    if units:
        return units
    if found:
        bare = found[0]
        what = f"{root / bare.folder} has no C++ file in {'op_kernel' if bare.host else 'op_host'}"
        raise ProjectError(what, hint="an op is its definition and tiling in op_host, and its kernel in op_kernel")
    raise ProjectError(
        f"{root} contains no operator project: neither it nor its folders contain op_host and op_kernel",
        hint="name the folder that msopgen made, one of an operator repository, or an msopgen JSON",
    )


def _is_unit(here: Path) -> bool:
    return (here / "op_host").is_dir() and (here / "op_kernel").is_dir()


def _plain(name: str) -> str:
    return os.path.normpath(name.strip("/").replace("..", ""))  # nothing above the project


def _is_named(folder: str, name: str) -> bool:
    """Whether a unit is this folder or lies below it."""
    return f"{folder}/".startswith(f"{name.strip('/')}/")


def read_presets(root: Path) -> Presets:
    """Vendor and compute units of CMakePresets.json, if it exists. Raises ProjectError if it is not valid JSON."""
    path = root / "CMakePresets.json"
    if not path.is_file():
        return Presets()
    try:
        document = json.loads(read_plain(path))
    except (OSError, ValueError) as error:
        raise ProjectError(f"{path} cannot be read: {error}", hint="correct it, or remove it") from None
    values: dict[str, str] = {}
    presets = document.get("configurePresets") if isinstance(document, dict) else None
    for preset in presets if isinstance(presets, list) else ():
        variables = preset.get("cacheVariables") if isinstance(preset, dict) else None
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            value = variable.get("value") if isinstance(variable, dict) else variable
            if isinstance(value, str):
                values.setdefault(name, value)
    wanted = tuple(unit for unit in re.split(r"[;, ]+", values.get("ASCEND_COMPUTE_UNIT", "")) if unit)
    return Presets(values.get("vendor_name") or None, wanted)


def kernel_of(root: Path, unit: Unit, file: str, *, alone: bool) -> str | None:
    """The source of the kernel ``file``: the one of that name, the only one, or the one that defines it."""
    named = [kernel for kernel in unit.kernels if Path(kernel).stem == file]
    if named:
        return named[0]
    if alone and len(unit.kernels) == 1:
        return unit.kernels[0]
    entry = re.compile(rf"\b{re.escape(file)}\s*\(")
    defining = [k for k in unit.kernels if entry.search(_text(root / unit.folder / k))]
    return defining[0] if len(defining) == 1 else None


def _folders(root: Path) -> Iterator[str]:
    """The folders with op_host and op_kernel: the project itself, and others outside any op_host or op_kernel."""
    pending = [""]
    while pending:
        folder = pending.pop()
        here = root / folder
        if _is_unit(here):
            yield folder
            if folder:
                continue
        if folder.count("/") + 1 >= _DEPTH:
            continue
        with os.scandir(here) as entries:
            inner = sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".") and entry.name not in _SKIPPED
            )
        pending += [f"{folder}/{name}" if folder else name for name in reversed(inner)]


def _unit(root: Path, folder: str) -> Unit:
    here = root / folder
    return Unit(folder, host_sources(here), tuple(_sources(here, "op_kernel", frozenset())))


def host_sources(here: Path) -> tuple[str, ...]:
    """The C++ files of an op's op_host, relative to its folder."""
    return tuple(name for name in _sources(here, "op_host", _NOT_HOST) if not _calls_executors(here / name))


def _calls_executors(path: Path) -> bool:
    """Whether a file of op_host belongs to a handwritten aclnn function, which opforge would generate."""
    texts = [_text(one) for one in (path, path.with_suffix(".h")) if one.is_file()]
    return any(_EXECUTOR.search(text) for text in texts)


def _text(path: Path) -> str:
    return read_plain(path).decode(errors="replace")


def _sources(here: Path, part: str, skipped: frozenset[str]) -> Iterator[str]:
    """The C++ files below a part, outer ones first. Raises ProjectError for a broken link."""
    pending = [part]
    top = (here / part).resolve()
    seen = {top, *top.parents}  # links may be circular
    while pending:
        folder = pending.pop(0)
        with os.scandir(here / folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir():
                again = entry.is_symlink() and path.resolve() in seen
                if (
                    entry.name not in skipped
                    and not OTHER_ARCH.fullmatch(entry.name)
                    and entry.name[0] != "."
                    and not again
                ):
                    seen.add(path.resolve())
                    pending.append(f"{folder}/{entry.name}")
            elif entry.name.endswith(_CPP) and not entry.name.startswith(_ACLNN):
                if not entry.is_file():
                    raise ProjectError(f"{path} is not a file", hint="restore its target, or remove it")
                yield f"{folder}/{entry.name}"
