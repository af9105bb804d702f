"""Every public header of the simulated toolkit compiles alone, twice in one unit, and without a warning."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DASCENDC_CPU_DEBUG=1"]
FAMILIES = {  # folder below include/ -> the standard that its users compile with
    "acl": "c++17",
    "aclnn": "c++17",
    "ascendc": "c++17",
    "base": "c++11",
    "exe_graph": "c++11",
    "graph": "c++11",
    "kernel_tiling": "c++11",
    "lib": "c++11",
    "log": "c++11",
    "op_common": "c++17",  # as the operator repositories, who are its users
    "op_host": "c++17",
    "opdev": "c++17",
    "op_kernel": "c++17",
    "platform": "c++11",
    "register": "c++11",
    "runtime": "c++11",
    "tiling": "c++11",
    "toolchain": "c++11",
    "util": "c++11",
}
SLOW = {"ascendc", "exe_graph", "op_common", "op_host", "runtime"}
GUARD = re.compile(r"#ifndef \w+_H_?$")
PRIVATE = "sim"  # a folder of headers that #error when they are included directly


def public_headers(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.h") if PRIVATE not in path.relative_to(folder).parts)


@pytest.mark.compiler
@pytest.mark.parametrize(
    "family", [pytest.param(family, marks=pytest.mark.slow if family in SLOW else ()) for family in FAMILIES]
)
def test_headers_are_self_contained(family: str, toolkit_root: Path, tmp_path: Path) -> None:
    include = toolkit_root / "include"
    headers = public_headers(include / family)
    assert headers, family
    units = []
    for header in headers:
        name = header.relative_to(include / family if family == "ascendc" else include)
        unit = tmp_path / ("_".join(name.parts) + ".cpp")
        unit.write_text(f'#include "{name}"\n#include "{name}"\n')
        units.append(str(unit))
    search = ["-I", str(include), "-I", str(include / "ascendc")]
    done = subprocess.run(
        ["g++", f"-std={FAMILIES[family]}", *FLAGS, *search, *units], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_folder_of_headers_is_checked(toolkit_root: Path) -> None:
    folders = {path.name for path in (toolkit_root / "include").iterdir() if path.is_dir()}
    assert folders == set(FAMILIES)


def test_every_header_has_its_own_guard(toolkit_root: Path) -> None:
    """Of two headers with one guard the second that is included vanishes."""
    headers = sorted((toolkit_root / "include").rglob("*.h"))
    guards = Counter(
        line for header in headers for line in header.read_text("utf-8").splitlines()[:8] if GUARD.match(line)
    )
    assert len(guards) > len(headers) / 2
    assert [guard for guard, count in guards.items() if count > 1] == []
