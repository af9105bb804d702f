// What op_host tells the kernel of WhereSelect.
#ifndef WHERE_SELECT_TILING_H
#define WHERE_SELECT_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(WhereSelectTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);  // a multiple of what one repeat compares
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(WhereSelect, WhereSelectTilingData)

}  // namespace optiling

#endif  // WHERE_SELECT_TILING_H
