// What op_host tells the kernel of SwigluFused.
#ifndef SWIGLU_FUSED_TILING_H
#define SWIGLU_FUSED_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SwigluFusedTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);  // of a row of y
TILING_DATA_FIELD_DEF(uint32_t, rowsPerTile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SwigluFused, SwigluFusedTilingData)

}  // namespace optiling

#endif  // SWIGLU_FUSED_TILING_H
