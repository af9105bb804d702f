"""What the vector unit of ascend310p does differently: orders, sums by rounds, casts, and functions it lacks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

COUNT = 64 * 70
V = "基础API/Memory矢量计算/"
CASES = {
    "sum": "ReduceSum(z, x, t, COUNT);",
    "sum without room": "ReduceSum(z, x, t[COUNT - 8], COUNT);",
    "only the index": "WholeReduceMax(z, x, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);",
    "value and index": "WholeReduceMax(z, x, 64, 1, 1, 1, 8);",
    "blocks": "BlockReduceMax(z, x, 8, 64, 1, 1, 8);",
    "rounded": "Cast(z.ReinterpretCast<half>(), x, RoundMode::CAST_RINT, 64);",
    "odd": "Cast(z.ReinterpretCast<half>(), x, RoundMode::CAST_ODD, 64);",
    "least": "float v; ReduceMin(z, x, t, COUNT); GetReduceRepeatMaxMinSpr(v); z.SetValue(1, v);",
}
KERNEL = f"""#include "kernel_operator.h"
using namespace AscendC;
constexpr int32_t COUNT = {COUNT};
extern "C" __global__ __aicore__ void on_310p(GM_ADDR xGm, GM_ADDR zGm, GM_ADDR workspace, GM_ADDR tiling) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, c;
    pipe.InitBuffer(a, COUNT * 4);
    pipe.InitBuffer(b, COUNT * 4);
    pipe.InitBuffer(c, COUNT * 4);
    LocalTensor<float> x = a.Get<float>(), z = b.Get<float>(), t = c.Get<float>();
    GlobalTensor<float> xGlobal, zGlobal;
    xGlobal.SetGlobalBuffer((__gm__ float*)xGm, COUNT);
    zGlobal.SetGlobalBuffer((__gm__ float*)zGm, 64);
    DataCopy(x, xGlobal, COUNT);
    PipeBarrier<PIPE_ALL>();
    Duplicate(z, 0.0f, COUNT);
""" + "".join(f"    if (TILING_KEY_IS({i})) {{ {case} }}\n" for i, case in enumerate(CASES.values())) + """
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGlobal, z, 64);
}
"""  # fmt: skip


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("on_310p")
    tensors = ({"x": "float32"}, {"z": "float32"})
    return compile_kernel(root, KERNEL, "on_310p", *tensors, folder, soc_version="Ascend310P3")


def launch(kernel: Kernel, case: str) -> tuple[np.ndarray, np.ndarray]:
    x, z = aligned(COUNT, np.float32), aligned(64, np.float32)
    x[:] = np.random.default_rng(1).standard_normal(COUNT)
    run(kernel, [x], [z], tiling_key=list(CASES).index(case), short_name="ascend310p")
    return x, z


def halves(values: np.ndarray) -> np.ndarray:
    """Neighbours are added until one is left of each line of 64."""
    while values.shape[1] > 1:
        values = values[:, 0::2] + values[:, 1::2]
    return values[:, 0]


def test_a_sum_goes_by_rounds(kernel: Kernel) -> None:
    x, z = launch(kernel, "sum")
    partial = halves(x.reshape(-1, 64))
    rounds = halves(np.pad(partial, (0, 58)).reshape(2, 64))
    assert z[0] == rounds[0] + rounds[1]


def test_values_and_indices(kernel: Kernel) -> None:
    x, z = launch(kernel, "value and index")
    assert (z[0], z[1:2].view(np.uint32)[0]) == (x[:64].max(), x[:64].argmax())
    x, z = launch(kernel, "blocks")
    assert (z[:8] == x[:64].reshape(8, 8).max(axis=1)).all()
    x, z = launch(kernel, "least")
    assert z[0] == z[1] == x.min()


WRONG = {
    "sum without room": "ReduceSum: 288 bytes are needed, sharedTmpBuffer has 32\n  rule: sharedTmpBuffer has room for"
                        f" the results of each round [{V}归约计算/ReduceMax]",
    "only the index": "WholeReduceMax: the order is ORDER_ONLY_INDEX\n  rule: ascend310p gives value and index together"
                      f" [{V}归约计算/ReduceRepeat]",
    "rounded": "Cast: float to half does not take RoundMode::CAST_RINT\n  rule: each pair of data types takes the"
               f" rounding modes of its row [{V}类型转换/Cast]",
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.report.split(".cpp:")[1].split(": ", 1)[1] == WRONG[case]


ABSENT = [
    ("ShiftLeft(i, i, 1, 64);", "ShiftLeft: not there on ascend310p (逻辑计算/ShiftLeft)"),
    ("ShiftRight(i, i, 1, 64, 1, {1, 1, 8, 8}, true);", "ShiftRight: not there on ascend310p (逻辑计算/ShiftRight)"),
    ("Copy(f, f, 64, 1, {1, 1, 8, 8});", "Copy: not there on ascend310p (数据搬运/Copy（UBToUB掩码式高维数据搬运）)"),  # noqa: RUF001
    ("Cast(f, b, RoundMode::CAST_NONE, 64);",
     "Cast: this pair of data types is not in the table of 类型转换/Cast for this SoC"),
    ("(void)GetReduceRepeatSumSpr<float>();",
     "GetReduceRepeatSumSpr: not there on ascend310p (归约计算辅助配置接口/GetReduceRepeatSumSpr(ISASI))"),
    ("GetReduceRepeatMaxMinSpr(v, v);",
     "GetReduceRepeatMaxMinSpr: without an index on ascend310p"
     " (归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI))"),
    ("DataCopyPad(f, g, DataCopyExtParams(), DataCopyPadExtParams<float>());",
     "DataCopyPad: not on the inference products with an M200 core (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)"),  # noqa: RUF001
    ("DataCopyPad(f, g, DataCopyParams(), DataCopyPadParams());",
     "DataCopyPad: not on the inference products with an M200 core (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)"),  # noqa: RUF001
    ("DataCopyPad(g, f, DataCopyExtParams());",
     "DataCopyPad: not on the inference products with an M200 core (数据搬运/DataCopyPad（UBToGM非对齐数据搬运）)"),  # noqa: RUF001
    ("Compare(u, i, i, CMPMODE::EQ, 64);",
     "Compare: the data type is not one of half, float, int32_t (比较与选择/Compare)"),
]  # fmt: skip


def test_what_is_not_there(root: Path, tmp_path: Path) -> None:
    body = "".join(f"    {{ {statement} }}\n" for statement, _ in ABSENT)
    source = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\nLocalTensor<float> f; LocalTensor<int32_t> i;'
        " LocalTensor<bfloat16_t> b; LocalTensor<uint8_t> u; GlobalTensor<float> g; float v;\n"
        'extern "C" __global__ __aicore__ void absent(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR t) {\n' + body + "}\n"
    )
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, source, "absent", {"x": "float32"}, {"z": "float32"}, tmp_path, soc_version="Ascend310P3")
    said = re.findall(r"static assertion failed: (.*)", str(refused.value))
    assert {message for _, message in ABSENT} <= set(said)
