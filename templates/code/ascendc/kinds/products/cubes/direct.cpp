// The kernel of {{ op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ dtypes }}.
#include "../op_kernel/{{ stem }}_kernel.h"
#include "opforge/{{ stem }}_direct.h"

extern "C" __global__ __aicore__ void {{ stem }}_direct({{ parameters | wrap }}) {
    // One entry for both tiling keys needs cores of both kinds.
    KERNEL_TASK_TYPE_DEFAULT({{ kernel_type }});
    {{ op_type }}Launch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    {{ op_type }}TilingData& tilingData = launchData.tiling;
    AscendC::TPipe pipe;
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ init_arguments | wrap }});
    if (launchData.tilingKey == 0) {
        if ASCEND_IS_AIC {
            REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmulObj, &tilingData.cubeTiling);
            op.Process();
        }
{% if widens %}
        if ASCEND_IS_AIV {
            op.WidenBias();
        }
{% endif %}
    } else {
        if ASCEND_IS_AIV {
            op.ProcessWithoutProducts();
        }
    }
}
