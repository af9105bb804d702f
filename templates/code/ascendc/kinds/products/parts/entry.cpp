#include "{{ stem }}_kernel.h"
#include "opforge/product_parts.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE(0, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    if (TILING_KEY_IS(0)) {
        {{ op_type }}Kernel<{{ types | wrap }}> op;
        op.Init({{ init_arguments | wrap }});
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Process();
    } else if (TILING_KEY_IS(1)) {
        {{ op_type }}Kernel<{{ types | wrap }}> op;
        op.Init({{ init_arguments | wrap }});
        op.ProcessWithoutProducts();
    } else if (TILING_KEY_IS(2)) {
        GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
        if ASCEND_IS_AIC {
            product_parts::Multiplier<{{ operands | wrap }}> multiplier;
            REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), multiplier.matmulObj, &tilingData.cubeTiling);
            multiplier.Init(userWorkspace, tilingData);
{% for product in products %}
            multiplier.Multiply({{ product.left }}, {{ product.right }}, {{ product.number }});
{% endfor %}
            multiplier.Finish();
        }
        if ASCEND_IS_AIV {
            product_parts::Adder<{{ result_type }}, {{ op_type }}TilingData> adder;
            adder.Init(userWorkspace, tilingData, pipe);
            product_parts::WaitForParts();
{% for product in products %}
            adder.Add({{ product.result }}, {{ product.number }});
{% endfor %}
        }
    }
}
