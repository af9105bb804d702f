#include "{{ stem }}_rows_kernel.h"
#include "{{ stem }}_tiling.h"
#include "{{ stem }}_totals_kernel.h"

extern "C" __global__ __aicore__ void {{ stem }}({{ parameters | wrap }}) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // for SyncAll
    REGISTER_TILING_DEFAULT({{ op_type }}TilingData);
    GET_TILING_DATA(tilingData, tiling);
    GM_ADDR rowValues = AscendC::GetUserWorkspace(workspace);
    {
        AscendC::TPipe pipe;
        {{ op_type }}RowsKernel<{{ row_types | wrap }}> op;
        op.Init({{ row_arguments | wrap }});
        if (TILING_KEY_IS(0)) {
            op.ProcessWholeRows();
        } else if (TILING_KEY_IS(1)) {
            op.ProcessParts();
        } else if (TILING_KEY_IS(2)) {
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
