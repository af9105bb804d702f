"""Template tiling: the keys of GET_TPL_TILING_KEY, the instances that asc_opc compiles, and what both refuse."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, Kernel, LaunchError, aligned, compile_as_built, run

pytestmark = pytest.mark.compiler

# TILE is one of 3, 4, 5, 10, 12.
DECLARED = """#include "ascendc/host_api/tiling/template_argument.h"
#define LOW 3
ASCENDC_TPL_ARGS_DECL(Tpl,
    ASCENDC_TPL_DATATYPE_DECL(D_T_X, C_DT_FLOAT16, C_DT_FLOAT, ASCENDC_TPL_INPUT(0)),
    ASCENDC_TPL_UINT_DECL(TILE, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, LOW, (1 << 2) + 1, 10, 0xCu),
    ASCENDC_TPL_BOOL_DECL(SPLIT, 0, 1),
    ASCENDC_TPL_FORMAT_DECL(FORM, C_FORMAT_ND, C_FORMAT_FRACTAL_NZ),
    ASCENDC_TPL_DTYPE_DECL(MODE, 7), );
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_TILING_STRUCT_SEL(Other),
        ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT16),
        ASCENDC_TPL_BOOL_SEL(SPLIT, 0, 1),
        ASCENDC_TPL_UINT_SEL(TILE, ASCENDC_TPL_UI_LIST, 4, 12),
        ASCENDC_TPL_FORMAT_SEL(FORM, C_FORMAT_ND, C_FORMAT_FRACTAL_NZ),
        ASCENDC_TPL_DETERMINISTIC_SEL(false),
        ASCENDC_TPL_DTYPE_SEL(MODE, 7), ),
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT),
        ASCENDC_TPL_UINT_SEL(TILE, ASCENDC_TPL_UI_RANGE, 1, LOW, 4),
        ASCENDC_TPL_BOOL_SEL(SPLIT, 1),
        ASCENDC_TPL_FORMAT_SEL(FORM, C_FORMAT_ND),
        ASCENDC_TPL_DTYPE_SEL(MODE, 7)), );
"""

KERNEL = """#include "kernel_operator.h"
#include "declared.h"
template <typename T, int TILE, bool SPLIT, int FORM, int MODE>
__global__ __aicore__ void tpl(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    AscendC::GlobalTensor<int32_t> out;
    out.SetGlobalBuffer((__gm__ int32_t*)z, 16);
    const int32_t said[] = {int32_t(sizeof(T)), std::is_same<T, DTYPE_X>::value, TILE, SPLIT, FORM, MODE};
    for (int i = 0; i < 6; ++i) {
        out.SetValue(i, said[i]);
    }
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::ENTIRE_DATA_CACHE>(out);
}
"""

TILES = (3, 4, 5, 10, 12)
ND, NZ = 2, 29
HALVES = tuple(itertools.product((1,), (4, 12), (0, 1), (ND, NZ), (7,)))
FLOATS = tuple(itertools.product((0,), (3, 4), (1,), (ND,), (7,)))


def key_of(data_type: int, tile: int, split: int, form: int, mode: int) -> int:
    return data_type | TILES.index(tile) << 8 | split << 16 | form << 17 | mode << 25


def build(root: Path, folder: Path, dtype: str, declared: str = DECLARED, kernel: str = KERNEL) -> Kernel:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "declared.h").write_text(declared)
    return compile_as_built(root, kernel, "tpl", {"x": dtype}, {"z": "int32"}, folder)


def test_host_computes_the_keys(root: Path, tmp_path: Path) -> None:
    (tmp_path / "declared.h").write_text(DECLARED)
    wrong = ((1, 3, 0, ND, 7), (0, 4, 0, ND, 7), (1, 4, 1, ND, 6), (1, 4, 1, 0, 7))
    calls = "".join(f"    one({', '.join(map(str, values))});\n" for values in (*HALVES, *FLOATS, *wrong))
    (tmp_path / "keys.cpp").write_text(
        '#include "declared.h"\n#include <cinttypes>\n'
        "struct Context { uint64_t key; void SetTilingKey(uint64_t k) { key = k; } };\n"
        "template <typename... T> void one(T... values) {\n"
        "    Context context; Context* pointer = &context;\n    ASCENDC_TPL_SEL_PARAM(pointer, values...);\n"
        "    const uint64_t key = GET_TPL_TILING_KEY(values...);\n"
        '    printf("%" PRIu64 " %d\\n", key, context.key == key);\n}\n'
        f"int main() {{\n{calls}}}\n"
    )
    program = tmp_path / "keys"
    command = [os.environ.get("CXX", "g++"), "-std=c++11", "-Wall", "-Wextra", "-Werror", "-isystem", f"{root}/include"]
    subprocess.run([*command, str(tmp_path / "keys.cpp"), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    expected = [key_of(*values) for values in (*HALVES, *FLOATS)] + [2**64 - 1] * len(wrong)
    assert done.stdout == "".join(f"{key} 1\n" for key in expected)
    refused = "[ERROR] GET_TPL_TILING_KEY: no ASCENDC_TPL_ARGS_SEL has this combination: "
    assert f"{refused}D_T_X=1 TILE=3 SPLIT=0 FORM=2 MODE=7\n" in done.stderr


@pytest.mark.parametrize(("dtype", "size", "selected"), [("float16", 2, HALVES), ("float32", 4, FLOATS)])
def test_each_key_runs_its_instance(
    root: Path, tmp_path: Path, dtype: str, size: int, selected: tuple[tuple[int, ...], ...]
) -> None:
    """Of the column's data type only: ASCENDC_TPL_INPUT(0)."""
    kernel = build(root, tmp_path, dtype)
    described = json.loads(kernel.path.with_suffix(".json").read_text())["kernelList"]
    assert {one["kernelName"] for one in described} == {"tpl", *(f"tpl_{key_of(*values)}" for values in selected)}
    for values in selected:
        out = aligned(16, np.int32)
        run(kernel, [aligned(16, np.int32)], [out], tiling_key=key_of(*values))
        assert out[:6].tolist() == [size, 1, *values[1:]]
    other = (HALVES if selected is FLOATS else FLOATS)[0]
    with pytest.raises(LaunchError) as refused:
        run(kernel, [aligned(16, np.int32)], [aligned(16, np.int32)], tiling_key=key_of(*other))
    assert refused.value.report == (
        f"Tpl: the kernel has no instance for tiling key {key_of(*other)}\n"
        "  rule: a template kernel is compiled for the combinations of ASCENDC_TPL_SEL, each with the key of "
        "GET_TPL_TILING_KEY [Utils-API/Tiling模板编程/模板参数定义]"
    )


SMALL = """#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Tpl, %s);
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(%s));
"""
ONE = "ASCENDC_TPL_UINT_DECL(N, 2, ASCENDC_TPL_UI_LIST, 5, 6)"
CHOSEN = "ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 5, 6)"


def test_kernel_types_of_combinations(root: Path, tmp_path: Path) -> None:
    """ASCENDC_TPL_KERNEL_TYPE_SEL beside the parameters, and a kernel type that is one of them."""
    kernel = (
        '#include "kernel_operator.h"\n#include "declared.h"\ntemplate <int N>\n'
        "__global__ __aicore__ void tpl(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {}\n"
    )

    def types(name: str, declared: str) -> dict[str, str]:
        path = build(root, tmp_path / name, "float32", declared, kernel).path.with_suffix(".json")
        return {
            one["kernelName"]: one["kernelType"]
            for one in json.loads(path.read_text())["kernelList"]
            if "kernelType" in one
        }

    told = SMALL % (ONE, f"{CHOSEN}, ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2)")
    assert types("told", told) == dict.fromkeys(("tpl_0", "tpl_1"), "KERNEL_TYPE_MIX_AIC_1_2")
    shared = SMALL % (
        "ASCENDC_TPL_KERNEL_TYPE_DECL(N, ASCENDC_TPL_AIV_ONLY, ASCENDC_TPL_AIC_ONLY)",
        "ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(N, ASCENDC_TPL_AIV_ONLY, ASCENDC_TPL_AIC_ONLY)",
    )
    assert types("shared", shared) == {"tpl_0": "KERNEL_TYPE_AIV_ONLY", "tpl_1": "KERNEL_TYPE_AIC_ONLY"}


@pytest.mark.parametrize(
    ("declared", "selected", "message"),
    [
        (
            ONE,
            "ASCENDC_TPL_UINT_SEL(M, ASCENDC_TPL_UI_LIST, 5)",
            "ASCENDC_TPL_UINT_SEL(M): ASCENDC_TPL_ARGS_DECL has no such parameter",
        ),
        (ONE, "ASCENDC_TPL_TILING_STRUCT_SEL(T)", "ASCENDC_TPL_ARGS_SEL lacks N of ASCENDC_TPL_ARGS_DECL"),
        (ONE, "ASCENDC_TPL_BOOL_SEL(N, 1)", "N is a UINT where it is declared, a BOOL in ASCENDC_TPL_ARGS_SEL"),
        (
            ONE,
            "ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 7)",
            "ASCENDC_TPL_UINT_SEL(N): 7 is none of the declared values",
        ),
        (ONE, f"{CHOSEN}), ASCENDC_TPL_ARGS_SEL({CHOSEN}", "ASCENDC_TPL_SEL: 5 is selected twice"),
        (
            ONE,
            f"{CHOSEN}, ASCENDC_TPL_DETERMINISTIC_SEL(true)",
            "ASCENDC_TPL_DETERMINISTIC_SEL(true): there is no simulation of such kernels",
        ),
        (ONE, f"{CHOSEN}, ASCENDC_TPL_KERNEL_TYPE_SEL(3)", "ASCENDC_TPL_KERNEL_TYPE_SEL: 3 is not a kernel type"),
        (
            "ASCENDC_TPL_UINT_DECL(N, 1, ASCENDC_TPL_UI_LIST, 5, 6, 7)",
            CHOSEN,
            "ASCENDC_TPL_UINT_DECL(N): 3 values do not fit 1 bits",
        ),
        ("ASCENDC_TPL_UINT_DECL(N, 2, ASCENDC_TPL_UI_LIST, 5, 5)", CHOSEN, "N has a value twice: [5, 5]"),
        ("ASCENDC_TPL_UINT_DECL(N, 2, ASCENDC_TPL_UI_LIST)", CHOSEN, "N has no values"),
        (
            "ASCENDC_TPL_UINT_DECL(N, 2, ASCENDC_TPL_UI_RANGE, 2, 5, 6)",
            CHOSEN,
            "N: ASCENDC_TPL_UI_RANGE, _LIST or _MIX and as many numbers as it asks for are missing",
        ),
        (
            "ASCENDC_TPL_UINT_DECL(N, 2, ASCENDC_TPL_UI_LIST, five)",
            CHOSEN,
            "five: a value of a template parameter is a number, a macro of one, C_DT_* or C_FORMAT_*",
        ),
        (
            "ASCENDC_TPL_DATATYPE_DECL(N, C_DT_FLOAT, ASCENDC_TPL_INPUT(1))",
            "ASCENDC_TPL_DATATYPE_SEL(N, C_DT_FLOAT)",
            "ASCENDC_TPL_INPUT(1) of N: the op has 1 of them",
        ),
        (
            "ASCENDC_TPL_DATATYPE_DECL(N, C_DT_STRING)",
            "ASCENDC_TPL_DATATYPE_SEL(N, C_DT_STRING)",
            "ASCENDC_TPL_DATATYPE_DECL(N): kernels have no type for data type 13",
        ),
        (
            "ASCENDC_TPL_DATATYPE_DECL(N, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0))",
            "ASCENDC_TPL_DATATYPE_SEL(N, C_DT_FLOAT16)",
            "ASCENDC_TPL_SEL selects nothing for the data types of this compilation",
        ),
        (f"{ONE}, 5", CHOSEN, "5: not an ASCENDC_TPL_* macro"),
        (
            ", ".join(f"ASCENDC_TPL_BOOL_DECL(B{i}, 0, 1)" for i in range(65)),
            CHOSEN,
            "ASCENDC_TPL_ARGS_DECL: the parameters take 65 bits, a tiling key has 64",
        ),
        (
            f"{ONE}); ASCENDC_TPL_ARGS_DECL(Again, ASCENDC_TPL_BOOL_DECL(N, 0, 1)",
            CHOSEN,
            "a kernel has one ASCENDC_TPL_ARGS_DECL and one ASCENDC_TPL_SEL; found: 2 and 1",
        ),
    ],
)
def test_refused(root: Path, tmp_path: Path, declared: str, selected: str, message: str) -> None:
    with pytest.raises(CompileError) as refused:
        build(root, tmp_path, "float32", SMALL % (declared, selected))
    assert str(refused.value) == f"asc_opc: tpl: kernel not compiled\n{message}\n"


def test_a_header_of_keys_without_a_guard_may_be_included_twice(root: Path, tmp_path: Path) -> None:
    twice = KERNEL.replace('#include "declared.h"\n', '#include "declared.h"\n' * 2)
    kernel = build(root, tmp_path, "float16", DECLARED, twice)
    described = json.loads(kernel.path.with_suffix(".json").read_text())["kernelList"]
    assert len(described) == 1 + len(HALVES)


def test_the_host_refuses_what_no_key_can_say(root: Path, tmp_path: Path) -> None:
    parameters = ", ".join(f"ASCENDC_TPL_DTYPE_DECL(D{i}, 1)" for i in range(9))
    chosen = ", ".join(f"ASCENDC_TPL_DTYPE_SEL(D{i}, 1)" for i in range(9))
    (tmp_path / "wide.cpp").write_text(
        SMALL % (parameters, chosen) + "int main() {\n"
        "    const bool invalid = GET_TPL_TILING_KEY(1, 1, 1, 1, 1, 1, 1, 1, 1, ) == INVALID_TILING_KEY;\n"
        "    return invalid && GET_TPL_TILING_KEY(1) == INVALID_TILING_KEY ? 0 : 1;\n}\n"
    )
    command = [os.environ.get("CXX", "g++"), "-std=c++11", "-isystem", f"{root}/include", str(tmp_path / "wide.cpp")]
    subprocess.run([*command, "-o", str(tmp_path / "wide")], check=True)
    done = subprocess.run([tmp_path / "wide"], capture_output=True, text=True, check=True)
    assert done.stderr == (
        "[ERROR] GET_TPL_TILING_KEY: the parameters take 72 bits, a tiling key has 64\n"
        "[ERROR] GET_TPL_TILING_KEY has 1 values, ASCENDC_TPL_ARGS_DECL 9 parameters\n"
    )
