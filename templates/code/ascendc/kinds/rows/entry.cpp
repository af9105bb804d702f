{% if along %}
#include "{{ stem }}_along_kernel.h"
{% endif %}
#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
{% if sums %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // for SyncAll
{% else %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIV_1_0);  // for SyncAll
{% if along %}
    KERNEL_TASK_TYPE(5, KERNEL_TYPE_MIX_AIV_1_0);
{% endif %}
{% endif %}
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
{% if along %}
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    // Rows are the innermost dimension, and lie along tiles; or another one, and lie down their columns.
    {{ op_type }}AlongKernel<{{ types | wrap }}> along;
    {{ op_type }}Kernel<{{ types | wrap }}> across;
    if (TILING_KEY_IS(0)) {
        along.Init({{ init_arguments | wrap }});
        along.ProcessWholeRows();
    } else if (TILING_KEY_IS(1)) {
        along.Init({{ init_arguments | wrap }});
        along.ProcessParts();
    } else if (TILING_KEY_IS(2)) {
        along.Init({{ init_arguments | wrap }});
        along.ProcessSpreadParts();
    } else if (TILING_KEY_IS(3)) {
        across.Init({{ init_arguments | wrap }});
        across.ProcessWholeRows();
    } else if (TILING_KEY_IS(4)) {
        across.Init({{ init_arguments | wrap }});
        across.ProcessParts();
    } else if (TILING_KEY_IS(5)) {
        across.Init({{ init_arguments | wrap }});
        across.ProcessSpreadParts();
    }
{% else %}
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
{% endif %}
}
