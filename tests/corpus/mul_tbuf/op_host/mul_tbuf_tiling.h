#ifndef MUL_TBUF_TILING_H
#define MUL_TBUF_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(MulTbufTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MulTbuf, MulTbufTilingData)

}  // namespace optiling

#endif  // MUL_TBUF_TILING_H
