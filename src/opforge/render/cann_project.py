"""Renders the files around op_host and op_kernel of a project that is built without opforge: presets, script, README.

The CMake files of CANN 8.x are forms, too; those of find_package(ASC) are msOpGen's, which the build has.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from opforge.fileset import File
from opforge.frozen import dataclass
from opforge.render.forms import NoSlots, render_form
from opforge.spec.model import Spec

_PROJECT = "code/cann_project"
_CMAKE_8 = "code/cann8_cmake"
_CMAKE_FILES = ("CMakeLists.txt", "op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt")
# Folders of the package ASC, by the install trees of CANN 8.3, 8.5 and 9.x.
_PREFIXES = (
    *("lib64/cmake", "x86_64-linux/lib64/cmake", "aarch64-linux/lib64/cmake"),
    *("compiler/tikcpp/ascendc_kernel_cmake", "tools/tikcpp/ascendc_kernel_cmake"),
)


@dataclass(frozen=True)
class Presets:
    """Context of ``CMakePresets.json``."""

    socs: tuple[str, ...]
    vendor: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True)
class BuildScript:
    """Context of ``build.sh``: the folders to include from, the last one first."""

    include: tuple[str, ...]


@dataclass(frozen=True)
class CannReadme:
    """Context of ``README.md``. ``copied``: parts of the toolkit's template are copied into the project."""

    name: str
    ops: str
    interface: str
    vendor: str
    copied: bool
    include: tuple[str, ...]


def cann_files(spec: Spec, ops: Sequence[str], include: Sequence[str], interface: str, *, copied: bool) -> list[File]:
    """The files that both CMake interfaces share. ``ops`` are all op types, ``include`` folders of the project."""
    project = spec.project
    named = ", ".join(f"`{op}`" for op in ops)
    listed = tuple(include)
    return [
        File(
            PurePosixPath("CMakePresets.json"),
            render_form(f"{_PROJECT}/CMakePresets.json", Presets(tuple(project.soc), project.vendor, _PREFIXES)),
            _PROJECT,
        ),
        File(
            PurePosixPath("build.sh"),
            render_form(f"{_PROJECT}/build.sh", BuildScript(listed[::-1])),
            _PROJECT,
            executable=True,
        ),
        File(
            PurePosixPath("README.md"),
            render_form(
                f"{_PROJECT}/README.md", CannReadme(project.name, named, interface, project.vendor, copied, listed)
            ),
            _PROJECT,
        ),
    ]


def cmake_files_8() -> dict[str, str]:
    """The CMake files of CANN 8.x by name. They call the functions of the toolkit's template."""
    return {name: render_form(f"{_CMAKE_8}/{name}", NoSlots()) for name in _CMAKE_FILES}
