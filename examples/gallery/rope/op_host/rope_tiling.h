// What op_host tells the kernel of Rope.
#ifndef ROPE_TILING_H
#define ROPE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(RopeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tokens);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, dim);      // of a head
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // tokens of each core but the last
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Rope, RopeTilingData)

}  // namespace optiling

#endif  // ROPE_TILING_H
