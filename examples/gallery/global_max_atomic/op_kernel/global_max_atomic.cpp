// y = the largest absolute value of x. The framework sets y to 0 before the kernel starts; every tile's maximum goes
// there by an atomic transfer.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void global_max_atomic(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    const uint32_t tile = tilingData.tile;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(in, 2, tile * sizeof(float));
    pipe.InitBuffer(out, 2, 32);
    pipe.InitBuffer(room, tile * sizeof(float));
    GlobalTensor<float> xGlobal, yGlobal;
    xGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), tilingData.total);
    yGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 1);

    const DataCopyExtParams one{1, sizeof(float), 0, 0, 0};
    SetAtomicMax<float>();
    for (uint32_t at = GetBlockIdx() * tile; at < tilingData.total; at += GetBlockNum() * tile) {
        const uint32_t count = tilingData.total - at < tile ? tilingData.total - at : tile;
        LocalTensor<float> values = in.AllocTensor<float>();
        DataCopyPad(values, xGlobal[at], {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                    {false, 0, 0, 0.0f});
        in.EnQue(values);
        values = in.DeQue<float>();
        LocalTensor<float> most = out.AllocTensor<float>();
        Abs(values, values, count);
        ReduceMax(most, values, room.Get<float>(), count);
        in.FreeTensor(values);
        out.EnQue(most);
        most = out.DeQue<float>();
        DataCopyPad(yGlobal, most, one);
        out.FreeTensor(most);
    }
    SetAtomicNone();
}
