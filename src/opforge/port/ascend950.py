"""The table of ascend950: what Ascend C for Atlas A2 and A3 (__NPU_ARCH__ 2201) meets there (3510).

Source: the documentation of mirror-cann/asc-devkit, the pages that each row names.
"""

# ruff: noqa: RUF001 - the names of pages

from __future__ import annotations

import re

from opforge.port.change import Change, Effect

_GUIDE = "guide/跨代迁移兼容性指南/3510架构迁移指导/"
_CHIP = f"{_GUIDE}2201到3510架构变更"
_BASIC = f"{_GUIDE}2201迁移3510指导/基础API迁移指导"
_HIGH = f"{_GUIDE}2201迁移3510指导/高阶API迁移指导"
_BUILD = f"{_GUIDE}2201迁移3510指导/算子编译迁移指导"
_MACROS = "guide/编程指南/语言扩展层/SIMD-BuiltIn关键字"
_API = "api/SIMD-API/基础API/"
_CUBE = f"{_API}矩阵计算（ISASI）/"
_HCCL = "api/SIMD-API/高阶API/HCCL通信类/"

_CODE = (".h", ".hpp", ".cpp", ".cc", ".cxx", ".asc", ".cce")
_CMAKE = ("CMakeLists.txt", ".cmake")
_CHIP_NAMED = re.compile(r"\b3510\b|\bDAV_3510\b|__DAV_C310|\bASCEND950\b|\bASCEND910_95\b|ascend950")


def _call(*names: str) -> str:
    """Calls of functions, with template arguments or without."""
    return rf"\b({'|'.join(names)})\s*(?:<[^;{{}}()]*>)?\s*\("


def _row(  # noqa: PLR0917 - a table
    pattern: str,
    effect: Effect,
    why: str,
    instead: str,
    page: str,
    files: tuple[str, ...] = _CODE,
    but: re.Pattern[str] | None = None,
    *,
    once: bool = False,
) -> Change:
    return Change(re.compile(pattern), files, effect, why, instead, page, but, once)


_B, _C = Effect.BREAKS, Effect.CHECK

CHANGES: tuple[Change, ...] = (
    # What the compiler defines.
    _row(
        r"\b(__DAV_C220_(?:VEC|CUBE)__|__DAV_C220__)",
        _B,
        "this macro is of 2201: on 3510 the code that asks for it is left out without a word",
        "ask ASCEND_IS_AIV or ASCEND_IS_AIC, or add __DAV_VEC__ or __DAV_CUBE__ with __NPU_ARCH__ == 3510",
        _MACROS,
        but=re.compile(r"\b__DAV_(?:VEC|CUBE)__|\b__DAV_C310"),
    ),
    _row(
        r"(__CCE_AICORE__\s*[=!]=\s*220)\b",
        _B,
        "__CCE_AICORE__ is 310 on 3510",
        "ask __NPU_ARCH__, which is documented, and add 3510",
        _MACROS,
        but=re.compile(r"__CCE_AICORE__\s*==\s*310|\b3510\b"),
    ),
    _row(
        r"(__NPU_ARCH__\s*[=!]=\s*2201)\b",
        _C,
        "3510 takes the other branch",
        "add __NPU_ARCH__ == 3510 to the branch that its cores need",
        _MACROS,
        but=re.compile(r"\b3510\b"),
    ),
    _row(
        r"(?<!:)\b(pipe_barrier\s*\(\s*PIPE_V\s*\))",
        _B,
        "the intrinsic does not take PIPE_V on 3510",
        "AscendC::PipeBarrier<PIPE_V>()",
        f"{_API}同步控制/核内同步/PipeBarrier(ISASI)",
    ),
    # The cube cores.
    _row(
        r"\b(LoadData2DParams)\b",
        _B,
        "L0A has the order NZ instead of ZZ, and no way leads from global memory to L0A or L0B",
        "copy to L1, then LoadData with LoadData2DParamsV2; the Matmul object needs no change",
        _BASIC,
    ),
    _row(
        r"\b(LoadData3DParamsV2(?:Pro)?)\b",
        _C,
        "L0A has the order NZ instead of ZZ, which matters where a part of L0A is loaded or read",
        "compute the offsets in L0A anew; SetLoadDataRepeatWithStride gives the distance of fractals",
        _BASIC,
        but=re.compile(r"\bSetLoadDataRepeatWithStride\b"),
    ),
    _row(
        _call("LoadDataWithTranspose"),
        _C,
        "L1 to L0A is not transposed any more, and L0A has the order NZ",
        "transpose the right matrix only, or the left one in global memory",
        f"{_CUBE}矩阵计算的搬入/LoadDataWithTranspose",
    ),
    _row(
        _call("LoadDataWithSparse", "MmadWithSparse", "SetSparseIndex"),
        _B,
        "the cube cores have no 4:2 sparse products",
        "multiply the dense matrices with Mmad",
        f"{_CUBE}Mmad计算/MmadWithSparse",
    ),
    _row(
        _call("SetLoadDataBoundary"),
        _B,
        "L1 has no boundary register",
        "remove a call with 0; otherwise split LoadData where it wraps around",
        f"{_CUBE}矩阵搬入辅助配置接口/SetLoadDataBoundary",
    ),
    _row(
        r"\b(InitConstValueParams)\b|\b(InitConstValue)\s*(?:<[^;{}()]*>)?\s*\(",
        _C,
        "L0A and L0B cannot be filled",
        "fill L1, then LoadData",
        f"{_CUBE}矩阵搬入辅助配置接口/Fill",
    ),
    _row(
        r"\b(?:MatmulType|Mmad|LoadData|LoadDataWithTranspose)\s*<[^;{}]*\b(int4b_t)\b",
        _B,
        "the cube cores have no products of int4b_t",
        "cast to int8_t on a vector core first",
        _BASIC,
    ),
    _row(
        r"\b(DataCopy)\s*\(\s*\w*(?:[gG]m|[gG]lobal|GM)\w*(?:\[[^\]]*\])?\s*,\s*(?:[aAbBlL]1)(?:Local|Tensor|Buffer|_)?\b",
        _C,
        "no way leads from L1 to global memory",
        "through the unified buffer, or multiply by the unit matrix and use Fixpipe",
        f"{_CUBE}矩阵计算的搬出/DataCopy（L1ToGM连续数据搬运）",
    ),
    # The vector cores.
    _row(
        _call("GetReduceRepeatMaxMinSpr", "GetReduceMaxMinCount"),
        _B,
        "the registers with the last extreme value are gone",
        "ReduceMax or ReduceMin with calIndex, which writes both into a tensor",
        f"{_API}Memory矢量计算/归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)",
    ),
    _row(
        _call("SetSaturationFlag", "GetSaturationFlag"),
        _B,
        "these functions are not there",
        "SetCtrlSpr, whose page lists the bits of 3510",
        f"{_API}特殊寄存器访问/SetSaturationFlag(ISASI)",
    ),
    _row(
        _call("CheckLocalMemoryIA"),
        _B,
        "the registers that watch addresses are gone",
        "remove the call; it only helps debugging",
        f"{_API}调试接口/异常检测/CheckLocalMemoryIA(ISASI)",
    ),
    _row(
        _call("MrgSort4", "RpSort16", "ProposalConcat", "ProposalExtract"),
        _B,
        "3510 has no region proposals",
        "Sort32, MrgSort and Extract",
        f"{_API}Memory矢量计算/排序组合（ISASI）/RpSort16",
    ),
    _row(
        _call("VectorPadding"),
        _B,
        "3510 does not have it",
        "Duplicate or Brcb with a mask",
        f"{_API}Memory矢量计算/数据填充/VectorPadding(ISASI)",
    ),
    _row(
        r"\b(ListTensorDesc|TensorDesc\s*<)",
        _C,
        "the page says of 3510: not supported, though the public headers declare it there",
        "compile and try it, or pass the tensors one by one",
        f"{_API}辅助数据结构/ListTensorDesc",
        once=True,
    ),
    _row(
        _call("Exp", "Ln", "Reciprocal", "Sqrt", "Rsqrt", "Div"),
        _C,
        "subnormal numbers count as 0 unless the function's configuration asks for them",
        "if results near 0 matter, give the algorithm PRECISION_1ULP_FTZ_FALSE as template argument",
        _BASIC,
        but=re.compile(r"FTZ_FALSE"),
        once=True,
    ),
    # Functions above them.
    _row(
        r"\b(Conv3D(?:Backprop(?:Filter|Input))?)\s*<",
        _B,
        "3510 has no convolutions among the high-level functions",
        "there is no replacement yet; write the loops with Mmad",
        _HIGH,
    ),
    _row(
        _call(
            *("GetHcclContext", "SetHcclContext", "GetWindowsInAddr", "GetWindowsOutAddr", "BatchWrite"),
            *("InterHcclGroupSync", "QueueBarrier", "GetQueueNum"),
        ),
        _B,
        "Hccl does not have it on 3510 yet",
        "use AllReduce, AllGather, ReduceScatter or AlltoAll of the Hccl object",
        f"{_HCCL}HCCL-Kernel侧接口/GetWindowsInAddr",
    ),
    # Hosts and builds.
    _row(
        r"\bSocVersion::(ASCEND910_95)\b",
        _C,
        "CANN 9.0 calls the chip ASCEND950; CANN 8.5 has only this name",
        "SocVersion::ASCEND950 from CANN 9.0 on",
        "api/Utils-API/平台信息获取/PlatformAscendC/GetSocVersion",
    ),
    _row(
        r"[=!]=\s*(?:\w+::)*(SocVersion::ASCEND910B|NpuArch::DAV_2201)\b",
        _C,
        "ascend950 takes the other branch",
        "decide what ascend950 needs, and ask for it too",
        _CHIP,
        but=_CHIP_NAMED,
    ),
    _row(
        r"\bAddConfig\s*\(\s*\"(ascend910b|ascend910_93)\"",
        _B,
        "the definition has no ascend950, so its package has no kernel for it",
        'add AddConfig("ascend950"); in a project of opforge, add ascend950 to `soc` in opforge.yaml',
        _BUILD,
        but=re.compile(r"\"ascend(?:950|910_95)\""),
        once=True,
    ),
    _row(
        r"(--npu-arch=dav-2201)\b",
        _B,
        "the kernels are compiled for 2201 alone",
        "--npu-arch=dav-3510",
        _BUILD,
        _CMAKE,
        but=re.compile(r"dav-3510"),
    ),
    _row(
        r"(ASCEND_COMPUTE_UNIT\b[^\n]*?ascend910b?(?:_93)?|\"value\":\s*\"ascend910b\")",
        _B,
        "the project is not built for ascend950",
        "add ascend950 to ASCEND_COMPUTE_UNIT",
        _BUILD,
        (*_CMAKE, "CMakePresets.json"),
        but=re.compile(r"ascend950"),
        once=True,
    ),
)
