// What op_host tells the kernel of LayerNormRows.
#ifndef LAYER_NORM_ROWS_TILING_H
#define LAYER_NORM_ROWS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(LayerNormRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // rows of each core but the last
TILING_DATA_FIELD_DEF(float, epsilon);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LayerNormRows, LayerNormRowsTilingData)

}  // namespace optiling

#endif  // LAYER_NORM_ROWS_TILING_H
