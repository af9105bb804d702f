// The kernel of SwiGLU for direct launches: the body of op_kernel/ behind an entry of its own,
// for float16.
#include "../op_kernel/swi_glu_kernel.h"
#include "swi_glu_direct.h"

extern "C" __global__ __aicore__ void swi_glu_direct(GM_ADDR x, GM_ADDR w_gate, GM_ADDR w_up, GM_ADDR y,
                                                     GM_ADDR userWorkspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    SwiGLULaunch theLaunch;
    const auto* theWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(theLaunch) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&theLaunch)[i] = theWords[i];
    }
    SwiGLUTilingData& tilingData = theLaunch.tiling;
    AscendC::TPipe tPipe;
    SwiGLUKernel<half, half, half, half> theOp;
    if (theLaunch.tilingKey == 0) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&tPipe, GetSysWorkSpacePtr(), theOp.matmulObj, &tilingData.cubeTiling);
        theOp.Init(x, w_gate, w_up, y, userWorkspace, tilingData, tPipe);
        theOp.Process();
    } else {
        if ASCEND_IS_AIV {
            theOp.Init(x, w_gate, w_up, y, userWorkspace, tilingData, tPipe);
            theOp.ProcessWithoutProducts();
        }
    }
}
