#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
{% if widens %}
    KERNEL_TASK_TYPE(0, KERNEL_TYPE_MIX_AIC_1_2);
{% else %}
    KERNEL_TASK_TYPE(0, KERNEL_TYPE_AIC_ONLY);
{% endif %}
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
{% if widens %}
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
{% endif %}
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ init_arguments | wrap }});
    if (TILING_KEY_IS(0)) {
{% if widens %}
        if ASCEND_IS_AIC {
            REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
            op.Process();
        }
        if ASCEND_IS_AIV {
            op.WidenBias();
        }
{% else %}
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Process();
{% endif %}
    } else if (TILING_KEY_IS(1)) {
        op.ProcessWithoutProducts();
    }
}
