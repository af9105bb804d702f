// The data that a direct launch of {{ op_type }} passes to its kernel, in device memory.
#ifndef {{ guard }}_DIRECT_H
#define {{ guard }}_DIRECT_H

#include "../../op_kernel/{{ stem }}_tiling.h"

struct {{ op_type }}Launch {
    uint64_t tilingKey;
    {{ op_type }}TilingData tiling;
};

#endif  // {{ guard }}_DIRECT_H
