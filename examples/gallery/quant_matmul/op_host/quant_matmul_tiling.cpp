#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/quant_matmul_tiling.h"

namespace optiling {

constexpr uint32_t kRows = 64;
constexpr uint32_t kColumns = 64;
constexpr int64_t kMostDepth = 65535;  // elements from one row to the next, for DataCopy with Nd2NzParams

struct QuantMatmulCompileInfo {};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& y = context->GetInputShape(1)->GetStorageShape();
    if (x.GetDimNum() != 2 || y.GetDimNum() != 2 || x.GetDim(1) != y.GetDim(1)) {
        return ge::GRAPH_FAILED;
    }
    if (x.GetDim(1) == 0 || x.GetDim(1) > kMostDepth) {
        return ge::GRAPH_FAILED;
    }
    QuantMatmulTilingData* tiling = context->GetTilingData<QuantMatmulTilingData>();
    tiling->m = static_cast<uint32_t>(x.GetDim(0));
    tiling->k = static_cast<uint32_t>(x.GetDim(1));
    tiling->n = static_cast<uint32_t>(y.GetDim(0));
    tiling->scale = *context->GetAttrs()->GetFloat(0);
    const uint32_t tiles = (tiling->m + kRows - 1) / kRows * ((tiling->n + kColumns - 1) / kColumns);
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    context->SetBlockDim(std::max(std::min(tiles, platform.GetCoreNumAic()), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(QuantMatmul).Tiling(TilingFunc).TilingParse<QuantMatmulCompileInfo>(TilingParse);

}  // namespace optiling
