// The kernel of {{ direct.op_type }} for direct launches: the body of op_kernel/ behind an entry of its own,
// for {{ direct.dtypes }}.
#include "../op_kernel/{{ direct.stem }}_kernel.h"
#include "{{ direct.stem }}_direct.h"

{{ direct.signature }} {
    KERNEL_TASK_TYPE_DEFAULT({{ direct.kernel_type }});
    {{ direct.op_type }}Launch launchData;
    const auto* launchWords = reinterpret_cast<__gm__ const uint64_t*>(tiling);
    for (uint32_t i = 0; i < sizeof(launchData) / sizeof(uint64_t); i++) {
        reinterpret_cast<uint64_t*>(&launchData)[i] = launchWords[i];
    }
    {{ direct.op_type }}TilingData& tilingData = launchData.tiling;
    AscendC::TPipe pipe;
    {{ direct.instance }}
    {{ init_call }}
    if (launchData.tilingKey == 0) {
        op.ProcessFlat();
    } else {
        op.ProcessBroadcast();
    }
}
