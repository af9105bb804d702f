#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}(GM_ADDR {{ x }}, GM_ADDR {{ y }}, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel kernel;
    kernel.Init({{ x }}, {{ y }}, tilingData, pipe);
    kernel.Process();
}
