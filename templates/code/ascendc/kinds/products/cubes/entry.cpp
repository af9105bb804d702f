#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE(0, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ init_arguments | wrap }});
    if (TILING_KEY_IS(0)) {
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Process();
    } else if (TILING_KEY_IS(1)) {
        op.ProcessWithoutProducts();
    }
}
