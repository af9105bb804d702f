#include "weighted_sum_kernel.h"

extern "C" __global__ __aicore__ void weighted_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(WeightedSumTilingData);
    GET_TILING_DATA(tilingData, tiling);
    WeightedSumKernel kernel;
    kernel.Init(x, y, z, tilingData);
    kernel.Process();
}
