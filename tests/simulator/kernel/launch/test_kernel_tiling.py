"""Tiling data and keys as kernels get them, options of the compiler, and the cores of Ascend310P."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

HEAD = """#include "kernel_operator.h"
struct Part { uint32_t rows; uint32_t columns; };
struct Whole { Part part; uint64_t sizes[3]; float scale; };
struct Other { uint64_t only; };
"""

KERNEL = """extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    AscendC::GlobalTensor<int32_t> out;
    out.SetGlobalBuffer((__gm__ int32_t*)z, 16);
    %s
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::ENTIRE_DATA_CACHE>(out);
}
"""

PIECES = """REGISTER_TILING_DEFAULT(Whole);
    REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR & 0xff) == 9", Other);
    REGISTER_TILING_FOR_TILINGKEY("TRUE", Whole);
    if (TILING_KEY_IS(9)) {
        GET_TILING_DATA_WITH_STRUCT(Other, other, tiling);
        out.SetValue(0, int32_t(other.only));
    } else if (TILING_KEY_LIST(3, 4)) {
        GET_TILING_DATA(whole, tiling);
        GET_TILING_DATA_MEMBER(Whole, scale, scale, tiling);
        GET_TILING_DATA_PTR_WITH_STRUCT(Whole, pointer, tiling);
        COPY_TILING_WITH_STRUCT(Part, pointer->part, part);
        COPY_TILING_WITH_ARRAY(uint64_t, 3, pointer->sizes, sizes);
        out.SetValue(0, int32_t(whole.part.rows));
        out.SetValue(1, int32_t(part->columns));
        out.SetValue(2, int32_t((*sizes)[2]));
        out.SetValue(3, int32_t(scale));
        out.SetValue(4, int32_t(TILING_KEY_VAR));
    }"""


def test_every_way_to_the_tiling_data(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, HEAD + KERNEL % PIECES, "one", {"x": "float32"}, {"z": "int32"}, tmp_path)
    whole = struct.pack("<IIQQQfxxxx", 5, 6, 7, 8, 11, 2.0)
    for key, tiling, expected in (
        (3, whole, [5, 6, 11, 2, 3]),
        (4, whole, [5, 6, 11, 2, 4]),
        (9, struct.pack("<Q", 23), [23, 0, 0, 0, 0]),
        (5, whole, [0, 0, 0, 0, 0]),
    ):
        out = aligned(16, np.int32)
        run(kernel, [aligned(4, np.float32)], [out], tiling=tiling, tiling_key=key)
        assert out[:5].tolist() == expected


def test_structs_that_nothing_registers(root: Path, tmp_path: Path) -> None:
    body = "REGISTER_NONE_TILING;\n    GET_TILING_DATA_WITH_STRUCT(Other, other, tiling);\n"
    body += "    GET_TILING_DATA_MEMBER(Other, only, only, tiling);\n    out.SetValue(0, int32_t(other.only + only));"
    kernel = compile_kernel(root, HEAD + KERNEL % body, "one", {"x": "float32"}, {"z": "int32"}, tmp_path)
    out = aligned(16, np.int32)
    run(kernel, [aligned(4, np.float32)], [out], tiling=struct.pack("<Q", 23))
    assert out[0] == 46


def test_an_expression_without_the_key_is_refused(root: Path, tmp_path: Path) -> None:
    body = 'REGISTER_TILING_FOR_TILINGKEY("KEY == 9", Other);'
    with pytest.raises(CompileError, match="REGISTER_TILING_FOR_TILINGKEY"):
        compile_kernel(root, HEAD + KERNEL % body, "one", {"x": "float32"}, {"z": "int32"}, tmp_path)


def test_types_and_formats_are_numbers(root: Path, tmp_path: Path) -> None:
    """And options: -include, -isystem and -D reach the preprocessor; a newer language is taken."""
    body = """static_assert(ORIG_DTYPE_X == DT_BF16 && DT_BF16 == 27 && DT_COMPLEX128 == 17 && FORMAT_X == FORMAT_ND);
    static_assert(FORMAT_FRACTAL_NZ == 29 && FORMAT_NCDHW == 30 && sizeof(DTYPE_X) == 2 && WIDTH == FROM_HEADER);
    static_assert(__NPU_ARCH__ == 2201 && __CCE_AICORE__ == 220 && __cplusplus == 202002L);"""
    (tmp_path / "sizes.h").write_text("#define FROM_HEADER 12\n")
    options = ("-DWIDTH=12", "-include sizes.h", "-isystem", str(tmp_path), "-std=c++20")
    compile_kernel(root, KERNEL_AFTER % body, "one", {"x": "bfloat16"}, {"z": "int32"}, tmp_path, options=options)


KERNEL_AFTER = '#include "kernel_operator.h"\n' + KERNEL


def opc(root: Path, folder: Path, soc: str, body: str, *, structs: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "one.cpp").write_text(KERNEL_AFTER % body)
    kernel = {"op_type": "One", "source": str(folder / "one.cpp"), "inputs": ["x"], "outputs": ["z"]}
    if structs:
        (folder / "structs.h").write_text(structs)
        kernel["tiling_structs"] = str(folder / "structs.h")
    (folder / "One.py").write_text(f"KERNEL = {kernel!r}\n")
    tensors = [{"name": name, "dtype": "float16", "format": "ND"} for name in "xz"]
    (folder / "param.json").write_text(
        json.dumps({"bin_filename": "One", "inputs": tensors[:1], "outputs": tensors[1:]})
    )
    command = [sys.executable, str(root / "bin" / "asc_opc"), str(folder / "One.py"), "--main_func=one"]
    command += [f"--input_param={folder / 'param.json'}", f"--output={folder / 'out'}", f"--soc_version={soc}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_structs_that_op_host_declares_reach_the_kernel(root: Path, tmp_path: Path) -> None:
    structs = "struct Data { int64_t n; };\nusing TilingStruct_of_REGISTER_TILING_DEFAULT = Data;\n"
    body = "GET_TILING_DATA(data, tiling);\n    static_assert(sizeof(data) == 8 && std::is_same<Data, "
    body += "std::remove_const<decltype(data)>::type>::value);"
    done = opc(root, tmp_path, "Ascend910B1", body, structs=structs)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("soc", ["Ascend310P1", "Ascend310P3"])
def test_kernels_of_310p(root: Path, tmp_path: Path, soc: str) -> None:
    arch = "static_assert(__NPU_ARCH__ == 2002 && __CCE_AICORE__ == 200);\n#ifndef __DAV_M200__\n#error\n#endif\n"
    for types, kernel_type, core_type in (
        ("", "KERNEL_TYPE_AICORE", "AiCore"),
        ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);", "KERNEL_TYPE_AICORE", "AiCore"),
        ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_VECTOR_CORE);", "KERNEL_TYPE_MIX_VECTOR_CORE", "MIX"),
    ):
        done = opc(root, tmp_path, soc, arch + types)
        assert (done.returncode, done.stderr) == (0, "")
        described = json.loads((tmp_path / "out" / "One.json").read_text())
        assert (described["kernelType"], described["coreType"]) == (kernel_type, core_type)
    done = opc(root, tmp_path, soc, "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);")
    assert done.returncode == 1
    assert done.stderr == (
        f"asc_opc: one: kernel not compiled\n{tmp_path}/one.cpp:5: error: KERNEL_TYPE_AIV_ONLY is not a kernel type of "
        "Atlas inference products (310P); those are KERNEL_TYPE_AICORE, KERNEL_TYPE_MIX_VECTOR_CORE\n"
    )


def test_headers_are_compiled_once(root: Path, tmp_path: Path) -> None:
    """Kernels with the same options share a precompiled header."""
    assert opc(root, tmp_path, "Ascend910B1", "").returncode == 0
    before = sorted((root / "cache" / "kernel_headers").rglob("*.gch"))
    assert before
    assert opc(root, tmp_path, "Ascend910B1", "AscendC::TPipe pipe;").returncode == 0
    assert sorted((root / "cache" / "kernel_headers").rglob("*.gch")) == before
