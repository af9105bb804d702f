#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ init_arguments | wrap }});
    if (TILING_KEY_IS(0)) {
        op.ProcessWholeRows();
    } else if (TILING_KEY_IS(1)) {
        op.ProcessParts();
    }
}
