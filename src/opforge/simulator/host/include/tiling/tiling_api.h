// What op_host sources include for tiling. Of the high-level kernel API's tiling functions, the matrix product's.
#ifndef OPFORGE_TILING_TILING_API_H
#define OPFORGE_TILING_TILING_API_H

#include "lib/matmul/bmm_tiling.h"
#include "lib/matmul/matmul_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
