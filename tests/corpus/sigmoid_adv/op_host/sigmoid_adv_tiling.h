// What op_host tells the kernel of SigmoidAdv.
#ifndef SIGMOID_ADV_TILING_H
#define SIGMOID_ADV_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SigmoidAdvTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes that Sigmoid computes in
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SigmoidAdv, SigmoidAdvTilingData)

}  // namespace optiling

#endif  // SIGMOID_ADV_TILING_H
