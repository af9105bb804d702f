// y[0] = the first word of the tiling + the first word of the user's workspace, and there the block counts itself.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void shift(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto* own = reinterpret_cast<__gm__ int64_t*>(workspace);
    own[0] = reinterpret_cast<uint8_t*>(own) - GetSysWorkSpacePtr();
    reinterpret_cast<__gm__ int64_t*>(y)[0] = reinterpret_cast<__gm__ const int64_t*>(tiling)[0] + own[0];
}
