// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The data that a direct launch of SwiGLU passes to its kernel, in device memory.
#ifndef SWI_GLU_DIRECT_H
#define SWI_GLU_DIRECT_H

#include "../../op_kernel/swi_glu_tiling.h"

struct SwiGLULaunch {
    uint64_t tilingKey;
    SwiGLUTilingData tiling;
};

#endif  // SWI_GLU_DIRECT_H
