// The kernel of {{ op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ dtypes }}.
#include "../op_kernel/{{ stem }}_rows_kernel.h"
#include "../op_kernel/{{ stem }}_totals_kernel.h"
#include "opforge/{{ stem }}_direct.h"

extern "C" __global__ __aicore__ void {{ stem }}_direct({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT({{ kernel_type }});
    {{ op_type }}Launch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    {{ op_type }}TilingData& tilingData = launchData.tiling;
    {
        AscendC::TPipe pipe;
        {{ op_type }}RowsKernel<{{ types | wrap }}> op;
        op.Init({{ init_arguments | wrap }});
        if (launchData.tilingKey == 0) {
            op.ProcessWholeRows();
        } else if (launchData.tilingKey == 1) {
            op.ProcessParts();
        } else {
            op.ProcessSpreadParts();
        }
    }
    // One core reduces the values of all rows, so that their order does not depend on the number of cores.
    AscendC::SyncAll();
    if (AscendC::GetBlockIdx() == 0) {
        AscendC::TPipe pipe;
        {{ op_type }}TotalsKernel<{{ total_types | wrap }}> op;
        op.Init({{ total_arguments | wrap }});
        op.ProcessParts();
    }
}
