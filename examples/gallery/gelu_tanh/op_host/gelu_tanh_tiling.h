// What op_host tells the kernel of GeluTanh.
#ifndef GELU_TANH_TILING_H
#define GELU_TANH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(GeluTanhTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeluTanh, GeluTanhTilingData)

}  // namespace optiling

#endif  // GELU_TANH_TILING_H
