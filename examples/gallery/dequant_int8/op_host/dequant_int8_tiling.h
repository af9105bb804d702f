// What op_host tells the kernel of DequantInt8.
#ifndef DEQUANT_INT8_TILING_H
#define DEQUANT_INT8_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(DequantInt8TilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, padded);  // columns of a row in the unified buffer
TILING_DATA_FIELD_DEF(uint32_t, rowsPerTile);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes that AscendDequant computes in
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DequantInt8, DequantInt8TilingData)

}  // namespace optiling

#endif  // DEQUANT_INT8_TILING_H
