"""What asc_opc refuses, each with the whole of what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness import CompileError, compile_kernel

pytestmark = pytest.mark.compiler

KERNEL = """#include "kernel_operator.h"
#include <cmath>
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    %s
}
"""
RTTI = "the device compiler has no run-time type information"
TYPES = (
    "KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2,"
    " KERNEL_TYPE_MIX_AIV_1_0, KERNEL_TYPE_MIX_AIC_1_0"
)
DOUBLE = "double precision does not exist on the AI Core: write float, and 1.0f for 1.0"
TWO_DEFAULTS = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);"
TWO_OF_A_KEY = "KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);"

# ruff: noqa: E501 - the messages stand as they are printed
# fmt: off
REFUSED = [
    ("double a = 1; (void)a;", f"one.cpp:4: error: double: {DOUBLE}"),
    ("volatile int n = 3; volatile float b = n * 0.5;", f"one.cpp:4: error: arithmetic in double precision: {DOUBLE}"),
    ("throw 1;", "one.cpp:4: error: throw: the device compiler has no exceptions"),
    ("try { } catch (...) { }", "one.cpp:4: error: try: the device compiler has no exceptions"),
    ("struct A { virtual void f() {} };", "one.cpp:4: error: virtual: the device compiler has no virtual functions"),
    ("(void)dynamic_cast<int*>((int*)nullptr);", f"one.cpp:4: error: dynamic_cast: {RTTI}"),
    ("(void)typeid(int);", f"one.cpp:4: error: typeid: {RTTI}"),
    ("volatile float a = 2.0f; a = std::exp(a);", "one.cpp:4: error: std::exp: libm does not exist on the AI Core: use the vector API"),
    (TWO_DEFAULTS, "one.cpp:4: error: KERNEL_TASK_TYPE_DEFAULT: KERNEL_TYPE_AIC_ONLY, but the default is KERNEL_TYPE_AIV_ONLY already"),
    (TWO_OF_A_KEY, "one.cpp:4: error: KERNEL_TASK_TYPE: tiling key 1 has a type already, KERNEL_TYPE_AIV_ONLY"),
    ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);", f"one.cpp:4: error: KERNEL_TYPE_AICORE is no kernel type of Atlas A2 and A3; those are {TYPES}"),
]
# fmt: on


def refusal(root: Path, folder: Path, source: str, dtype: str = "float32", options: tuple[str, ...] = ()) -> str:
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, source, "one", {"x": dtype}, {"z": "float32"}, folder, options=options)
    assert not list((folder / "out").iterdir())
    return str(refused.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(("body", "message"), REFUSED)
def test_device_code(root: Path, tmp_path: Path, body: str, message: str) -> None:
    assert refusal(root, tmp_path, KERNEL % body) == f"asc_opc: one: kernel not compiled\n{message}\n"


def test_hints_behind_what_the_compiler_says(root: Path, tmp_path: Path) -> None:
    source = '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void one(GM_ADDR x) {}\n'
    said = refusal(root, tmp_path / "few", source)
    assert said.endswith("\nasc_opc: the arguments of one are GM_ADDR x, z, workspace, tiling, in this order\n")
    said = refusal(root, tmp_path / "name", source.replace("one(", "two("))
    assert said.endswith("\nasc_opc: one.cpp defines no function one\n")
    said = refusal(root, tmp_path / "tiling", KERNEL % "GET_TILING_DATA(data, tiling);")
    assert said.endswith("\nasc_opc: GET_TILING_DATA needs REGISTER_TILING_DEFAULT(<plain struct>) before it\n")


def test_options_and_dtypes(root: Path, tmp_path: Path) -> None:
    assert refusal(root, tmp_path / "sync", KERNEL % "", options=("--cce-auto-sync=off",)) == (
        "asc_opc: one: kernel not compiled\n"
        "option --cce-auto-sync=off: only kernels compiled with automatic synchronisation are simulated\n"
    )
    assert refusal(root, tmp_path / "dtype", KERNEL % "", "complex64") == (
        "asc_opc: one: kernel not compiled\nx: dtype complex64 is not known; known are float, float32, float16, int8, int32,"
        " uint8, int16, uint16, uint32, int64, uint64, bool, bfloat16, bf16\n"
    )


def test_files_and_command_line(root: Path, tmp_path: Path) -> None:
    """What stands in the files is read first: a wrong one is named with its line."""
    compile_kernel(root, KERNEL % "", "one", {"x": "float16"}, {"z": "float32"}, tmp_path)
    implementation, params = tmp_path / "One.py", tmp_path / "param.json"
    good = implementation.read_text()

    def said(soc: str = "Ascend910B1", *arguments: str) -> str:
        command = [sys.executable, str(root / "bin" / "asc_opc"), str(implementation), "--main_func=one"]
        command += [f"--input_param={params}", f"--output={tmp_path / 'out'}", f"--soc_version={soc}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if "note" in done.stderr else 1)
        return done.stderr.removeprefix("asc_opc: one: kernel not compiled\n")

    known = "only the kernel API of Ascend910B and Ascend910_93 is simulated"
    assert said("Ascend310P3") == f"--soc_version=Ascend310P3: {known}\n"
    assert said("Ascend910B1", "--op_mode=static") == "--op_mode=static: only dynamic shapes are simulated\n"
    implementation.write_text("# nothing\n")
    assert said() == f"{implementation}: has no literal KERNEL = {{...}} at module level\n"
    implementation.write_text("\nKERNEL = open('x')\n")
    assert said().startswith(f"{implementation}:2: KERNEL is not a literal: ")
    implementation.write_text("KERNEL = {'op_type': 'One'}\n")
    assert said() == f"{implementation}:1: KERNEL lacks 'source'\n"
    implementation.write_text("KERNEL = {\n")
    assert said().startswith(f"{implementation}: cannot be read as Python: ")
    implementation.write_text(good.replace("one.cpp", "gone.cpp"))
    assert said() == f"{tmp_path / 'gone.cpp'}: no such kernel source\n"
    implementation.write_text(good.replace("'options': []", "'options': ['--cce-x=1']"))
    assert said() == "asc_opc: note: option --cce-x=1 means nothing in the simulator\n"
    params.write_text("{}")
    assert said() == f"{params}: no parameter file: KeyError('bin_filename')\n"
