#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/length_norm_two_pass_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;

struct LengthNormTwoPassCompileInfo {};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t tiles = (total + kTile - 1) / kTile;
    LengthNormTwoPassTilingData* tiling = context->GetTilingData<LengthNormTwoPassTilingData>();
    tiling->total = total;
    tiling->perBlock = std::max((tiles + cores - 1) / cores, 1u) * kTile;
    tiling->tile = kTile;
    tiling->eps = *context->GetAttrs()->GetFloat(0);
    const uint32_t blocks = std::max((total + tiling->perBlock - 1) / tiling->perBlock, 1u);
    context->SetBlockDim(blocks);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * sizeof(float);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(LengthNormTwoPass).Tiling(TilingFunc).TilingParse<LengthNormTwoPassCompileInfo>(TilingParse);

}  // namespace optiling
