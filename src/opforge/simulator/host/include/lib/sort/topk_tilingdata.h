// optiling::TopkTiling: what TopK is told by the host, as a class of tiling data.
// Page: SIMD-API/高阶API/排序操作/TopK-Tiling
#ifndef OPFORGE_LIB_SORT_TOPK_TILINGDATA_H
#define OPFORGE_LIB_SORT_TOPK_TILINGDATA_H

#include "kernel_tiling/topk_tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(TopkTiling)
#define OPFORGE_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name);
OPFORGE_TOPK_TILING_FIELDS(OPFORGE_FIELD)
#undef OPFORGE_FIELD
END_TILING_DATA_DEF

}  // namespace optiling
#endif
