"""Functions that other tests call for one type or two, for each that the table lists: one kernel of all the calls."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from api_rows import ApiFunction, read_table
from harness import Array, Kernel, aligned, compile_kernel, run
from instances import Instance, instances_in, not_run

pytestmark = pytest.mark.compiler

COUNT = 256  # elements
SPELLED = {"double": "LocalTensor<double>::PrimType"}  # a kernel may have such tensors, but no double by itself
NUMPY = {
    "bool": np.bool_, "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16, "uint16_t": np.uint16,
    "half": np.float16, "int32_t": np.int32, "uint32_t": np.uint32, "float": np.float32, "int64_t": np.int64,
    "uint64_t": np.uint64, "double": np.float64, "bfloat16_t": np.uint16,
}  # fmt: skip

# C++ over T, the tensors x, z and u (in the unified buffer), their addresses xs and zs, and n elements.
VECTOR = {
    "ReadGmByPassDCache": "for (uint32_t i = 0; i < n; ++i) { T v = ReadGmByPassDCache<T>(xs + n - 1 - i);"
    " WriteGmByPassDCache<T>(zs + i, v); }",
    "SetPadValue": "SetPadValue<T>(xs[1]); DataCopyPad(u, x, DataCopyExtParams(1, sizeof(T), 0, 0, 0),"
    " DataCopyPadExtParams<T>(false, 1, 1, T())); PipeBarrier<PIPE_ALL>(); DataCopy(z, u, 32 / sizeof(T));",
    "Copy": "DataCopy(u, x, n); PipeBarrier<PIPE_ALL>();"
    " Copy(u[n], u, 256 / sizeof(T), n * sizeof(T) / 256, {1, 1, 8, 8}); PipeBarrier<PIPE_ALL>();"
    " DataCopy(z, u[n], n);",
    "SetAtomicType": "DataCopy(u, x, n); PipeBarrier<PIPE_ALL>(); SetAtomicAdd<float>(); SetAtomicType<T>();"
    " DataCopy(z, u, n); SetAtomicNone();",
    "PopStackBuffer": "LocalTensor<T> left; const bool some = PopStackBuffer<T, TPosition::LCM>(left);"
    " assert(some && left.GetSize() * sizeof(T) == 196608 - 8192); DataCopy(left[n], x, n); PipeBarrier<PIPE_ALL>();"
    " DataCopy(z, left[n], n);",
    "Std::max": "for (uint32_t i = 0; i < n; ++i) { z.SetValue(i, Std::max(x.GetValue(i), x.GetValue(n - 1 - i))); }"
    " DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(z);",
    "Std::min": "for (uint32_t i = 0; i < n; ++i) { z.SetValue(i, Std::min(x.GetValue(i), x.GetValue(n - 1 - i))); }"
    " DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(z);",
    "Fill": "Fill(z, n, T(5.0f));",
    "InitGlobalMemory": "InitGlobalMemory(z, n, T(5.0f));",
    "InitOutput": "InitOutput<T>(z, n, T(5.0f));",
    "DumpTensor": "DumpTensor(x, 3, 4);",
    "DumpAccChkPoint": "DumpAccChkPoint(x, 3, 2, 4);",
}
CUBE = {
    "Fill": "Fill(l1, InitConstValueParams<T>(1, bytes / 32, 0, static_cast<T>(5.0f)));",
    "InitConstValue": "InitConstValue(l1, InitConstValueParams<T>(1, bytes / 32, 0, static_cast<T>(5.0f)));",
}
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
struct CaseTiling {{ uint32_t choice, n, bytes; }};
template <typename T> struct Vector {{
    GlobalTensor<T> x, z;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<T> u;
    __gm__ T *xs, *zs;
    uint32_t n;
    __aicore__ inline Vector(GM_ADDR a, GM_ADDR b, uint32_t count) : n(count) {{
        xs = (__gm__ T*)a;
        zs = (__gm__ T*)b;
        x.SetGlobalBuffer(xs, n);
        z.SetGlobalBuffer(zs, n);
        pipe.InitBuffer(buffer, 8192);
        u = buffer.Get<T>();
    }}
}};
extern "C" __global__ __aicore__ void every_dtype(GM_ADDR a, GM_ADDR b, GM_ADDR workspace, GM_ADDR tiling) {{
    KERNEL_TASK_TYPE_DEFAULT({cores});
    REGISTER_TILING_DEFAULT(CaseTiling);
    GET_TILING_DATA(data, tiling);
    switch (data.choice) {{
{cases}
    }}
}}
"""
VECTOR_CASE = (
    "{{ using T = {t}; Vector<T> all(a, b, data.n); auto &x = all.x, &z = all.z; auto& u = all.u; auto xs = all.xs,"
    " zs = all.zs; const uint32_t n = all.n; (void)x; (void)z; (void)u; (void)xs; (void)zs; (void)n; {call} }}"
)
CUBE_CASE = (
    "{{ using T = {t}; GlobalTensor<T> x; x.SetGlobalBuffer((__gm__ T*)a); GlobalTensor<half> z;"
    " z.SetGlobalBuffer((__gm__ half*)b); const uint16_t bytes = data.bytes;"
    " LocalTensor<T> l1(TPosition::A1, 0, data.n); {call} PipeBarrier<PIPE_ALL>(); "
    " DataCopy(z, l1.template ReinterpretCast<half>(), bytes / 2); }}"
)


def row(name: str, header: str = "") -> ApiFunction:
    return next(each for each in read_table() if each.name == name and each.header.endswith(header))


def rows(cube: bool) -> dict[str, ApiFunction]:
    """Fill is two functions: of global memory, and of a cube core's memories."""
    if cube:
        return {name: row(name, "kernel_operator_mm_intf.h") for name in CUBE}
    return {name: row(name, "kernel_operator_common_intf.h" if name == "Fill" else "") for name in VECTOR}


@dataclass(frozen=True)
class Every:
    """The compiled calls, by function and type."""

    kernel: Kernel
    choices: tuple[tuple[str, str], ...]

    def __call__(self, name: str, t: str, x: Array, z: Array, checks: bool = True) -> Array:
        result = aligned(z.size, z.dtype.type)
        result[:] = z
        tiling = struct.pack("<3I", self.choices.index((name, t)), COUNT, x.nbytes)
        run(self.kernel, [x], [result], tiling=tiling, checks=checks)
        return result


def compiled(root: Path, workdir: Path, cube: bool) -> Every:
    calls, form = (CUBE, CUBE_CASE) if cube else (VECTOR, VECTOR_CASE)
    choices = tuple((name, t) for name, each in rows(cube).items() for t in each.dtypes)
    cases = [
        f"case {i}: {form.format(t=SPELLED.get(t, t), call=calls[name])} break;" for i, (name, t) in enumerate(choices)
    ]
    source = SOURCE.format(cases="\n".join(cases), cores="KERNEL_TYPE_AIC_ONLY" if cube else "KERNEL_TYPE_AIV_ONLY")
    kernel = compile_kernel(root, source, "every_dtype", {"a": "uint8"}, {"b": "uint8"}, workdir, options=["-O0"])
    return Every(kernel, choices)


@pytest.fixture(scope="module")
def vector(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Every:
    return compiled(root, tmp_path_factory.mktemp("vector"), cube=False)


@pytest.fixture(scope="module")
def cube(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Every:
    return compiled(root, tmp_path_factory.mktemp("cube"), cube=True)


def small(t: str, values: Array) -> Array:
    """Whole numbers as the type has them; of bfloat16_t the bits."""
    if t == "bfloat16_t":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(NUMPY[t])


def data(t: str) -> Array:
    values = np.random.default_rng(5).integers(0, 2 if t == "bool" else 100, COUNT)
    x = aligned(COUNT, NUMPY[t])
    x[:] = small(t, values if NUMPY[t](0).dtype.kind not in "if" else values - 50)
    return x


def meaning(name: str, t: str, x: Array, z: Array) -> Array:
    five = small(t, np.full(COUNT, 5))
    if name == "SetPadValue":
        first = np.full(32 // x.itemsize, x[1])
        first[1] = x[0]
        return np.concatenate([first, z[len(first) :]])
    if name == "SetAtomicType":
        numbers = [(a.astype(np.uint32) << 16).view(np.float32) if t == "bfloat16_t" else a for a in (x, z)]
        return small(t, numbers[0] + numbers[1])
    if name in {"Fill", "InitGlobalMemory", "InitOutput", "InitConstValue"}:
        return five
    if name.startswith("Std::"):
        return (np.maximum if name == "Std::max" else np.minimum)(x, x[::-1])
    return x[::-1] if name == "ReadGmByPassDCache" else x


ANSWERED = [(name, t) for name, each in rows(cube=False).items() for t in each.dtypes if not name.startswith("Dump")]


@pytest.mark.parametrize(("name", "t"), ANSWERED)
def test_on_vector_cores(vector: Every, name: str, t: str) -> None:
    x, z = data(t), small(t, np.ones(COUNT))
    for checks in (True, False):
        got = vector(name, t, x, z, checks)
        assert got.tobytes() == meaning(name, t, x, z).tobytes()


@pytest.mark.parametrize(("name", "t"), [(name, t) for name, each in rows(cube=True).items() for t in each.dtypes])
def test_on_cube_cores(cube: Every, name: str, t: str) -> None:
    x = data(t)
    for checks in (True, False):
        got = cube(name, t, x, np.zeros_like(x), checks)
        assert got.tobytes() == meaning(name, t, x, x)[: x.size].tobytes()


def printed(t: str, value: float) -> str:
    return f"{value:f}" if t in {"half", "float", "bfloat16_t"} else str(int(value))


@pytest.mark.parametrize(("name", "t"), [(n, t) for n in ("DumpTensor", "DumpAccChkPoint") for t in row(n).dtypes])
def test_printing(vector: Every, name: str, t: str, capfd: pytest.CaptureFixture[str]) -> None:
    values = np.array([1, 0, 1, 1, 0, 1]) if t == "bool" else np.array([3, -7, 11, 2, 90, 5])
    values = abs(values) if t.startswith("u") else values
    x = aligned(COUNT, NUMPY[t])
    x[:6] = small(t, values)
    vector(name, t, x, x)
    first = 2 if name == "DumpAccChkPoint" else 0
    kind = {"half": "float16", "float": "float32"}.get(t, t.removesuffix("_t"))
    assert capfd.readouterr().out == (
        f"DumpTensor: desc=3, addr={x.ctypes.data + first * x.itemsize}, data_type={kind}, position=GM, dump_size=4\n"
        f"[{', '.join(printed(t, value) for value in values[first : first + 4])}]\n"
    )


def test_a_type_that_no_kernel_has_is_found(vector: Every) -> None:
    ran = instances_in(vector.kernel.path)

    def missing(name: str, ran: Iterable[Instance] = ran) -> list[str]:
        return not_run(row(name), row(name).dtypes, ran)

    assert missing("Copy") == []
    assert missing("Add") == list(row("Add").dtypes)
    assert missing("Copy", {each for each in ran if "uint32_t" not in each[1]}) == ["uint32_t"]
    # int8_t is no argument of its template
    assert missing("AscendQuant", {("AscendQuant", frozenset({"half", "false"}))}) == ["int8_t<-float"]
    assert missing("Relu", {("LeakyRelu", frozenset({"half"}))}) == list(row("Relu").dtypes)
