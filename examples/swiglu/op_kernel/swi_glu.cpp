#include "swi_glu_kernel.h"

extern "C" __global__ __aicore__ void swi_glu(GM_ADDR x, GM_ADDR w_gate, GM_ADDR w_up, GM_ADDR y, GM_ADDR workspace,
                                              GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(SwiGLUTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    SwiGLUKernel<DTYPE_X, DTYPE_W_GATE, DTYPE_W_UP, DTYPE_Y> op;
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    if (TILING_KEY_IS(0)) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Init(x, w_gate, w_up, y, userWorkspace, tilingData, pipe);
        op.Process();
    } else if (TILING_KEY_IS(1)) {
        if ASCEND_IS_AIV {
            op.Init(x, w_gate, w_up, y, userWorkspace, tilingData, pipe);
            op.ProcessWithoutProducts();
        }
    }
}
