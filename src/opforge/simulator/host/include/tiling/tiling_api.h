// What op_host sources include for tiling, with the tiling functions of the high-level kernel API.
#ifndef OPFORGE_TILING_TILING_API_H
#define OPFORGE_TILING_TILING_API_H

#include <iostream>  // tiling functions print without including it

#include "lib/adv_tiling_api.h"
#include "lib/matmul/bmm_tiling.h"
#include "lib/matmul/matmul_tiling.h"
#include "lib/sort/sort_tiling_intf.h"
#include "lib/sort/topk_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {
// Sizes that the tilings of CANN's headers use, and tiling functions by these names. Kernels have them too.
#ifndef ASCC_PARAM_BLOCK_CUBE
#define ASCC_PARAM_BLOCK_CUBE
constexpr uint32_t BLOCK_CUBE = 16;
#endif
#ifndef ASCC_PARAM_ONE_BLK_SIZE
#define ASCC_PARAM_ONE_BLK_SIZE
constexpr uint32_t ONE_BLK_SIZE = 32;
#endif
#ifndef ASCC_PARAM_CUBE_MAX_SIZE
#define ASCC_PARAM_CUBE_MAX_SIZE
constexpr int32_t CUBE_MAX_SIZE = 256;
#endif
}  // namespace AscendC

#endif
