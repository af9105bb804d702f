// The kernel of {{ op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ dtypes }}.
#include "../op_kernel/{{ stem }}_kernel.h"
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
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    if (launchData.tilingKey == 0) {
        // The cube core stays in here, serving the vector cores, which go on.
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
        op.Init({{ init_arguments | wrap }});
        op.Process();
    } else if (launchData.tilingKey == 2) {
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
    } else {
        if ASCEND_IS_AIV {
            op.Init({{ init_arguments | wrap }});
            op.ProcessWithoutProducts();
        }
    }
}
