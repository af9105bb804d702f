// What op_host tells the kernel of DropOutBytes.
#ifndef DROP_OUT_BYTES_TILING_H
#define DROP_OUT_BYTES_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(DropOutBytesTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes
TILING_DATA_FIELD_DEF(float, keepProb);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DropOutBytes, DropOutBytesTilingData)

}  // namespace optiling

#endif  // DROP_OUT_BYTES_TILING_H
