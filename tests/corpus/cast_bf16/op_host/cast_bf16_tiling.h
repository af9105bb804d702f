// What op_host tells the kernel of CastBf16.
#ifndef CAST_BF16_TILING_H
#define CAST_BF16_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(CastBf16TilingData)
TILING_DATA_FIELD_DEF(uint64_t, perCore);  // elements of each core but the last, whole blocks
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CastBf16, CastBf16TilingData)

}  // namespace optiling

#endif  // CAST_BF16_TILING_H
