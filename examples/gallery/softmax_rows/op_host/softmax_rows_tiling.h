// What op_host tells the kernel of SoftmaxRows.
#ifndef SOFTMAX_ROWS_TILING_H
#define SOFTMAX_ROWS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SoftmaxRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SoftmaxRows, SoftmaxRowsTilingData)

}  // namespace optiling

#endif  // SOFTMAX_ROWS_TILING_H
