// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// What a direct launch of VectorAdd hands to its kernel, in the memory of the device.
#ifndef VECTOR_ADD_DIRECT_H
#define VECTOR_ADD_DIRECT_H

#include "../../op_kernel/vector_add_tiling.h"

struct VectorAddLaunch {
    uint64_t tilingKey;
    VectorAddTilingData tiling;
};

#endif  // VECTOR_ADD_DIRECT_H
