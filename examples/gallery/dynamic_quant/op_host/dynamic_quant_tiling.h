// What op_host tells the kernel of DynamicQuant.
#ifndef DYNAMIC_QUANT_TILING_H
#define DYNAMIC_QUANT_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(DynamicQuantTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // rows of each core but the last
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DynamicQuant, DynamicQuantTilingData)

}  // namespace optiling

#endif  // DYNAMIC_QUANT_TILING_H
