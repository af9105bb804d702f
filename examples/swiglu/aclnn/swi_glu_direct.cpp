// The kernel of SwiGLU for direct launches: the body of op_kernel/ behind an entry of its own,
// for float16.
#include "../op_kernel/swi_glu_kernel.h"
#include "opforge/swi_glu_direct.h"

extern "C" __global__ __aicore__ void swi_glu_direct(GM_ADDR x, GM_ADDR w_gate, GM_ADDR w_up, GM_ADDR y,
                                                     GM_ADDR userWorkspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    SwiGLULaunch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    SwiGLUTilingData& tilingData = launchData.tiling;
    AscendC::TPipe pipe;
    SwiGLUKernel<half, half, half, half> op;
    if (launchData.tilingKey == 0) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Init(x, w_gate, w_up, y, userWorkspace, tilingData, pipe);
        op.Process();
    } else {
        if ASCEND_IS_AIV {
            op.Init(x, w_gate, w_up, y, userWorkspace, tilingData, pipe);
            op.ProcessWithoutProducts();
        }
    }
}
