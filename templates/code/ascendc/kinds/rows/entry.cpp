#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
{% if sums %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // for SyncAll
{% else %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIV_1_0);  // for SyncAll
{% endif %}
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    op.Init({{ init_arguments | wrap }});
    if (TILING_KEY_IS(0)) {
        op.ProcessWholeRows();
    } else if (TILING_KEY_IS(1)) {
        op.ProcessParts();
    } else if (TILING_KEY_IS(2)) {
        op.ProcessSpreadParts();
    }
}
