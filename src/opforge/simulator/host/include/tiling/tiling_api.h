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

#endif
