#include "{{ stem }}_kernel.h"

{{ signature }} {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe tPipe;
    {{ instance }}
    {{ init_call }}
    if (TILING_KEY_IS(0)) {
        theOp.ProcessFlat();
    } else if (TILING_KEY_IS(1)) {
        theOp.ProcessBroadcast();
    }
}
