// What op_host tells the kernel of SoftmaxAdv.
#ifndef SOFTMAX_ADV_TILING_H
#define SOFTMAX_ADV_TILING_H

#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SoftmaxAdvTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, padded);  // columns of a row in the unified buffer
TILING_DATA_FIELD_DEF(uint32_t, rowsPerTile);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SoftmaxAdv, SoftmaxAdvTilingData)

}  // namespace optiling

#endif  // SOFTMAX_ADV_TILING_H
