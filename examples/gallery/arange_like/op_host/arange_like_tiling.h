// What the kernel of ArangeLike is told.
#ifndef ARANGE_LIKE_TILING_H
#define ARANGE_LIKE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(ArangeLikeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // elements of each core but the last
TILING_DATA_FIELD_DEF(float, start);
TILING_DATA_FIELD_DEF(float, step);
END_TILING_DATA_DEF

REGISTER_TILING_DATA_CLASS(ArangeLike, ArangeLikeTilingData)

}  // namespace optiling

#endif  // ARANGE_LIKE_TILING_H
