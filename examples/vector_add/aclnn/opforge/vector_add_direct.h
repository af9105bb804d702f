// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The data that a direct launch of VectorAdd passes to its kernel, in device memory.
#ifndef VECTOR_ADD_DIRECT_H
#define VECTOR_ADD_DIRECT_H

#include "../../op_kernel/vector_add_tiling.h"

struct VectorAddLaunch {
    uint64_t tilingKey;
    VectorAddTilingData tiling;
};

#endif  // VECTOR_ADD_DIRECT_H
