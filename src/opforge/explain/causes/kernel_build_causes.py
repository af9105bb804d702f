"""Kernels and op_host that do not compile."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, ROOT, SPECIFIC, Cause

_GUIDE = ISSUES + "mirror-cann/asc-devkit/tree/master/docs/zh/guide"
_RECORDS = ISSUES + "KernelHive/ascendc-skill"

KERNEL_BUILD = (
    Cause(
        "host-headers-missing",
        ROOT,
        r"fatal error: '(cstdint|cstddef|type_traits|cmath|utility)' file not found",
        "The kernel compiler does not find the C++ standard headers",
        "bisheng uses the headers of the system's gcc. It does not find them if g++ is not installed, or if the newest "
        "gcc has no C++ headers.",
        "apt install g++ (openEuler: yum install gcc-c++); or export CPLUS_INCLUDE_PATH=/usr/include/c++/12:"
        "/usr/include/c++/12/$(uname -m)-openEuler-linux",
        "kernel_macros.h:24:10: fatal error: 'cstdint' file not found",
        ISSUES + "Ascend/pytorch/issues/74",
        ("version", "g++"),
    ),
    Cause(
        "tiling-field",
        SPECIFIC,
        r"(?:struct|class) '?(?:optiling::)?(\w*TilingData)'? has no member named '(?:set_|get_)?(\w+)'",
        "The tiling data {1} has no field {2}",
        "The definition of the tiling data and the code that sets it differ, or two headers have the same include "
        "guard or struct name.",
        "Add the field to the tiling data's definition, or correct the name. In opforge projects both follow from the "
        "spec.",
        "error: 'class optiling::SoftplusTilingData' has no member named 'set_totalLength'",
        _RECORDS,
        look="grep -rn {1} op_host op_kernel",
    ),
    Cause(
        "tiling-header",
        SPECIFIC,
        r"(?:fatal error: )?'?(\w+_tiling\.h)'?(?:: No such file or directory| file not found)",
        "The tiling header {1} does not exist",
        "CANN makes the file name from the op type: GoogLeNet becomes goog_le_net, and digits follow their own rule. "
        "The include has another name.",
        "Rename the include to the file that exists: ls op_host/*_tiling.h",
        "fatal error: shuffle_net_custom_tiling.h: No such file or directory",
        _RECORDS,
        look="ls op_host/*_tiling.h",
        needs="_tiling.h",
    ),
    Cause(
        "dtype-macro",
        SPECIFIC,
        r"use of undeclared identifier '((?:ORIG_)?DTYPE_\w+|FORMAT_\w+)'|'((?:ORIG_)?DTYPE_\w+)' was not declared",
        "The macro {1}{2} does not exist",
        "The macro is made from the input's name in op_host: packed_params gives DTYPE_PACKED_PARAMS. The kernel "
        "spells it in another way.",
        "Use the input's name of op_host in capitals, with its underscores.",
        "error: use of undeclared identifier 'DTYPE_PACKEDPARAMS'",
        _RECORDS,
        look="grep -n 'this->Input(\"' op_host/*.cpp",
    ),
    Cause(
        "scalar-cast",
        SPECIFIC,
        r"cast between floating and unsigned integer variable is not allowed in aicore function",
        "The AI core cannot convert unsigned integers to floats",
        "The scalar unit has no conversion between unsigned integers and floats.",
        "Convert through a signed integer: static_cast<float>(static_cast<int32_t>(n)); or compute it in tiling.",
        "error: cast between floating and unsigned integer variable is not allowed in aicore function",
        _RECORDS,
        look="the line of the error",
    ),
    Cause(
        "scalar-double",
        SPECIFIC,
        r"cast to/from double precision|double precision operation is not allowed",
        "The AI core has no double",
        "A literal such as 1.0 is a double, and so is what it is computed with.",
        "Write 1.0f, and use float.",
        "error: double precision operation is not allowed in aicore function",
        _RECORDS,
        look="the line of the error",
    ),
    Cause(
        "libm-in-kernel",
        SPECIFIC,
        r"no matching function for call to '(expf?|logf?|sqrtf|powf?|tanhf?|sinf?|cosf?|fabsf?|floorf?)'"
        r"|undefined symbol: (expf|logf|sqrtf|powf|tanhf)\b",
        "Kernels have no function {1}{2} for scalars",
        "The C library's functions do not exist on the device; only sqrt, abs, min and max do.",
        "Compute it with AscendC::Exp, Ln, Sqrt, ... on a LocalTensor of at least 32 bytes, or in tiling.",
        "error: no matching function for call to 'expf'",
        _RECORDS,
        look="the line of the error",
    ),
    Cause(
        "event-namespace",
        SPECIFIC,
        r"no member named '(EVENT_ID\d)' in namespace 'AscendC'|'(EVENT_ID\d)' is not a member of 'AscendC'",
        "{1}{2} is not in the namespace AscendC",
        "The constants of events are global.",
        "Write {1}{2} instead of AscendC::{1}{2}.",
        "error: no member named 'EVENT_ID0' in namespace 'AscendC'",
        _RECORDS,
        look="the line of the error",
    ),
    Cause(
        "data-copy-overload",
        SPECIFIC,
        r"no matching function for call to '(?:AscendC::)?(DataCopy|DataCopyPad)['(]",
        "{1} does not have this combination of tensors",
        "Data moves between global memory and UB, not from global memory to global memory, and both tensors have the "
        "same dtype.",
        "Copy through a LocalTensor: first into UB, then out.",
        "error: no matching function for call to 'DataCopy'",
        _RECORDS,
        look="the notes `candidate function not viable` below the error",
    ),
    Cause(
        "dtype-not-on-chip",
        SPECIFIC,
        r"no matching function for call to '(\w+(?:Intrinsics|Compute)?Impl)'",
        "An Ascend C function does not have this dtype on this chip ({1})",
        "The headers of each chip have the combinations of dtypes that the chip can do. This one is not among them.",
        "Cast through a dtype that the function's documentation lists for the chip, often float32 or half.",
        "error: no matching function for call to 'CastIntrinsicsImpl'",
        ISSUES + "ggml-org/llama.cpp/issues/12010",
        look="the notes `candidate function not viable` below the error",
    ),
    Cause(
        "kernel-too-large",
        SPECIFIC,
        r"out of jump/jumpc imm range",
        "The kernel is too large for short jumps",
        "The compiled kernel is longer than a jump instruction can reach, often because of much inlining or unrolling.",
        "add_ops_compile_options(<Op> OPTIONS -mllvm -cce-aicore-jump-expand=true) in op_kernel/CMakeLists.txt",
        "[ERROR] [ascendxxxx] PowerCustom_88a695f03edfbc0af76b9eaae9e4556c error: out of jump/jumpc imm range",
        _GUIDE,
        look="the number of template instances of the kernel",
    ),
    Cause(
        "inner-header",
        SPECIFIC,
        r"fatal error: '(inner_interface/\S+|impl/\S+|kernel_operator_\w+_intf\.h)' file not found",
        "A private header of CANN has moved: {1}",
        "Private headers change with each version of CANN.",
        'Include only "kernel_operator.h".',
        "fatal error: 'inner_interface/inner_kernel_operator_intf.h' file not found",
        ISSUES + "vllm-project/vllm-ascend/issues/9421",
        ("toolkits",),
    ),
    Cause(
        "half-renamed",
        SPECIFIC,
        r"use of undeclared identifier '(\w*half\w*)'; did you mean '\w*__cce_half'",
        "`half` is a macro since CANN 8.2",
        "A macro that pastes a type's name into an identifier now gets __cce_half instead of half.",
        "Do not paste type names: give the kernels names of their own, such as _fp16.",
        "error: use of undeclared identifier 'rope_custom_true_half'; did you mean 'rope_custom_true___cce_half'",
        ISSUES + "vllm-project/vllm-ascend/issues/804",
        ("toolkits",),
    ),
    Cause(
        "soc-enum-renamed",
        SPECIFIC,
        r"'?(ASCEND\d\w+)'? is not a member of '(?:platform_ascendc::)?SocVersion'|no member named '(ASCEND\w+)' in "
        r"'platform_ascendc::SocVersion'",
        "This CANN does not have SocVersion::{1}{2}",
        "The name of a new chip changed: ASCEND910_95 in CANN 8.5 is ASCEND950 in CANN 9.0.",
        "Test for it in CMake (check_cxx_source_compiles), or use the name of the CANN that you build with.",
        "error: 'ASCEND910_95' is not a member of 'platform_ascendc::SocVersion'",
        ISSUES + "vllm-project/vllm-ascend/pull/6936",
        ("toolkits",),
        needs="SocVersion",
    ),
    Cause(
        "pipe-of-another-chip",
        SPECIFIC,
        r"the range of (\w+) parameter must be (\[[\d, ]+\])(?=.*\n.*(?:pipe_barrier|set_flag|wait_flag))",
        "This chip does not have the pipe: the argument must be in {2}",
        "A raw intrinsic such as pipe_barrier(PIPE_V) names a pipe that the chip does not have as a pipe of its own; "
        "on Ascend950, vector instructions need no barrier.",
        "Use AscendC::PipeBarrier<PIPE_V>(), which is right on every chip.",
        "kernel.cpp:191:18: error: the range of 1st parameter must be [4, 6]\n    pipe_barrier(PIPE_V);",
        ISSUES + "hw-native-sys/simpler/issues/230",
        look="the intrinsic in the line of the error",
    ),
    Cause(
        "register-api",
        SPECIFIC,
        r"'(?:AscendC::)?(?:MicroAPI|Reg|__VEC_SCOPE__|__simd_\w+__|__simt_\w+__)' (?:has not been|was not) declared"
        r"|'(?:__VEC_SCOPE__|__simd_\w+__|__simt_\w+__)' does not name a type"
        r"|use of undeclared identifier '(?:MicroAPI|__VEC_SCOPE__)'|unknown type name '__(?:VEC_SCOPE|sim[dt]_\w+)__'"
        r"|no member named '(?:MicroAPI|Reg)' in namespace 'AscendC'",
        "The register-based API is not there",
        "Reg (MicroAPI), __VEC_SCOPE__ and SIMT functions belong to Ascend950. Other chips do not have them, and the "
        "simulated toolkit does not simulate them.",
        "Put the code into #if __NPU_ARCH__ == 3510, and write it with the Basic API for other chips. The simulated "
        "toolkit needs the Basic API on ascend950, too.",
        "vector_add_kernel.h:78:9: error: '__VEC_SCOPE__' was not declared in this scope",
        ISSUES + "mirror-cann/asc-devkit/tree/master/docs/zh/api",
        look="the chip of the kernel that did not compile, and #if __NPU_ARCH__ around the line",
    ),
    Cause(
        "mixed-kernel-link",
        SPECIFIC,
        r"ld\.lld: error: undefined symbol: (\w+)\(.*\) \(\.(cube|vector)\)",
        "The kernel {1} has no code for the {2} core",
        "A kernel that runs on cube and vector cores is linked from two parts. One part did not compile, or is "
        "missing.",
        "Look for the first `error:` above; check that both parts define the function.",
        "ld.lld: error: undefined symbol: qwen3_decode_layer_incore_13_aic(float AS1*, __bf16 AS1*, int) (.cube)",
        ISSUES + "hw-native-sys/PTOAS/pull/426",
        look="the first `error:` of the log",
    ),
    Cause(
        "adapter-temporary",
        SPECIFIC,
        r"cannot bind non-const lvalue reference of type '([^']+)' to an rvalue",
        "A macro such as EXEC_NPU_CMD got a temporary",
        "The macro takes its arguments by reference, so they must be variables. Lists of integers must be "
        "at::IntArrayRef.",
        "Give the value a name first: auto dims = at::IntArrayRef(list); EXEC_NPU_CMD(aclnnX, self, dims, out);",
        "error: cannot bind non-const lvalue reference of type 'std::vector<long int>&' to an rvalue of type "
        "'std::vector<long int>'",
        _RECORDS,
        look="the arguments of the macro in the line of the error",
    ),
    Cause(
        "triton-ub",
        SPECIFIC,
        r"ub overflow, requires (\d+) bits while (\d+) bits available",
        "A Triton kernel needs more UB than the core has: {1} of {2} bits",
        "The tensors of one block do not fit the unified buffer (192 KiB on Atlas A2); with double buffers each counts "
        "twice.",
        "Use a smaller BLOCK_SIZE, or multibuffer=False.",
        "error: ub overflow, requires 3072000 bits while 1572864 bits available!",
        ISSUES + "triton-lang/triton-ascend/issues/302",
        look="the block sizes of the kernel",
    ),
)
