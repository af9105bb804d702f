"""op_host sources compile as CANN compiles them, and the host classes do what their pages say."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

SOURCES = Path(__file__).parent / "sources"
SIMULATOR_HOST = Path(__file__).parents[3] / "src" / "opforge" / "simulator" / "host"


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


def test_headers_that_operator_repositories_include(host_tools: HostTools, tmp_path: Path) -> None:
    program = tmp_path / "headers"
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    command += [f"-I{SIMULATOR_HOST}", str(SOURCES / "repository_headers.cpp"), "-o", str(program)]
    command += [f"-L{host_tools.root / 'lib64'}", "-ltiling_api", "-lregister", "-lexe_graph", "-ldl"]
    command += [f"-Wl,-rpath,{host_tools.root / 'lib64'}"]
    subprocess.run(command, check=True)
    env = {**os.environ, **host_tools.preload}
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, env=env)
    said = [re.sub(r"\S+:\d+ ", "", line) for line in done.stderr.splitlines()]
    axes = [f"[ERROR] reduce: the axis {axis} is none of 3 dimensions" for axis in (3, -4)]
    assert (done.returncode, said) == (0, [*axes, "[ERROR] a message alone: "])


SAID_BY_CONTEXTS = """\
[ERROR] Probe: x: wrong shape [2]: it must be [3]
[ERROR] Probe: x: wrong data type DT_INT8: no vector unit has it
[ERROR] Probe: x, y: wrong number of dimensions 2, 3: they differ
[ERROR] Probe: input 1: wrong number of elements 0: it must be 1
[ERROR] Probe: mask is required, but absent
[ERROR] Probe: context->GetOptionalInputShape(1) is null
[ERROR] Probe: shapes [[2, 3], [4]] do not broadcast
"""


@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_contexts_say_what_the_call_has(standard: str, host_tools: HostTools, tmp_path: Path) -> None:
    program = tmp_path / "contexts"
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    command += [f"-I{SIMULATOR_HOST}", str(SOURCES / "contexts.cpp"), "-o", str(program)]
    command += [f"-L{host_tools.root / 'lib64'}", "-ltiling_api", "-lregister", "-lexe_graph", "-ldl"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    env = {**os.environ, **host_tools.preload}
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    assert re.sub(r"(?m)^(\[ERROR\] )\S+:\d+ ", r"\1", done.stderr) == SAID_BY_CONTEXTS


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


def test_a_chain_is_what_the_ini_says(host_tools: HostTools, tmp_path: Path) -> None:
    """Each flag as it was set, and the SoC whose config has types of its own."""
    library = host_tools.compile(tmp_path / "chain.so", SOURCES / "op_chain.cpp", flags=["-DOP_TILING_LIB"])
    (tmp_path / "out").mkdir()
    done = host_tools.op_build(library, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    for soc, expected in (
        ("ascend910b", ["input0.dtype=float16,float32", "input0.format=ND,NCHW", "attr_flag.defaultValue=true"]),
        (
            "ascend310p",
            [
                "input0.dtype=float16,int8",
                "input0.unknownshape_format=ND,NHWC",
                "attr_scale.type=float",
                "attr_scale.paramType=required",
                "dynamicCompileStatic.flag=true",
                "dynamicFormat.flag=false",
                "dynamicRankSupport.flag=true",
                "dynamicShapeSupport.flag=false",
                "needCheckSupport.flag=true",
                "precision_reduce.flag=false",
                "coreType.value=AiCore",
            ],
        ),
    ):
        lines = (tmp_path / "out" / f"aic-{soc}-ops-info.ini").read_text().splitlines()
        assert not set(expected) - set(lines), "\n".join(lines)
