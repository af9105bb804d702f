#include "{{ stem }}_kernel.h"

{{ signature }} {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    {{ instance }}
    {{ init_call }}
    op.Process();
}
