"""What the cube core's headers and instructions refuse: functions that are not simulated, and wrong kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import CompileError, compile_kernel

KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void refused(GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<half> h;
    LocalTensor<float> f;
    LocalTensor<int16_t> s;
    LocalTensor<int32_t> i;
    LocalTensor<int8_t> b;
    LocalTensor<double> d;
    LocalTensor<int4b_t> q;
    GlobalTensor<double> gd;
    GlobalTensor<int4b_t> gq;
    GlobalTensor<float> gf;
    %s
}
"""
PAIR = "these data types are not multiplied"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
REFUSED = [
    ("MmadWithSparse(i, b, b, MmadParams());", "MmadWithSparse is not simulated (Mmad计算/MmadWithSparse)"),
    ("MmadMx(f, h, h, MmadParams());", "MmadMx is not simulated (Mmad计算/MmadMx)"),
    ("LoadDataWithSparse(b, b, b, LoadData2DParams());", "LoadDataWithSparse is not simulated (矩阵计算的搬入/LoadDataWithSparse)"),
    ("LoadDataWithStride(h, h);", "LoadDataWithStride is not simulated (矩阵计算的搬入/LoadDataWithStride)"),
    ("LoadDataUnzip(b, b);", "LoadDataUnzip is not simulated (矩阵搬入辅助配置接口/LoadDataUnzip)"),
    ("LoadUnzipIndex(b, 1);", "LoadUnzipIndex is not simulated (矩阵搬入辅助配置接口/LoadUnzipIndex)"),
    ("LoadImageToLocal(b, 1);", "LoadImageToLocal is not simulated (矩阵搬入辅助配置接口/LoadImageToLocal)"),
    ("SetAippFunctions(b);", "SetAippFunctions is not simulated (矩阵搬入辅助配置接口/SetAippFunctions)"),
    ("SetLoadDataRepeatWithStride(1);", "SetLoadDataRepeatWithStride is not simulated (矩阵搬入辅助配置接口/SetLoadDataRepeatWithStride)"),
    ("SetFixPipeClipRelu(1);", "SetFixPipeClipRelu is not simulated (矩阵搬出辅助配置接口/SetFixPipeClipRelu)"),
    ("SetFixPipeAddr(h, 1);", "SetFixPipeAddr is not simulated (矩阵搬出辅助配置接口/SetFixPipeAddr)"),
    ("LoadData(d, d, LoadData2DParams());", "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_2D)"),
    ("LoadData(q, gq, LoadData2DParams());", "LoadData: this data type is not loaded from global memory (矩阵计算的搬入/LoadData_2D)"),
    ("LoadData(d, gd, LoadData2DParams());", "LoadData: this data type is not loaded from global memory (矩阵计算的搬入/LoadData_2D)"),
    ("LoadData(h, h, LoadData3DParamsV2<float>());", "LoadData: padValue has the tensor's type (矩阵计算的搬入/LoadData_3D)"),
    ("LoadData(s, s, LoadData3DParamsV2<int16_t>());", "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_3D)"),
    ("LoadData(s, s, LoadData3DParamsV2Pro());", "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_3D)"),
    ("LoadDataWithTranspose(s, s, LoadData2dTransposeParams());", "LoadDataWithTranspose: this data type is not loaded (矩阵计算的搬入/LoadDataWithTranspose)"),
    ("Fill(h, InitConstValueParams<float>());", "Fill: the value has the tensor's type (矩阵搬入辅助配置接口/Fill)"),
    ("Fill(b, InitConstValueParams<int8_t>());", "Fill: this data type is not filled with (矩阵搬入辅助配置接口/Fill)"),
    ("Mmad(h, h, h, MmadParams());", f"Mmad: {PAIR} (Mmad计算/Mmad, 表7)"),
    ("Mmad(f, h, h, h, MmadParams());", f"Mmad: {PAIR} and added (Mmad计算/Mmad, 表8)"),
    ("Fixpipe(gd, f, FixpipeParamsV220());", "Fixpipe: L0C does not become this type (矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）)"),
    ("Fixpipe(gd, f, h, FixpipeParamsV220());", "Fixpipe: L0C does not become this type (矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）)"),
    ("Fixpipe(gf, f, h, FixpipeParamsV220());", "Fixpipe: scales are uint64_t (Fixpipe（L0C到GM数据搬运）)"),
    ("Fixpipe(f, f, FixpipeParamsV220());", "Fixpipe: into L1 go half, bfloat16_t, int8_t and uint8_t as fractals (Fixpipe（L0C到L1数据搬运）)"),
    ("Fixpipe(f, f, h, FixpipeParamsV220());", "Fixpipe: into L1 go half, bfloat16_t, int8_t and uint8_t as fractals (Fixpipe（L0C到L1数据搬运）)"),
    ("Fixpipe(h, f, h, FixpipeParamsV220());", "Fixpipe: scales are uint64_t (Fixpipe（L0C到L1数据搬运）)"),
    ("SetFixPipeConfig(h, h);", "SetFixPipeConfig: scales are uint64_t (SetFixPipeConfig)"),
    ("SetFixPipeConfig<half, true>(h);", "SetFixPipeConfig: setRelu is false, other values are reserved (SetFixPipeConfig)"),
    ("DataCopy(gd, f, DataCopyCO12DstParams());", "DataCopy: L0C does not become this type (DataCopy（L0C到GM数据搬运）)"),
    ("DataCopy(f, f, DataCopyCO12DstParams());", "DataCopy: L0C does not become this type in L1 (DataCopy（L0C到L1数据搬运）)"),
    ("DataCopy(d, f, DataCopyParams());", "DataCopy: half becomes float on its way into C2, nothing else is converted (DataCopy（L1ToBiasTable-Buffer数据搬运）)"),
    ("DataCopy(d, gd, Nd2NzParams());", "DataCopy: this data type cannot be copied (DataCopy（GMToL1随路转换-ND2NZ搬运）)"),
]
# fmt: on


@pytest.mark.compiler
def test_what_is_not_there(root: Path, tmp_path: Path) -> None:
    statements = "\n    ".join(statement for statement, _ in REFUSED)
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, KERNEL % statements, "refused", {}, {"z": "float32"}, tmp_path)
    said = re.findall(r"static assertion failed: (.*)", str(refused.value))
    assert {message for _, message in REFUSED} <= set(said)
