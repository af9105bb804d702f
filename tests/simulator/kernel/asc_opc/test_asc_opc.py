"""asc_opc: what it writes, what it refuses and with which words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, aligned, compile_as_built, run
from matmul_kernels import HOST_HEADERS

pytestmark = pytest.mark.compiler

KERNEL = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    %s
}
"""


def refusal(
    root: Path, folder: Path, body: str, *, inputs: dict[str, str] | None = None, options: tuple[str, ...] = ()
) -> str:
    """What asc_opc says about a kernel with this body, without the place of the file."""
    with pytest.raises(CompileError) as refused:
        compile_as_built(
            root, KERNEL % body, "one", inputs or {"x": "float32"}, {"z": "float32"}, folder, options=options
        )
    assert not list((folder / "out").iterdir())
    return str(refused.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("double a = 1; (void)a;", "one.cpp:3: error: double: double precision does not exist on the AI Core"),
        ("float a = 2.0f; float b = a * 0.5; (void)b;", "one.cpp:3:"),
        ("volatile int n = 3; volatile float b = n * 0.5;", "one.cpp:3: error: arithmetic in double precision"),
        ("throw 1;", "one.cpp:3: error: throw: the device compiler has no exceptions"),
        (
            "struct A { virtual void f() {} };",
            "one.cpp:3: error: virtual: the device compiler has no virtual functions",
        ),
        ("volatile float a = 2.0f; a = __builtin_expf(a);", "expf"),
        (
            "AscendC::LocalTensor<int32_t> t; AscendC::Exp(t, t, 8);",
            "Exp: the data type is not one of half, float (基础算术/Exp)",
        ),
        (
            "AscendC::LocalTensor<bfloat16_t> t; AscendC::Add(t, t, t, 8);",
            "Add: the data type is not one of int16_t, half, int32_t, float (基础算术/Add)",
        ),
        (
            "AscendC::LocalTensor<bfloat16_t> a; AscendC::LocalTensor<half> b;"
            " AscendC::Cast(a, b, AscendC::RoundMode::CAST_RINT, 8);",
            "Cast: this pair of data types is not in the table of 类型转换/Cast for this SoC",
        ),
        ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);", "KERNEL_TYPE_AICORE is not a kernel type of Atlas A2 and A3"),
        (
            "AscendC::TQue<AscendC::TPosition::CO2, 1> q;",
            "TQue: this position has no memory inside the cores of Atlas A2 and A3",
        ),
        (
            "AscendC::CrossCoreSetFlag<4, PIPE_MTE3>(0);",
            "CrossCoreSetFlag: Atlas A2 and A3 have the modes 0, 1 and 2",
        ),
        ("AscendC::CrossCoreSetFlag<0, PIPE_S>(0);", "CrossCoreSetFlag: PIPE_S and PIPE_ALL are not accepted"),
        ("AscendC::CrossCoreWaitFlag<0, PIPE_ALL>(0);", "CrossCoreWaitFlag: PIPE_ALL is not accepted"),
        (
            "AscendC::SetAtomicAdd<uint32_t>();",
            "SetAtomicAdd: the data type is not one of sim::A2<int8_t, int16_t, half, bfloat16_t",
        ),
        ("GET_TILING_DATA(data, tiling);", "GET_TILING_DATA needs REGISTER_TILING_DEFAULT(<plain struct>) before it"),
        ("AscendC::PipeBarrier<PIPE_S>();", "PipeBarrier: PIPE_S is ordered by the hardware and not accepted"),
        ("unknown_name();", "one.cpp:3:"),
    ],
)
def test_refused_in_device_code(root: Path, tmp_path: Path, body: str, message: str) -> None:
    assert message in refusal(root, tmp_path, body)


@pytest.mark.parametrize("function", ["expf", "logf", "powf", "floorf", "sinf"])
def test_libm_is_refused_with_the_line(root: Path, tmp_path: Path, function: str) -> None:
    arguments = "a, a" if function == "powf" else "a"
    body = f"volatile float a = 2.0f;\n    a = {function}({arguments});"
    source = "#include <math.h>\n" + KERNEL % body
    with pytest.raises(CompileError) as refused:
        compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    want = f"{tmp_path}/one.cpp:5: error: {function}: libm does not exist on the AI Core: use the vector API"
    assert want in str(refused.value)


def test_libm_through_std_is_refused(root: Path, tmp_path: Path) -> None:
    source = "#include <cmath>\n" + KERNEL % "volatile float a = 2.0f;\n    a = std::exp(a);"
    with pytest.raises(CompileError, match=r"one\.cpp:5: error: std::exp: libm does not exist on the AI Core"):
        compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)


def test_what_the_device_has_is_taken(root: Path, tmp_path: Path) -> None:
    """Copies of doubles, constants that fold, strings and comments with forbidden words."""
    body = """// no double, no throw
    AscendC::LocalTensor<double> copied; (void)copied;
    const double kPi = 3.14159265358979323846; float half_turn = static_cast<float>(kPi); (void)half_turn;
    bool wide = std::is_same<int, double>::value || sizeof(double) == sizeof(int64_t); (void)wide;
    const float least = *(float*)(&AscendC::F32_NEG_INF); (void)least;
    constexpr float part = 1.0 / static_cast<float>(127.0); (void)part;
    const float third = 1.0f / 3.0f; const half h = 18.0; (void)third; (void)h;
    volatile int n = 3; volatile int64_t l = n; volatile float f = l; l = f; f = n; f = float(n) / 3.0f; n = f;
    AscendC::TBuf<> one; AscendC::TBuf<> other(one); other = one;
    AscendC::LocalTensor<float> chosen; AscendC::LocalTensor<int8_t> mask;
    AscendC::Select(chosen, mask, chosen, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    AscendC::printf("try double virtual %f %f\\n", third, float(h));"""
    kernel = compile_as_built(root, KERNEL % body, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    assert kernel.path.is_file()


def test_tiling_keys_that_the_preprocessor_compares(root: Path, tmp_path: Path) -> None:
    """CANN compiles a kernel for each key with the macro defined; a line that is wrong keeps its place."""
    source = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)z);
    TILING_KEY_IS(1000000000000000021);
#if TILING_KEY_VAR == 1000000000000000021  // the widest
#ifdef DTYPE_X
    to.SetValue(0, 21.0f);
#endif
#elif TILING_KEY_VAR == 3
    to.SetValue(0, 3.0f);
#else
    to.SetValue(0, 0.5f);
#endif
}
"""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "one.cpp").write_text(f'#include "beside.h"\n{source}')
    (tmp_path / "own" / "beside.h").write_text("#pragma once\n")
    wrapper = tmp_path / "one.cpp"
    wrapper.write_text('#include "own/one.cpp"\n')
    for place, of in (("right", source), ("wrapped", wrapper)):
        kernel = compile_as_built(root, of, "one", {"x": "float32"}, {"z": "float32"}, tmp_path / place)
        for key, meant in ((1000000000000000021, 21.0), (3, 3.0), (4, 0.5)):
            z = aligned(16, np.float32)
            run(kernel, [aligned(16, np.float32)], [z], tiling_key=key)
            assert z[0] == meant
    with pytest.raises(CompileError, match=r"one\.cpp:11:\d+: error: .wrong. was not declared"):
        compile_as_built(
            root, source.replace("3.0f", "wrong"), "one", {"x": "float32"}, {"z": "float32"}, tmp_path / "wrong"
        )


def test_members_that_both_kinds_of_cores_have(root: Path, tmp_path: Path) -> None:
    """A static array of a class template is in the objects of both, which are linked into one."""
    source = """#include "kernel_operator.h"
template <typename T>
struct Ids {
    static constexpr int32_t kAll[3] = {5, 6, 7};
};
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    volatile int32_t at = 1;
    const int32_t id = Ids<float>::kAll[at];
#ifdef __DAV_C220_VEC__
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)z);
    if (AscendC::GetSubBlockIdx() == 0) {
        to.SetValue(0, static_cast<float>(id));
    }
#endif
#ifdef __DAV_C220_CUBE__
    (void)id;
#endif
}
"""
    kernel = compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    z = aligned(16, np.float32)
    run(kernel, [aligned(16, np.float32)], [z])
    assert z[0] == 6


def test_doubles_and_truth_values_are_moved(root: Path, tmp_path: Path) -> None:
    """A column of float64 or complex64 is one of bytes for a kernel; DTYPE_X may be an argument of its template."""
    source = """#include "kernel_operator.h"
template <typename T>
__aicore__ inline void Move(GM_ADDR x, GM_ADDR z) {
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, 256);
    AscendC::GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x);
    to.SetGlobalBuffer((__gm__ T*)z);
    to.SetValue(0, from.GetValue(1));
    AscendC::GlobalTensor<bool> flags;
    flags.SetGlobalBuffer((__gm__ bool*)x + 16);
    auto local = buffer.Get<bool>();
    AscendC::DataCopyPad(local, flags, {1, 3, 0, 0}, {false, 0, 0, 0});
    AscendC::PipeBarrier<PIPE_ALL>();
    flags.SetGlobalBuffer((__gm__ bool*)z + 64);
    AscendC::DataCopyPad(flags, local, {1, 3, 0, 0});
    const AscendC::DataCopyExtParams words{1, 12, 0, 0, 0};
    const auto halves = (__ubuf__ int32_t*)buffer.GetWithOffset<int32_t>(8, 64).GetPhyAddr();
    AscendC::DataCopyPadGm2UBImpl(halves, (__gm__ int32_t*)x, words, {true, 1, 0, 5});
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopyPadUB2GMImpl((__gm__ int32_t*)z + 24, halves, {1, 16, 0, 0, 0});
    AscendC::PipeBarrier<PIPE_ALL>();
}
extern "C" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
#if ORIG_DTYPE_X == DT_COMPLEX64
    AscendC::GlobalTensor<uint64_t> to;
    to.SetGlobalBuffer((__gm__ uint64_t*)z);
    to.SetValue(0, 7);
#else
    Move<DTYPE_X>(x, z);
#endif
}
"""
    wide = compile_as_built(root, source, "one", {"x": "float64"}, {"z": "float64"}, tmp_path / "double")
    x, z = np.array([1.5, 2.5, 3.5]), aligned(16, np.float64)
    run(wide, [x], [z], tiling=b"")
    assert z[0] == x[1]
    assert z.tobytes()[64:67] == x.tobytes()[16:19]
    assert z.view(np.int32)[24:28].tolist() == [5, *x.view(np.int32)[:3]]
    pairs = compile_as_built(root, source, "one", {"x": "complex64"}, {"z": "complex64"}, tmp_path / "complex")
    run(pairs, [x], [z], tiling=b"")
    assert z.view(np.uint64)[0] == 7


def test_functions_of_the_host_that_start_the_kernel(root: Path, tmp_path: Path) -> None:
    """Operator repositories have them behind their kernels; what follows keeps its lines."""
    launch = """}
#ifndef ASCENDC_CPU_DEBUG
template <typename T>
__global__ __aicore__ void other(GM_ADDR x) {}
void start(uint32_t blocks, void* control, void* stream, uint8_t* x, uint8_t* z, uint8_t* space, uint8_t* tiling) {
    one<<<blocks, control, stream>>>(x, z,
                                     space, tiling);
    other<float><<<blocks, control, stream>>>(x);
}
#endif
inline __aicore__ void after() {
    """
    kernel = compile_as_built(root, KERNEL % launch, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    assert kernel.path.is_file()
    assert "one.cpp:14: error: double: " in refusal(root, tmp_path / "wrong", launch + "double a = 1; (void)a;")


def test_a_kernel_called_as_a_function_of_libm(root: Path, tmp_path: Path) -> None:
    """The worker has a tanh of its own, which must not be what is launched."""
    source = KERNEL.replace(" one(", " tanh(") % "((__gm__ float*)z)[0] = 5.0f;\n    dcci((__gm__ uint8_t*)z, 0);"
    kernel = compile_as_built(root, source, "tanh", {"x": "float32"}, {"z": "float32"}, tmp_path)
    result = aligned(8, np.float32)
    run(kernel, [aligned(8, np.float32)], [result])
    assert result[0] == 5.0


def test_wrong_signature_and_name(root: Path, tmp_path: Path) -> None:
    source = '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void one(GM_ADDR x) {}\n'
    with pytest.raises(CompileError, match="the arguments of one are GM_ADDR x, z, workspace, tiling, in this order"):
        compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    with pytest.raises(CompileError, match="defines no function one"):
        compile_as_built(root, source.replace("one(", "two("), "one", {"x": "float32"}, {"z": "float32"}, tmp_path)


def test_paths_and_comments_in_any_encoding(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode("你好".encode("gbk"))
    folder.mkdir()
    source = folder / "one.cpp"
    source.write_bytes((KERNEL % "int n = nothing;  // 你好").encode("gbk"))
    with pytest.raises(CompileError) as refused:
        compile_as_built(root, source, "one", {"x": "float32"}, {"z": "float32"}, tmp_path)
    assert "one.cpp:3:13: error: " in str(refused.value)
    assert "nothing" in str(refused.value)


def test_options_and_dtypes(root: Path, tmp_path: Path) -> None:
    assert "x: dtype complex128 is not known" in refusal(root, tmp_path / "b", "", inputs={"x": "complex128"})
    body = "static_assert(WIDTH == 3 && ORIG_DTYPE_X == DT_BF16 && sizeof(DTYPE_X) == 2);"
    compile_as_built(
        root, KERNEL % body, "one", {"x": "bfloat16"}, {"z": "float32"}, tmp_path / "c", options=("-DWIDTH=3",)
    )


def invoke(root: Path, folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "bin" / "asc_opc"), str(folder / "One.py"), "--main_func=one"]
    command += [f"--input_param={folder / 'param.json'}", f"--output={folder / 'out'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **env})


def test_outputs(root: Path, tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("// included\n")
    source = '#include "part.h"\n' + KERNEL % ""
    kernel = compile_as_built(root, source, "one", {"x": "float16"}, {"z": "float32"}, tmp_path, name="One_0123")
    description = json.loads((tmp_path / "out" / "One_0123.json").read_text())
    assert description["binFileName"] == "One_0123"
    assert description["binFileSuffix"] == ".o"
    assert description["kernelName"] == "one"
    assert description["simulated"] is True
    assert description["sha256"] == sha256(kernel.path.read_bytes()).hexdigest()
    assert [tensor["dtype"] for tensor in description["supportInfo"]["inputs"]] == ["float16"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["One_0123.json", "One_0123.o"]
    # once more, with a depfile: the same object, whatever the folder it was built in
    before = kernel.path.read_bytes()
    done = invoke(root, tmp_path, "--soc_version=Ascend910B1", f"--depfile={tmp_path / 'one.d'}")
    assert done.returncode == 0, done.stderr
    assert kernel.path.read_bytes() == before
    rule = (tmp_path / "one.d").read_text()
    assert rule.startswith(f"{kernel.path}:")
    assert str(tmp_path / "part.h") in rule
    assert str(tmp_path / "one.cpp") in rule
    assert "asc_opc." not in rule


@pytest.mark.parametrize(
    ("name", "core_type", "magic", "ratio", "syncs"),
    [
        ("", "VectorCore", "RT_DEV_BINARY_MAGIC_ELF_AIVEC", "0:1", 0),
        ("AIV_ONLY", "VectorCore", "RT_DEV_BINARY_MAGIC_ELF_AIVEC", "0:1", 0),
        ("AIC_ONLY", "AiCore", "RT_DEV_BINARY_MAGIC_ELF_AICUBE", "1:0", 0),
        ("MIX_AIV_1_0", "MIX", "RT_DEV_BINARY_MAGIC_ELF", "0:1", 1),
        ("MIX_AIC_1_0", "MIX", "RT_DEV_BINARY_MAGIC_ELF", "1:0", 1),
        ("MIX_AIC_1_1", "MIX", "RT_DEV_BINARY_MAGIC_ELF", "1:1", 1),
        ("MIX_AIC_1_2", "MIX", "RT_DEV_BINARY_MAGIC_ELF", "1:2", 1),
    ],
)
def test_kernel_types(  # noqa: PLR0917 - a row of the table
    root: Path, tmp_path: Path, name: str, core_type: str, magic: str, ratio: str, syncs: int
) -> None:
    """What the description says, and for which cores the source is compiled."""
    form = f"#define TYPE KERNEL_TYPE_{name}\n" if name else ""
    body = "KERNEL_TASK_TYPE_DEFAULT(TYPE);\n" if name else ""
    counts = dict(zip(("CUBE", "VEC"), map(int, ratio.split(":")), strict=True))
    for core, count in counts.items():
        form += f"#ifdef __DAV_C220_{core}__\nconstexpr bool {core} = true;\n#else\n"
        form += f"constexpr bool {core} = false;\n#endif\n"
        body += f"static_assert({core} == {int(count != 0)});\n" if 0 in counts.values() else ""
    body += "static_assert(CUBE != VEC);\n"  # a kernel of both is compiled for each
    compile_as_built(root, form + KERNEL % body, "one", {"x": "float16"}, {"z": "float32"}, tmp_path, name="One_0")
    description = json.loads((tmp_path / "out" / "One_0.json").read_text())
    assert description["kernelType"] == f"KERNEL_TYPE_{name or 'AIV_ONLY'}"
    assert description["coreType"] == core_type
    assert description["magic"] == magic
    assert description["taskRation"] == ratio
    assert description["intercoreSync"] == syncs


MATMUL = """#include "lib/matmul_intf.h"
using In = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;
"""
REGISTER = "AscendC::TPipe p; AscendC::Matmul<In, In, In> m; REGIST_MATMUL_OBJ(&p, GetSysWorkSpacePtr(), m);"
ON_CUBE = "AscendC::MatmulImpl<In, In, In> m; m.End();"
LOAD = "AscendC::LocalTensor<half> a; AscendC::LoadData(a, a, AscendC::LoadData2DParams{});"


@pytest.mark.parametrize(
    ("form", "body", "type_"),
    [
        ("", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_VECTOR_CORE);", "AIV_ONLY"),  # of 310P alone
        ("", "AscendC::SyncAll();", "MIX_AIV_1_0"),
        ("", "AscendC::SyncAll<true>();", "MIX_AIV_1_0"),
        ("", "AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);", "MIX_AIV_1_0"),
        ("", "AscendC::GlobalTensor<int32_t> g; AscendC::LocalTensor<int32_t> u; AscendC::SyncAll(g, u);", "AIV_ONLY"),
        ("", "ffts_cross_core_sync(PIPE_MTE3, 0x301);", "MIX_AIV_1_0"),
        ("", f"{LOAD} wait_flag_dev(PIPE_S, 3);", "MIX_AIC_1_0"),
        (
            "",
            "AscendC::GlobalTensor<int32_t> g; AscendC::LocalTensor<int32_t> u; AscendC::IBSet(g, u, 0, 0);",
            "AIV_ONLY",
        ),
        ("", LOAD, "AIC_ONLY"),
        ("", f"if ASCEND_IS_AIC {{ {LOAD} }}", "MIX_AIC_1_2"),
        (
            MATMUL,
            REGISTER,
            "MIX_AIC_1_2",
        ),
        (
            f"#define ASCENDC_CUBE_ONLY\n{MATMUL}",
            REGISTER,
            "AIC_ONLY",
        ),
        (MATMUL, f"if ASCEND_IS_AIV {{ return; }} {ON_CUBE}", "MIX_AIC_1_2"),
        (MATMUL, ON_CUBE, "AIC_ONLY"),
    ],
)
def test_types_of_kernels_that_name_none(root: Path, tmp_path: Path, form: str, body: str, type_: str) -> None:
    """CANN's compiler looks for cube code and for the hardware's flags; operators of public repositories rely on it."""
    dtypes = {"x": "float16"}, {"z": "float32"}
    compile_as_built(root, form + KERNEL % body, "one", *dtypes, tmp_path, name="One_0", include_dirs=[HOST_HEADERS])
    assert json.loads((tmp_path / "out" / "One_0.json").read_text())["kernelType"] == f"KERNEL_TYPE_{type_}"


def test_kernel_types_of_tiling_keys(root: Path, tmp_path: Path) -> None:
    body = """KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    if (TILING_KEY_IS(7)) { KERNEL_TASK_TYPE(7, KERNEL_TYPE_MIX_AIC_1_2); }"""
    compile_as_built(root, KERNEL % body, "one", {"x": "float16"}, {"z": "float32"}, tmp_path, name="One_0")
    description = json.loads((tmp_path / "out" / "One_0.json").read_text())
    assert (description["kernelType"], description["taskRation"]) == ("tilingKey", "tilingKey")
    assert description["kernelList"][1] == {"kernelName": "one_7", "kernelType": "KERNEL_TYPE_MIX_AIC_1_2"}
    two = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);"
    message = "KERNEL_TASK_TYPE_DEFAULT: KERNEL_TYPE_AIC_ONLY, but the default is KERNEL_TYPE_AIV_ONLY already"
    assert f"one.cpp:3: error: {message}" in refusal(root, tmp_path / "a", two)
    two = "KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);"
    message = "KERNEL_TASK_TYPE: tiling key 1 has a type already, KERNEL_TYPE_AIV_ONLY"
    assert f"one.cpp:3: error: {message}" in refusal(root, tmp_path / "b", two)


def test_failures_leave_no_output(root: Path, tmp_path: Path) -> None:
    kernel = compile_as_built(root, KERNEL % "", "one", {"x": "float16"}, {"z": "float32"}, tmp_path)
    done = invoke(root, tmp_path, "--soc_version=Ascend910B1", CXX="/no/such/compiler")
    assert done.returncode == 1
    assert "/no/such/compiler: cannot be started" in done.stderr
    assert not kernel.path.exists()
    for arguments, message in (
        (("--soc_version=Ascend310B1",), "Ascend910B, Ascend910_93, Ascend310P and Ascend950 is simulated"),
        (("--soc_version=Ascend910B1", "--op_mode=static"), "only dynamic shapes are simulated"),
    ):
        done = invoke(root, tmp_path, *arguments)
        assert (done.returncode, message in done.stderr) == (1, True)


def test_the_implementation_file_is_read_and_not_run(root: Path, tmp_path: Path) -> None:
    compile_as_built(root, KERNEL % "", "one", {"x": "float16"}, {"z": "float32"}, tmp_path)
    trap = tmp_path / "ran"
    for text, message in (
        (f"open({str(trap)!r}, 'w')\n", "has no literal KERNEL"),
        (f"KERNEL = open({str(trap)!r}, 'w')\n", "KERNEL is not a literal"),
        ("KERNEL = {'op_type': 'One'}\n", "KERNEL lacks 'source'"),
        ("KERNEL = {\n", "cannot be read as Python"),
    ):
        (tmp_path / "One.py").write_text(text)
        done = invoke(root, tmp_path, "--soc_version=Ascend910B1")
        assert done.returncode == 1
        assert message in done.stderr
    assert not trap.exists()


SIDES = """
#include "kernel_operator.h"
using namespace AscendC;
#ifdef __DAV_C220_CUBE__
#include "cube_side.h"
#elif defined(__DAV_C220_VEC__)
template <typename T>
__aicore__ inline int32_t Side(T x) { return 20 + x; }
constexpr int32_t kPlace = 16;
#endif
static int32_t counter = kPlace == 0 ? 1 : 2;

extern "C" __global__ __aicore__ void sides(GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GlobalTensor<int32_t> result;
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z));
    result.SetValue(kPlace, Side(counter));
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(result[kPlace]);
}
"""


def test_a_source_that_asks_for_the_kind_of_core_is_compiled_for_each(root: Path, tmp_path: Path) -> None:
    """One name, two functions: neither core may get the other's, and both sides' headers are prerequisites."""
    folder = tmp_path / "two sides"
    folder.mkdir()
    (folder / "cube_side.h").write_text(
        "template <typename T>\n__aicore__ inline int32_t Side(T x) { return 10 + x; }\nconstexpr int32_t kPlace = 0;\n"
    )
    kernel = compile_as_built(root, SIDES, "sides", {}, {"z": "int32"}, folder)
    result = aligned(32, np.int32)
    run(kernel, [], [result])
    assert (result[0], result[16]) == (11, 22)
    assert np.count_nonzero(result) == 2


CONSTANT = """
#define __aicore__ [aicore]
#include "kernel_operator.h"
#include "kernel_macros.h"
#include "kernel_event.h"
using namespace AscendC;
template <int32_t CORE = g_coreType>
__forceinline__ [host, aicore] int32_t Kind() { return CORE; }
using Value = typename std::conditional<g_coreType == AscendC::AIC, int8_t, int16_t>::type;

extern "C" __global__ __aicore__ void sides(GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    constexpr int32_t place = g_coreType == AIC ? 0 : 16;
    GlobalTensor<int32_t> result;
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z));
    result.SetValue(place, 10 * Kind() + sizeof(Value));
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(result[place]);
}
"""


@pytest.mark.parametrize(("type_", "expected"), [("MIX_AIC_1_1", (11, 22)), ("AIV_ONLY", (0, 22))])
def test_g_core_type_is_a_constant(root: Path, tmp_path: Path, type_: str, expected: tuple[int, int]) -> None:
    """As sys_macros.h of asc-devkit declares it; and ``[aicore]``, which it calls __aicore__, is read."""
    source = CONSTANT.replace("MIX_AIC_1_1", type_)
    kernel = compile_as_built(root, source, "sides", {}, {"z": "int32"}, tmp_path)
    result = aligned(32, np.int32)
    run(kernel, [], [result])
    assert (result[0], result[16]) == expected


def test_sides_are_refused_like_one_kernel(root: Path, tmp_path: Path) -> None:
    wrong = SIDES.replace("return 20 + x", "return std::exp(x)").replace('#include "cube_side.h"', "")
    wrong = wrong.replace("#elif defined(__DAV_C220_VEC__)", "#endif")
    wrong = wrong.replace("constexpr int32_t kPlace = 16;\n#endif", "constexpr int32_t kPlace = 16;")
    with pytest.raises(CompileError, match="libm does not exist on the AI Core"):
        compile_as_built(root, wrong, "sides", {}, {"z": "int32"}, tmp_path)
