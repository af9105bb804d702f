"""Looks at a toolkit's files: its CMake interface, its programs, the SoCs that it knows, and parts that are missing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from opforge.frozen import dataclass
from opforge.soc import SOCS
from opforge.toolkit.cann import find_asc_dir, find_customize, is_simulator, read_version
from opforge.toolkit.protocol import CUSTOMIZE, FIND_PACKAGE, generation
from opforge.toolkit.set_env import find_set_env

_ARCH = f"{os.uname().machine}-linux"
PROGRAMS = {
    "op_build": ("tools/opbuild/op_build", "toolkit/tools/opbuild/op_build"),
    "asc_opc": ("bin/asc_opc", f"{_ARCH}/bin/asc_opc"),
    "opc": ("bin/opc", f"{_ARCH}/bin/opc", "compiler/bin/opc"),
    "bisheng": ("bin/bisheng", "compiler/ccec_compiler/bin/bisheng", "tools/ccec_compiler/bin/bisheng"),
    "msopgen": ("bin/msopgen", "python/site-packages/bin/msopgen"),
}
_LIBRARIES = ("libexe_graph.so", "libregister.so", "libtiling_api.so", "libnnopbase.so")
_HEADER = "include/register/op_def_registry.h"
_PLATFORMS = (f"{_ARCH}/data/platform_config", "compiler/data/platform_config", "data/platform_config")


@dataclass(frozen=True)
class ToolkitParts:
    """A toolkit's files. ``generation`` is 9 for find_package(ASC), 8 for the customize template, else None.

    ``programs`` maps each name to its path or None. ``missing`` lists the parts that a build needs and does not find.
    """

    root: Path
    version: str
    simulated: bool
    generation: int | None
    cmake: Path | None
    socs: tuple[str, ...]
    programs: Mapping[str, Path | None]
    set_env: Path | None
    missing: tuple[str, ...]


def generation_of(root: Path) -> int | None:
    """The generation of the toolkit's CMake functions; None if it has none."""
    return generation(find_asc_dir(root), find_customize(root))


def interface_name(number: int | None) -> str:
    """A generation in words."""
    return {FIND_PACKAGE: "find_package(ASC)", CUSTOMIZE: "customize template"}.get(number or 0, "no CMake interface")


def parts_of(root: Path) -> ToolkitParts:
    """Looks at the toolkit at ``root``. Nothing is started."""
    simulated = is_simulator(root)
    programs = {name: _first(root, places) for name, places in PROGRAMS.items()}
    return ToolkitParts(
        root=root,
        version=read_version(root),
        simulated=simulated,
        generation=generation_of(root),
        cmake=find_asc_dir(root) or find_customize(root),
        socs=tuple(SOCS) if simulated else _socs(root),
        programs=programs,
        set_env=find_set_env(root),
        missing=tuple(_missing(root, programs, simulated=simulated)),
    )


def _missing(root: Path, programs: Mapping[str, Path | None], *, simulated: bool) -> Iterator[str]:
    if generation_of(root) is None:
        yield "a CMake interface: lib64/cmake with ASC, or tools/op_project_templates/ascendc/customize"
    if programs["op_build"] is None:
        yield "op_build, which reads op_host"
    if programs["asc_opc"] is None and programs["opc"] is None:
        yield "asc_opc or opc, which compiles kernels"
    if programs["bisheng"] is None:
        yield "bisheng, which the kernel compiler starts"
    if not (root / _HEADER).is_file() and not (root / _ARCH / _HEADER).is_file():
        yield f"{_HEADER}: the headers of op_host"
    archives = ("librt2_registry.a",) if not simulated else ()
    for name in (*_LIBRARIES, *archives):
        if not any((root / folder / name).exists() for folder in ("lib64", f"{_ARCH}/lib64")):
            yield f"lib64/{name}"


def _socs(root: Path) -> tuple[str, ...]:
    """The compute units of opforge's table that the toolkit has a description of."""
    folder = next((root / place for place in _PLATFORMS if (root / place).is_dir()), None)
    if folder is None:
        return ()
    names = {path.stem for path in folder.glob("*.ini")}
    return tuple(name for name, soc in SOCS.items() if any(chip.name in names for chip in soc.versions))


def _first(root: Path, places: tuple[str, ...]) -> Path | None:
    return next((root / place for place in places if (root / place).is_file()), None)
