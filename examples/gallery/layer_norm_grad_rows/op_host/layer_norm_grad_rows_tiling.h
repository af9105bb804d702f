// What op_host tells the kernel of LayerNormGradRows.
#ifndef LAYER_NORM_GRAD_ROWS_TILING_H
#define LAYER_NORM_GRAD_ROWS_TILING_H

#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(LayerNormGradRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, rowsPerTile);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes
TILING_DATA_FIELD_DEF(float, epsilon);
// Of a whole tile, and of the rows that are left.
TILING_DATA_FIELD_DEF_STRUCT(LayerNormGradTiling, gradOfTile);
TILING_DATA_FIELD_DEF_STRUCT(LayerNormGradTiling, gradOfRest);
TILING_DATA_FIELD_DEF_STRUCT(LayerNormGradBetaTiling, betaOfTile);
TILING_DATA_FIELD_DEF_STRUCT(LayerNormGradBetaTiling, betaOfRest);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LayerNormGradRows, LayerNormGradRowsTilingData)

}  // namespace optiling

#endif  // LAYER_NORM_GRAD_ROWS_TILING_H
