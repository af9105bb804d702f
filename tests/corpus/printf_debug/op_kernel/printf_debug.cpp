// y = x + 1, by a kernel that its author still looks at: what it prints, dumps and asserts changes no result.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void printf_debug(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    ASCENDC_ASSERT(tilingData.tile % 8 == 0, { KERNEL_LOG(KERNEL_ERROR, "tile is %u", tilingData.tile); });
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, tilingData.tile * sizeof(float));
    pipe.InitBuffer(out, 2, tilingData.tile * sizeof(float));
    GlobalTensor<float> xGlobal, yGlobal;
    xGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), tilingData.total);
    yGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tilingData.total);
    if (GetBlockIdx() == 0) {
        AscendC::printf("%s: %u elements, tiles of %u\n", "printf_debug", tilingData.total, tilingData.tile);
    }
    for (uint32_t at = GetBlockIdx() * tilingData.tile; at < tilingData.total; at += GetBlockNum() * tilingData.tile) {
        const uint32_t count = tilingData.total - at < tilingData.tile ? tilingData.total - at : tilingData.tile;
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> values = in.AllocTensor<float>();
        DataCopyPad(values, xGlobal[at], copy, {false, 0, 0, 0.0f});
        in.EnQue(values);
        values = in.DeQue<float>();
        if (at == 0 && count >= 8) {
            DumpTensor(values, __LINE__, 8);
        }
        PRINTF("block %d: x[%u] is %f\n", static_cast<int32_t>(GetBlockIdx()), at, values.GetValue(0));
        LocalTensor<float> more = out.AllocTensor<float>();
        Adds(more, values, 1.0f, count);
        in.FreeTensor(values);
        out.EnQue(more);
        more = out.DeQue<float>();
        DataCopyPad(yGlobal[at], more, copy);
        out.FreeTensor(more);
    }
}
