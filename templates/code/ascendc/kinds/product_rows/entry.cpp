#include "{{ stem }}_kernel.h"
#include "opforge/whole_products.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    GM_ADDR userWorkspace = AscendC::GetUserWorkspace(workspace);
    const ProductTiling& productTiling = tilingData.productTiling;
    // With tiling keys 2 and 3, the operands have no elements: all products are zero, and nobody computes them.
    if (TILING_KEY_IS(0) || TILING_KEY_IS(1)) {
        whole_products::Products<{{ operands | wrap }}> matrixProducts;
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matrixProducts.matmulObj, &tilingData.productTiling.cubeTiling);
        matrixProducts.Init(userWorkspace, productTiling);
{% for product in products %}
        matrixProducts.Multiply({{ product.left }}, {{ product.right }}, {{ product.number }});
{% endfor %}
        matrixProducts.Finish();
    }
    if ASCEND_IS_AIV {
        {{ op_type }}Kernel<{{ types | wrap }}> op;
        op.Init({{ init_arguments | wrap }});
        if (TILING_KEY_IS(0) || TILING_KEY_IS(2)) {
            op.ProcessWholeRows();
        } else if (TILING_KEY_IS(1) || TILING_KEY_IS(3)) {
            op.ProcessParts();
        }
    }
}
