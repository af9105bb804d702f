// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// What a direct launch of SwiGLU hands to its kernel, in the memory of the device.
#ifndef SWI_GLU_DIRECT_H
#define SWI_GLU_DIRECT_H

#include "../../op_kernel/swi_glu_tiling.h"

struct SwiGLULaunch {
    uint64_t tilingKey;
    SwiGLUTilingData tiling;
};

#endif  // SWI_GLU_DIRECT_H
