#ifndef PAD_ROWS_TILING_H
#define PAD_ROWS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(PadRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, from);
TILING_DATA_FIELD_DEF(uint32_t, to);
TILING_DATA_FIELD_DEF(float, value);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(PadRows, PadRowsTilingData)

}  // namespace optiling

#endif  // PAD_ROWS_TILING_H
