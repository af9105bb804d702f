// What op_host tells the kernel of RmsNormRows.
#ifndef RMS_NORM_ROWS_TILING_H
#define RMS_NORM_ROWS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(RmsNormRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, padded);
TILING_DATA_FIELD_DEF(float, epsilon);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RmsNormRows, RmsNormRowsTilingData)

}  // namespace optiling

#endif
