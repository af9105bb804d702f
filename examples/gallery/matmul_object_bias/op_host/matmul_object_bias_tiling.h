#ifndef MATMUL_OBJECT_BIAS_TILING_H
#define MATMUL_OBJECT_BIAS_TILING_H

#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(MatmulObjectBiasTilingData)
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
TILING_DATA_FIELD_DEF(uint32_t, room);  // bytes of the unified buffer for the Matmul object of ascend310p
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MatmulObjectBias, MatmulObjectBiasTilingData)

}  // namespace optiling

#endif  // MATMUL_OBJECT_BIAS_TILING_H
