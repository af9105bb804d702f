// What op_host sources include for tiling. The tiling functions of the high-level kernel API come with those APIs.
#ifndef OPFORGE_TILING_TILING_API_H
#define OPFORGE_TILING_TILING_API_H

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
