#include "swi_glu_grad_kernel.h"

extern "C" __global__ __aicore__ void swi_glu_grad(GM_ADDR grad_y, GM_ADDR gate, GM_ADDR up, GM_ADDR grad_gate,
                                                   GM_ADDR grad_up, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(SwiGLUGradTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    SwiGLUGradKernel<DTYPE_GRAD_Y, DTYPE_GATE, DTYPE_UP, DTYPE_GRAD_GATE, DTYPE_GRAD_UP> op;
    op.Init(grad_y, gate, up, grad_gate, grad_up, tilingData, pipe);
    if (TILING_KEY_IS(0)) {
        op.ProcessFlat();
    } else if (TILING_KEY_IS(1)) {
        op.ProcessBroadcast();
    }
}
