// The kernel of {{ direct.op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ direct.dtypes }}.
#include "../op_kernel/{{ direct.stem }}_kernel.h"
#include "{{ direct.stem }}_direct.h"

{{ direct.signature }} {
    KERNEL_TASK_TYPE_DEFAULT({{ direct.kernel_type }});
    {{ direct.op_type }}Launch theLaunch;
    const auto* theWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(theLaunch) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&theLaunch)[i] = theWords[i];
    }
    {{ direct.op_type }}TilingData& tilingData = theLaunch.tiling;
    AscendC::TPipe tPipe;
    {{ direct.instance }}
    {{ init_call }}
    if (theLaunch.tilingKey == 0) {
        theOp.ProcessFlat();
    } else {
        theOp.ProcessBroadcast();
    }
}
