"""op_host sources compile as CANN compiles them, and the host classes do what their pages say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

SOURCES = Path(__file__).parent / "sources"


@pytest.mark.parametrize("standard", ["c++11", "c++17"])
@pytest.mark.parametrize("abi", [0, 1])
def test_one_library_serves_both_string_abis(
    standard: str, abi: int, host_tools: HostTools, autogen: Path, tmp_path: Path
) -> None:
    flags = [f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-DOP_TILING_LIB", "-DOP_PROTO_LIB"]
    library = host_tools.compile(tmp_path / "ops.so", SOURCES / "op_host.cpp", flags=flags, standard=standard)
    out = tmp_path / "out"
    out.mkdir()
    done = host_tools.op_build(library, out)
    assert done.returncode == 0, done.stderr
    for path in autogen.iterdir():
        assert (out / path.name).read_text() == path.read_text(), path.name


def test_no_exported_name_carries_a_string_abi(host_tools: HostTools) -> None:
    for name in ("register", "exe_graph", "tiling_api", "nnopbase"):
        library = host_tools.root / "lib64" / f"lib{name}.so"
        listing = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True)
        functions = [line.split(" ", 2)[2] for line in listing.stdout.splitlines() if " T " in line]
        assert functions, name
        assert not [line for line in functions if "std::" in line], name


def test_classes_without_a_device(host_tools: HostTools, tmp_path: Path) -> None:
    program = tmp_path / "classes"
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    command += [str(SOURCES / "classes.cpp"), "-o", str(program), f"-L{host_tools.root / 'lib64'}"]
    command += ["-lregister", "-ltiling_api", "-lexe_graph", f"-Wl,-rpath,{host_tools.root / 'lib64'}"]
    subprocess.run(command, check=True)
    env = {**os.environ, **host_tools.preload}
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr


REFUSED = {
    "this->AICPU();": "the simulator runs AI Core operators only",
    "this->HostCPU();": "the simulator runs AI Core operators only",
    "this->MC2();": "the simulator has no communication operators",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_not_simulated_is_refused_by_name(call: str, host_tools: HostTools, tmp_path: Path) -> None:
    source = tmp_path / "refused.cpp"
    source.write_text(
        '#include "register/op_def_registry.h"\nnamespace ops {\nstruct X : OpDef { explicit X(const char* n) : '
        f"OpDef(n) {{ {call} }} }};\nOP_ADD(X);\n}}\n"
    )
    command = ["g++", "-std=c++11", "-fsyntax-only", f"-I{host_tools.root / 'include'}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert REFUSED[call] in done.stderr
