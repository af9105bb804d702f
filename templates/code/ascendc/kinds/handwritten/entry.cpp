#include "{{ stem }}_kernel.h"

{% if bound %}
// The cores of the kernel. A kernel with matrix products defines this in its header, as KERNEL_TYPE_MIX_AIC_1_2.
#ifndef {{ guard }}_TASK_TYPE
#define {{ guard }}_TASK_TYPE KERNEL_TYPE_AIV_ONLY
#endif

{% endif %}
extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
{% if bound %}
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    KERNEL_TASK_TYPE_DEFAULT({{ guard }}_TASK_TYPE);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel op;
    op.Bind({{ arguments | wrap }});
    op.Init(pipe);
{% else %}
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ arguments | wrap }});
{% endif %}
    op.Process();
}
