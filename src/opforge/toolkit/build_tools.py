"""Finds the compiler, CMake, GNU make and Ninja for a build, without starting them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from opforge.errors import ToolkitError
from opforge.toolkit.process import find_program


def find_cmake(environ: Mapping[str, str]) -> Path:
    """CMake of opforge's own environment (the cmake wheel), else of PATH.

    Raises:
        ToolkitError: there is none.
    """
    from importlib.util import find_spec  # noqa: PLC0415  (a build with nothing to do needs no CMake)

    spec = find_spec("cmake")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        program = Path(folder) / "data" / "bin" / "cmake"  # the script in bin/ would start a Python first
        if program.is_file():
            return program
    return _beside_python_or_on_path("cmake", environ)


def find_ninja(environ: Mapping[str, str]) -> Path:
    """Ninja of opforge's own environment (the ninja wheel), else of PATH.

    Raises:
        ToolkitError: there is none.
    """
    return _beside_python_or_on_path("ninja", environ)


def find_make(environ: Mapping[str, str]) -> Path:
    """GNU make on PATH, where CANN's scripts expect it.

    Raises:
        ToolkitError: PATH has no make.
    """
    found = find_program("make", environ.get("PATH")) or find_program("gmake", environ.get("PATH"))
    if found is None:
        raise ToolkitError("there is no make", hint="install GNU make (Debian, Ubuntu: apt install make)")
    return found


def find_compiler(environ: Mapping[str, str]) -> Path:
    """The C++ compiler: $CXX (its first word), else g++, else c++ or clang++ on PATH.

    Raises:
        ToolkitError: there is none.
    """
    asked = environ.get("CXX", "").split()
    if asked:
        found = find_program(asked[0], environ.get("PATH"))
        if found is None:
            raise ToolkitError(f"the C++ compiler {asked[0]} (from CXX) does not exist", hint="correct or unset CXX")
        return found
    for name in ("g++", "c++", "clang++"):
        found = find_program(name, environ.get("PATH"))
        if found is not None:
            return found
    raise ToolkitError("there is no C++ compiler", hint="install g++ (Debian, Ubuntu: apt install g++), or set CXX")


def _beside_python_or_on_path(name: str, environ: Mapping[str, str]) -> Path:
    beside = Path(sys.executable).parent / name
    found = beside if beside.is_file() else find_program(name, environ.get("PATH"))
    if found is None:
        raise ToolkitError(f"there is no {name}", hint=f"pip install {name}")
    return found
