#ifndef SCALE_SHIFT_KEYS_TILING_H
#define SCALE_SHIFT_KEYS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(ScaleShiftKeysTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(float, shift);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScaleShiftKeys, ScaleShiftKeysTilingData)

}  // namespace optiling

#endif  // SCALE_SHIFT_KEYS_TILING_H
