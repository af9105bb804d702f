#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
{% if coupled %}
#if __NPU_ARCH__ == 2002
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
#else
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
#endif
{% else %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
{% endif %}
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    if (TILING_KEY_IS(0)) {
{% if coupled %}
        // A cube core of its own stays in here, serving the vector cores, which go on.
{% else %}
        // The cube core stays in here, serving the vector cores, which go on.
{% endif %}
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Init({{ init_arguments | wrap }});
        op.Process();
    } else if (TILING_KEY_IS(1)) {
{% if coupled %}
        if ASCEND_IS_NOT_AIC {
{% else %}
        if ASCEND_IS_AIV {
{% endif %}
            op.Init({{ init_arguments | wrap }});
            op.ProcessWithoutProducts();
        }
    }
}
