#ifndef GLOBAL_MAX_ATOMIC_TILING_H
#define GLOBAL_MAX_ATOMIC_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(GlobalMaxAtomicTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GlobalMaxAtomic, GlobalMaxAtomicTilingData)

}  // namespace optiling

#endif  // GLOBAL_MAX_ATOMIC_TILING_H
