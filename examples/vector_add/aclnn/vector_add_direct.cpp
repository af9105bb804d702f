// The kernel of VectorAdd for direct launches: the body of op_kernel/ behind an entry of its own,
// for float16.
#include "../op_kernel/vector_add_kernel.h"
#include "opforge/vector_add_direct.h"

extern "C" __global__ __aicore__ void vector_add_direct(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                        GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    VectorAddLaunch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    VectorAddTilingData& tilingData = launchData.tiling;
    AscendC::TPipe pipe;
    VectorAddKernel<half, half, half> op;
    op.Init(x, y, z, tilingData, pipe);
    if (launchData.tilingKey == 0) {
        op.ProcessFlat();
    } else {
        op.ProcessBroadcast();
    }
}
