#include "{{ stem }}_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    if (TILING_KEY_IS(0)) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Init({{ init_arguments | wrap }});
        op.Process();
    } else if (TILING_KEY_IS(1)) {
        if ASCEND_IS_AIV {
            op.Init({{ init_arguments | wrap }});
            op.ProcessWithoutProducts();
        }
    } else if (TILING_KEY_IS(2)) {
        if ASCEND_IS_AIC {
            product_parts::Multiplier<{{ operands | wrap }}> multiplier;
            multiplier.matmulObj.Init(&tilingData.cubeTiling, &pipe);
            multiplier.Init(userWorkspace, tilingData);
{% for product in products %}
            multiplier.Multiply({{ product.left }}, {{ product.right }}, {{ product.number }});
{% endfor %}
            multiplier.Finish();
        }
        if ASCEND_IS_AIV {
            op.Init({{ init_arguments | wrap }});
            op.ProcessParts();
        }
    }
}
