"""What the headers of the functions above the instructions refuse at compile time, with the whole text."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import CompileError, compile_kernel

pytestmark = pytest.mark.compiler

LISTED = "the data type is not one of the page's for this product (高阶API/"

# fmt: off
REFUSED = [
    ("Tanh(i, i, u, 64);", f"Tanh: {LISTED}数学计算/Tanh接口/Tanh)"),
    ("Silu(i, i, 64);", f"Silu: {LISTED}激活函数/Silu接口/Silu)"),
    ("Power(u, u, u, u, 64);", f"Power: {LISTED}数学计算/Power接口/Power)"),
    ("Axpy(h, f, 1.0f, u, 64);", "Axpy: the data types are not half to half, float to float or half to float"
     " (高阶API/数学计算/Axpy接口/Axpy-80)"),
    ("SoftMax<int32_t>(i, i, SoftMaxTiling());", f"SoftMax: {LISTED}激活函数/SoftMax接口/SoftMax)"),
    ("SoftMax<float, false, false, true>(f, f, f, f, SoftMaxTiling());",
     "SoftMax: tensors in the NZ format are not simulated (高阶API/激活函数/SoftMax接口)"),
    ("SoftmaxFlashV2<float>(f, f, f, f, f, f, f, f, SoftMaxTiling());",
     "SoftmaxFlashV2: the form with outReduceMax is for Atlas A2 and A3, and computes only with"
     " SOFTMAX_OUTPUT_WITHOUT_BRC (高阶API/激活函数/SoftMax接口/SoftmaxFlashV2)"),
    ("uint32_t s[2]; ReduceSum<float, Reduction>(f, f, s, true);",
     "Reduce: the pattern is not AR or RA (高阶API/归约操作)"),
    ("Broadcast<half, 3, 1>(h, h, nullptr, nullptr);",
     "Broadcast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)"),
    ("BroadCast<half, 3, 1>(h, h, nullptr, nullptr);",
     "BroadCast: dim is 1 or 2, and axis one of them (高阶API/张量变换/Broadcast)"),
    ("Select(f, f, 1.0f, f, u, SelectWithBytesMaskShapeInfo());",
     "Select: the mask is not of bool or an integer type of up to 32 bits (高阶API/数据过滤/Select-95)"),
    ("SelectWithBytesMask(f, f, 1.0f, f, u, SelectWithBytesMaskShapeInfo());",
     "SelectWithBytesMask: the mask is not of bool or an integer type of up to 32 bits (高阶API/数据过滤/Select-95)"),
    ("AscendDequant(i, i, f);",
     "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)"),
    ("AscendAntiQuant<int8_t, float, false>(f, c, 1.0f, u, 32);",
     "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated"
     " (高阶API/量化操作/AscendAntiQuant)"),
    ("RmsNorm(i, i, i, 1, RmsNormTiling());", f"RmsNorm: {LISTED}归一化操作/RmsNorm)"),
    ("LayerNormTiling t; LayerNorm(i, i, i, i, i, i, 1, t);", f"LayerNorm: {LISTED}归一化操作/LayerNorm)"),
    ("LayerNormTiling t; LayerNorm<half, true>(h, h, h, h, h, h, half(1), t);",
     "LayerNorm: isReuseSource is for float (高阶API/归一化操作/LayerNorm)"),
    ("LayerNorm<half, float>(f, f, f, f, h, h, 1.0f, LayerNormPara(), LayerNormSeparateTiling());",
     "LayerNorm: inputX is not half or float, or gamma and beta are less precise (高阶API/归一化操作/LayerNorm)"),
    ("LayerNorm<float, float, false, variance>(f, f, f, f, f, f, 1.0f, LayerNormPara(), LayerNormSeparateTiling());",
     "LayerNorm: config.isOnlyOutput is not false, or config.isOutputRstd not true (高阶API/归一化操作/LayerNorm)"),
    ("Normalize<half, float>(f, f, f, f, f, h, h, 1.0f, NormalizePara());",
     "Normalize: inputX is not half or float, or gamma and beta are less precise (高阶API/归一化操作/Normalize)"),
    ("Normalize<float, float, false, columns>(f, f, f, f, f, f, f, 1.0f, NormalizePara());",
     "Normalize: config.reducePattern is not AR, or config.isOnlyOutput not false (高阶API/归一化操作/Normalize)"),
    ("WelfordUpdate<int32_t, float>(f, f, f, f, i, WelfordUpdateParam());",
     "WelfordUpdate: inputX is not half or float, or means and variances are not float"
     " (高阶API/归一化操作/WelfordUpdate)"),
    ("LayerNormGradTiling t; LayerNormGrad(i, i, i, i, i, i, i, 1, t);",
     f"LayerNormGrad: {LISTED}归一化操作/LayerNormGrad)"),
    ("LayerNormGradTiling t; LayerNormGrad<half, true>(h, h, h, h, h, h, h, half(1), t);",
     "LayerNormGrad: isReuseSource is for float (高阶API/归一化操作/LayerNormGrad)"),
    ("LayerNormGradBetaTiling t; LayerNormGradBeta(i, i, i, i, t);",
     f"LayerNormGradBeta: {LISTED}归一化操作/LayerNormGradBeta)"),
    ("LayerNormGradBetaTiling t; LayerNormGradBeta<half, true>(h, h, h, h, t);",
     "LayerNormGradBeta: isReuseSource is for float (高阶API/归一化操作/LayerNormGradBeta)"),
    ("DeepNormTiling t; DeepNorm(i, i, i, i, i, i, i, 1, 1, t);", f"DeepNorm: {LISTED}归一化操作/DeepNorm)"),
    ("DeepNormTiling t; DeepNorm<half, true>(h, h, h, h, h, h, h, half(1), half(1), t);",
     "DeepNorm: isReuseSrc is for float (高阶API/归一化操作/DeepNorm)"),
    ("GroupNormTiling t; GroupNorm(i, i, i, i, i, i, 1, t);", f"GroupNorm: {LISTED}归一化操作/GroupNorm)"),
    ("GroupNormTiling t; GroupNorm<half, true>(h, h, h, h, h, h, half(1), t);",
     "GroupNorm: isReuseSource is for float (高阶API/归一化操作/GroupNorm)"),
    ("BatchNormTiling t; BatchNorm(i, i, i, i, i, i, 1, t);", f"BatchNorm: {LISTED}归一化操作/BatchNorm)"),
    ("BatchNormTiling t; BatchNorm<float, true>(f, f, f, f, f, f, 1.0f, t);",
     "BatchNorm: isReuseSource is reserved: false (高阶API/归一化操作/BatchNorm)"),
    ("PadTiling t; PadParams p; Pad(c, c, p, t);", f"Pad: {LISTED}张量变换/Pad)"),
    ("UnPadTiling t; UnPadParams p; UnPad(c, c, p, t);", f"UnPad: {LISTED}张量变换/UnPad)"),
    ("DropOut(i, i, u, 0.5f, DropOutShapeInfo());", f"DropOut: {LISTED}数据过滤/DropOut)"),
    ("DropOut<float, false, 5>(f, f, u, 0.5f, DropOutShapeInfo());",
     "DropOut: dropOutMode is 0 to 4 (高阶API/数据过滤/DropOut)"),
    ("TransDataParams<L5, L6> p; TransData<planes>(f, f, p);", f"TransData: {LISTED}张量变换/TransData)"),
    ("TransDataParams<L5, L5> p; TransData<unknown>(h, h, p);",
     "TransData: config is not between NCDHW and NDC1HWC0 or FRACTAL_Z_3D (高阶API/张量变换/TransData)"),
    ("TransDataParams<L5, L5> p; TransData<planes>(h, h, p);",
     "TransData: the layouts have not the dims of config's formats (高阶API/张量变换/TransData)"),
    ("SoftmaxFlashV3<float, float>(f, f, f, f, f, f, f, f, f, SoftMaxTiling(), SoftMaxParams());",
     f"SoftmaxFlashV3: {LISTED}激活函数/SoftMax接口/SoftmaxFlashV3)"),
    ("SoftmaxFlashV3<half, half>(h, h, h, h, h, h, h, h, h, SoftMaxTiling(), SoftMaxParams());",
     "SoftmaxFlashV3: means, sums and maxima are not float (高阶API/激活函数/SoftMax接口/SoftmaxFlashV3)"),
    ("SoftmaxFlashV3<half, float, true, true>(h, f, f, f, h, h, f, f, f, SoftMaxTiling(), SoftMaxParams());",
     "SoftmaxFlashV3: isReuseSource, isBasicBlock and isDataFormatNZ are reserved: false"
     " (高阶API/激活函数/SoftMax接口/SoftmaxFlashV3)"),
    ("AdjustSoftMaxRes(i, f, 0, 1, {});",
     "AdjustSoftMaxRes: the data types are not half or float (高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes)"),
    ("AdjustSoftMaxRes<float, float, false, 1>(f, f, 0, 1.0f, {});",
     "AdjustSoftMaxRes: stepSizeMode is not simulated (高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes)"),
]
# fmt: on

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
LocalTensor<float> f; LocalTensor<half> h; LocalTensor<int32_t> i; LocalTensor<uint8_t> u;
LocalTensor<int8_t> c; struct Reduction {};
constexpr LayerNormConfig variance{false, false, false, false};
constexpr NormalizeConfig columns{ReducePattern::RA, -1, false, false, false};
constexpr WelfordFinalizeConfig corrected{true};
constexpr TransDataConfig planes{DataFormat::NCDHW, DataFormat::NDC1HWC0}, unknown{DataFormat::ND, DataFormat::NCDHW};
using L5 = Layout<Shape<int, int, int, int, int>, Stride<>>;
using L6 = Layout<Shape<int, int, int, int, int, int>, Stride<>>;
extern "C" __global__ __aicore__ void refused(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
"""


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the compiler says of all statements, a line each."""
    body = "".join(f"    {{ {statement} }}\n" for statement, _ in REFUSED)
    folder = tmp_path_factory.mktemp("adv_refused")
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, KERNEL + body + "}\n", "refused", {"x": "float32"}, {"z": "float32"}, folder)
    return str(refused.value)


@pytest.mark.parametrize(("statement", "message"), REFUSED)
def test_refused(said: str, statement: str, message: str) -> None:
    assert f"error: static assertion failed: {message}\n" in said, (statement, said[:3000])


def test_refused_on_the_inference_products(root: Path, tmp_path: Path) -> None:
    body = "    WelfordUpdate<float, float, true>(f, f, f, f, f, WelfordUpdateParam());\n"
    body += "    GroupNormTiling t; GroupNorm(f, f, f, f, f, f, 1.0f, t);\n}\n"
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, KERNEL + body, "refused", {"x": "float32"}, {"z": "float32"}, tmp_path,
                       options=("-U__NPU_ARCH__", "-D__NPU_ARCH__=2002"))  # fmt: skip
    for message in (
        "WelfordUpdate: isReuseSource is false on this product (高阶API/归一化操作/WelfordUpdate)",
        f"GroupNorm: {LISTED}归一化操作/GroupNorm)",
    ):
        assert f"error: static assertion failed: {message}\n" in str(refused.value)
