"""What asc_opc refuses, each with the whole of what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import CompileError, compile_as_built

pytestmark = pytest.mark.compiler

KERNEL = """#include "kernel_operator.h"
#include <cmath>
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    %s
}
"""
HEAP = "the AI Core has no heap (new, delete, malloc, free): use TPipe's buffers or an array on the stack"
LIBRARY = "device code has no C++ standard library; AscendC::Std has what there is of it"
SYSTEM = "device code has no files, threads and processes"
CONSTRUCTED = "a variable that is constructed at run time: device code has constants and variables of functions"
RECURSION = "device code has no recursion at run time: write a loop, or a template that recurses at compile time"
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
    ("const double k = 0.5; volatile int n = 3; volatile float b = n * k;",
     f"one.cpp:4: error: arithmetic in double precision: {DOUBLE}"),
    ("volatile int n = 3; volatile float b = n * 0.5;", f"one.cpp:4: error: arithmetic in double precision: {DOUBLE}"),
    ("constexpr float k = 1.0 / static_cast<float>(3.0); volatile int n = 3; volatile float b = n * 0.5 * k;",
     f"one.cpp:4: error: arithmetic in double precision: {DOUBLE}"),
    ("throw 1;", "one.cpp:4: error: throw: the device compiler has no exceptions"),
    ("try { } catch (...) { }", "one.cpp:4: error: try: the device compiler has no exceptions"),
    ("struct A { virtual void f() {} };", "one.cpp:4: error: virtual: the device compiler has no virtual functions"),
    ("(void)dynamic_cast<int*>((int*)nullptr);", f"one.cpp:4: error: dynamic_cast: {RTTI}"),
    ("(void)typeid(int);", f"one.cpp:4: error: typeid: {RTTI}"),
    ("volatile float a = 2.0f; a = std::exp(a);", "one.cpp:4: error: std::exp: libm does not exist on the AI Core: use the vector API"),
    ("(void)std::make_tuple(1, 2);", f"one.cpp:4: error: std::make_tuple: {LIBRARY}"),
    (TWO_DEFAULTS, "one.cpp:4: error: KERNEL_TASK_TYPE_DEFAULT: KERNEL_TYPE_AIC_ONLY, but the default is KERNEL_TYPE_AIV_ONLY already"),
    (TWO_OF_A_KEY, "one.cpp:4: error: KERNEL_TASK_TYPE: tiling key 1 has a type already, KERNEL_TYPE_AIV_ONLY"),
    ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);", f"one.cpp:4: error: KERNEL_TYPE_AICORE is not a kernel type of Atlas A2 and A3; those are {TYPES}"),
]
# fmt: on


def refusal(root: Path, folder: Path, source: str, dtype: str = "float32", options: tuple[str, ...] = ()) -> str:
    with pytest.raises(CompileError) as refused:
        compile_as_built(root, source, "one", {"x": dtype}, {"z": "float32"}, folder, options=options)
    assert not list((folder / "out").iterdir())
    return str(refused.value).replace(f"{folder}/", "")


# The page 技术附录/CPP标准支持/语法限制/特性 line by line, and what follows of it; each line names what is refused in it.
HOST = """#include "kernel_operator.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

struct Base { int n; };
struct Left : virtual Base {};  // virtual
struct Made { int n; __aicore__ Made(int m) : n(m) { asm volatile(""); } };
Made always(3);  // constructed

extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    int n = static_cast<int>(AscendC::GetBlockIdx());
    int* a = new int[n];  // new
    delete[] a;  // delete
    int* b = static_cast<int*>(malloc(n));  // malloc
    free(b);  // free
    std::vector<int> v;  // vector
    v.push_back(n);  // vector
    std::string s("one");  // basic_string
    std::map<int, int> m;  // map
    std::sort(&v[0], &v[0] + n);  // vector sort
    n = std::accumulate(&a[0], &a[2], 0);  // accumulate
    std::cout << std::endl;  // basic_ostream
    FILE* file = fopen("x", "r");  // fopen
    fclose(file);  // fclose
    std::mutex mutex;
    mutex.lock();  // mutex
    std::thread other([] {});  // thread
    n = rand();  // rand
    static Made once(n);  // constructed
}
"""
RECURSIVE = """#include "kernel_operator.h"
#include <algorithm>
#include <limits>
__aicore__ int Factorial(int n) {
    return n < 2 ? 1 : n * Factorial(n - 1) + Factorial(n - 2);  // Factorial
}
__attribute__((noinline)) __aicore__ int Odd(int n);
__attribute__((noinline)) __aicore__ int Even(int n) {
    return n == 0 ? 1 : 2 * Odd(n - 1);  // Even
}
__aicore__ int Odd(int n) {
    return n == 0 ? 0 : 3 * Even(n - 1);  // Odd
}
template <int N> __aicore__ int Power(int n) {
    if constexpr (N == 0) {
        return 1;
    } else {
        return n * Power<N - 1>(n);
    }
}

extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    static const int kTable[] = {1, 2, 3};
    int n = static_cast<int>(AscendC::GetBlockIdx());
    n += std::max<int>(n, 3) + std::numeric_limits<int>::max() + Power<5>(n) + kTable[n % 3];
    for (const int add : {n, 2 * n}) {
        n += add;
    }
    AscendC::GlobalTensor<int> to;
    to.SetGlobalBuffer((__gm__ int*)z);
    to.SetValue(0, n + Factorial(n) + Even(n));
}
"""


def test_what_the_host_has_and_device_code_has_not(root: Path, tmp_path: Path) -> None:
    source = HOST.replace("virtual Base", "Base")
    said = refusal(root, tmp_path, source).splitlines()[1:]
    reasons = {
        **dict.fromkeys(("new", "delete", "malloc", "free"), HEAP),
        **dict.fromkeys(("fopen", "fclose", "rand"), SYSTEM),
    }
    want = set()
    for number, line in enumerate(source.splitlines(), 1):
        for what in line.partition("//")[2].split():
            if what == "constructed":
                text = CONSTRUCTED
            elif what in reasons:
                text = f"{what}: {reasons[what]}"
            elif what != "virtual":
                text = f"std::{what}: {LIBRARY}"
            else:
                continue
            want.add(f"one.cpp:{number}: error: {text}")
    assert set(said) == want
    assert len(said) == len(want)
    assert refusal(root, tmp_path, HOST).splitlines()[1:] == [
        f"one.cpp:{HOST[: HOST.index('virtual')].count(chr(10)) + 1}: error: virtual: the device compiler has no virtual functions"
    ]


def test_recursion(root: Path, tmp_path: Path) -> None:
    """Of templates, which the compiler unrolls, it is none."""
    places = {row: i for i, row in enumerate(RECURSIVE.splitlines(), 1)}
    want = {
        f"one.cpp:{i}: error: {row.partition('// ')[2]} calls itself: {RECURSION}"
        for row, i in places.items()
        if "// " in row
    }
    assert len(want) == 3
    assert set(refusal(root, tmp_path, RECURSIVE).splitlines()[1:]) == want
    right = re.sub(r"(Factorial|Odd|Even)\(n - .\)", "n", RECURSIVE)
    compile_as_built(root, right, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)


@pytest.mark.parametrize(("body", "message"), REFUSED)
def test_device_code(root: Path, tmp_path: Path, body: str, message: str) -> None:
    assert refusal(root, tmp_path, KERNEL % body) == f"asc_opc: one: kernel not compiled\n{message}\n"


CASTS = """#include "kernel_operator.h"
struct Tiling {
    uint64_t rows;
    uint8_t kind;
};
using Count = uint32_t;
template <typename T>
__aicore__ inline T Reciprocal(T one, unsigned n) {
    return one / static_cast<T>(n);
}
__aicore__ inline float Right(const Tiling& t, uint32_t n, bool flag) {
    constexpr uint32_t kLanes = 64;
    const uint32_t blocks = 8;
    return static_cast<float>(static_cast<int32_t>(n)) * kLanes + blocks + flag + static_cast<int64_t>(t.rows);
}
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    Tiling t;
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)z);
    const float f = to.GetValue(0);
    uint32_t n = AscendC::GetBlockNum();
    Count m = n + 1;
    t.rows = n;
    t.kind = static_cast<uint8_t>(n);
    float sum = Right(t, n, n != 0) + static_cast<float>(AscendC::GetBlockIdx());
    %s
    to.SetValue(1, sum);
}
"""
CAST = (
    "the AI Core casts no floating-point value to an unsigned integer and none of those to floating point: go by way of"
    " int32_t, as static_cast<float>(static_cast<int32_t>(n))"
)


@pytest.mark.parametrize(
    ("statement", "cast"),
    [
        ("sum += float(n);", "uint32_t to float"),
        ("sum += static_cast<float>(n * 2);", "unsigned int to float"),
        ("sum /= (float)m;", "Count to float"),
        ("sum += 1.0f / (float)(t.rows);", "long unsigned int to float"),
        ("sum += static_cast<float>(t.kind);", "unsigned char to float"),
        ("t.rows = (uint64_t)f; sum += static_cast<int32_t>(t.rows);", "float to long unsigned int"),
        ("n = static_cast<uint32_t>(f); sum += static_cast<int32_t>(n);", "float to uint32_t"),
        ("const uint32_t k = (uint32_t)f; sum += static_cast<int32_t>(k);", "float to uint32_t"),
        ("half h = static_cast<half>(n); sum += static_cast<float>(h);", "unsigned int to half"),
    ],
)
def test_casts_of_unsigned_integers(root: Path, tmp_path: Path, statement: str, cast: str) -> None:
    source = CASTS % statement
    line = source.splitlines().index(f"    {statement}") + 1
    want = f"asc_opc: one: kernel not compiled\none.cpp:{line}: error: cast from {cast}: {CAST}\n"
    assert refusal(root, tmp_path, source) == want


def test_casts_of_unsigned_integers_in_templates(root: Path, tmp_path: Path) -> None:
    want = f"one.cpp:9: error: cast from unsigned int to float: {CAST}"
    assert want in refusal(root, tmp_path, CASTS % "sum += Reciprocal(1.0f, n);")


def test_casts_that_the_scalar_unit_has(root: Path, tmp_path: Path) -> None:
    right = "static_cast<float>(static_cast<int32_t>(n)) + static_cast<int32_t>(f) + static_cast<float>(half(2u))"
    none_written = (
        "sum += n; sum = (float)1.0 / t.rows + 2.0f * (n + 1) + (m); t.rows = f; const uint32_t k = f; sum += k;"
    )
    source = CASTS % f"sum += {right}; {none_written}"
    compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)


def test_hints_behind_what_the_compiler_says(root: Path, tmp_path: Path) -> None:
    source = '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void one(GM_ADDR x) {}\n'
    said = refusal(root, tmp_path / "few", source)
    assert said.endswith("\nasc_opc: the arguments of one are GM_ADDR x, z, workspace, tiling, in this order\n")
    said = refusal(root, tmp_path / "name", source.replace("one(", "two("))
    assert said.endswith("\nasc_opc: one.cpp defines no function one\n")
    said = refusal(root, tmp_path / "tiling", KERNEL % "GET_TILING_DATA(data, tiling);")
    assert said.endswith("\nasc_opc: GET_TILING_DATA needs REGISTER_TILING_DEFAULT(<plain struct>) before it\n")


def test_options_and_dtypes(root: Path, tmp_path: Path) -> None:
    assert refusal(root, tmp_path / "dtype", KERNEL % "", "complex128") == (
        "asc_opc: one: kernel not compiled\nx: dtype complex128 is not known; known are float, float32, float16, int8, int32, uint8,"
        " int16, uint16, uint32, int64, uint64, bool, bfloat16, bf16, int4, double, float64, complex64,"
        " float8_e5m2, float8_e4m3fn, float8_e8m0\n"
    )


def test_files_and_command_line(root: Path, tmp_path: Path) -> None:
    """What stands in the files is read first: a wrong one is named with its line."""
    compile_as_built(root, KERNEL % "", "one", {"x": "float16"}, {"z": "float32"}, tmp_path)
    implementation, params = tmp_path / "One.py", tmp_path / "param.json"
    good = implementation.read_text()

    def said(soc: str = "Ascend910B1", *arguments: str) -> str:
        command = [sys.executable, str(root / "bin" / "asc_opc"), str(implementation), "--main_func=one"]
        command += [f"--input_param={params}", f"--output={tmp_path / 'out'}", f"--soc_version={soc}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if "note" in done.stderr else 1)
        return done.stderr.removeprefix("asc_opc: one: kernel not compiled\n")

    known = "only the kernel API of Ascend910B, Ascend910_93, Ascend310P and Ascend950 is simulated"
    assert said("Ascend310B1") == f"--soc_version=Ascend310B1: {known}\n"
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
