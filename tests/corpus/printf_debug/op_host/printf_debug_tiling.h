#ifndef PRINTF_DEBUG_TILING_H
#define PRINTF_DEBUG_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(PrintfDebugTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(PrintfDebug, PrintfDebugTilingData)

}  // namespace optiling

#endif  // PRINTF_DEBUG_TILING_H
