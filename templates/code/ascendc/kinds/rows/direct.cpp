// The kernel of {{ op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ dtypes }}.
{% if along %}
#include "../op_kernel/{{ stem }}_along_kernel.h"
{% endif %}
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
{% if along %}
    if (launchData.tilingKey < 3) {
        {{ op_type }}AlongKernel<{{ types | wrap }}> along;
        along.Init({{ init_arguments | wrap }});
        if (launchData.tilingKey == 0) {
            along.ProcessWholeRows();
        } else if (launchData.tilingKey == 1) {
            along.ProcessParts();
        } else {
            along.ProcessSpreadParts();
        }
        return;
    }
    launchData.tilingKey -= 3;
{% endif %}
    {{ op_type }}Kernel<{{ types | wrap }}> op;
    op.Init({{ init_arguments | wrap }});
    if (launchData.tilingKey == 0) {
        op.ProcessWholeRows();
    } else if (launchData.tilingKey == 1) {
        op.ProcessParts();
    } else {
        op.ProcessSpreadParts();
    }
}
