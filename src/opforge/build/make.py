"""Runs GNU make, which CANN's CMake functions require; Ninja refuses their output.

CANN's functions put ``$(MAKE)`` into their commands (asc-devkit cmake/asc/fwk_modules/func.cmake:223,261,284,322),
which only the generator "Unix Makefiles" understands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.frozen import dataclass
from opforge.toolkit.build_tools import find_make
from opforge.toolkit.process import Completed, Runner

LEAST = (3, 81)
GROUPS = (4, 0)  # the first version that keeps the output of each command together (--output-sync)
# Variables from an outer make, with its flags: -n would build nothing, and -i would hide failures.
_OF_AN_OUTER_MAKE = (
    "GNUMAKEFLAGS", "MAKEFILES", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MAKE_RESTARTS", "MAKE_TERMERR",
    "MAKE_TERMOUT", "MFLAGS",
)  # fmt: skip
# Variables that change the output of make and CMake, or its location.
_OF_THE_OUTPUT = ("CLICOLOR_FORCE", "DESTDIR", "GCC_COLORS", "VERBOSE")
# Variables that op_build and CANN's scripts use in CANN's own build (asc-devkit tools/build/opbuild,
# cmake/asc/fwk_modules/util). If one is set in a shell, the output would differ from the spec.
_OF_CANN_ITSELF = (
    "ACLNN_OPTIONAL_PARAM_CHECK", "ASCEND_VENDOR_NAME", "BUILD_BUILTIN_OPP", "BUILD_KERNEL_SRC",
    "ENABLE_SOURCE_PACKAGE", "OPS_ACLNN_GEN", "OPS_DIRECT_ACCESS_PREFIX", "OPS_PRODUCT_NAME",
    "OPS_PROJECT_NAME", "OPS_PROTO_SEPARATE",
)  # fmt: skip


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` for CMake, make and their processes: without variables of other builds, and with English messages.

    op_build writes its errors to a log file unless ASCEND_SLOG_PRINT_TO_STDOUT is 1.
    """
    dropped = {*_OF_AN_OUTER_MAKE, *_OF_THE_OUTPUT, *_OF_CANN_ITSELF}
    clean = {name: value for name, value in environ.items() if name not in dropped}
    clean["LC_ALL"] = "C"
    clean.setdefault("ASCEND_SLOG_PRINT_TO_STDOUT", "1")
    clean.setdefault("ASCEND_GLOBAL_LOG_LEVEL", "3")  # errors; the scripts set the same value for asc_opc
    return clean


@dataclass(frozen=True)
class Make:
    """A GNU make. ``groups``: it can keep the output of each command together."""

    program: Path
    groups: bool

    def run(
        self, request: BuildRequest, folder: Path, targets: tuple[str, ...], environ: Mapping[str, str]
    ) -> Completed:
        """Builds all ``targets`` in a configured ``folder``. An error in one kernel does not stop the others."""
        grouped = ["--output-sync=recurse"] if self.groups else []
        options = ["-k", f"-j{request.jobs}", "--no-print-directory", *grouped]
        command: list[str | Path] = [self.program, "-C", folder, *options, *targets]
        return request.runner.run(command, cwd=folder, env=environ, log=request.log("operators"))


def gnu_make(runner: Runner, environ: Mapping[str, str]) -> Make:
    """The make on PATH. Raises ToolkitError if there is none, BuildError if it is not GNU make or too old."""
    program = find_make(environ)
    version = make_version(runner, program, environ)
    if version < LEAST:
        raise BuildError(
            f"{program} is not GNU make {shown(LEAST)} or later",
            hint="put GNU make on PATH (Debian, Ubuntu: apt install make)",
        )
    return Make(program, groups=version >= GROUPS)


def make_version(runner: Runner, make: Path, environ: Mapping[str, str]) -> tuple[int, ...]:
    """GNU make's version; () for another make. Raises ToolkitError if make cannot be started."""
    said = runner.run([make, "--version"], cwd=Path("/"), env=environ, timeout=20).output
    found = re.match(r"GNU Make (\d+(?:\.\d+)*)", said)
    return tuple(map(int, found[1].split("."))) if found else ()


def shown(version: tuple[int, ...]) -> str:
    """A version as text, such as ``4.3``."""
    return ".".join(map(str, version))
