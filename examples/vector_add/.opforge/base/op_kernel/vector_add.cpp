#include "vector_add_kernel.h"

extern "C" __global__ __aicore__ void vector_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(VectorAddTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    VectorAddKernel<DTYPE_X, DTYPE_Y, DTYPE_Z> op;
    op.Init(x, y, z, tilingData, pipe);
    if (TILING_KEY_IS(0)) {
        op.ProcessFlat();
    } else if (TILING_KEY_IS(1)) {
        op.ProcessBroadcast();
    }
}
