#include "{{ stem }}_kernel.h"

{{ signature }} {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe tPipe;
    {{ instance }}
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    if (TILING_KEY_IS(0)) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&tPipe, GetSysWorkSpacePtr(), theOp.matmulObj, &tilingData.cubeTiling);
        {{ init_call }}
        theOp.Process();
    } else if (TILING_KEY_IS(1)) {
        if ASCEND_IS_AIV {
            {{ deep_init_call }}
            theOp.ProcessWithoutProducts();
        }
    }
}
