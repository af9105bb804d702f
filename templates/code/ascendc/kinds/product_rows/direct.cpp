// The kernel of {{ op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ dtypes }}.
#include "../op_kernel/{{ stem }}_kernel.h"
#include "../op_kernel/opforge/whole_products.h"
#include "opforge/{{ stem }}_direct.h"

extern "C" __global__ __aicore__ void {{ stem }}_direct({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT({{ kernel_type }});
    {{ op_type }}Launch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    {{ op_type }}TilingData& tilingData = launchData.tiling;
    AscendC::TPipe pipe;
    const ProductTiling& productTiling = tilingData.productTiling;
    if (launchData.tilingKey < 2) {
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
        if (launchData.tilingKey % 2 == 0) {
            op.ProcessWholeRows();
        } else {
            op.ProcessParts();
        }
    }
}
