#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "cast_bf16_tiling.h"

namespace optiling {

constexpr uint64_t kLine = 256;  // elements: no two cores write the same line of memory
constexpr uint32_t kTile = 6144;

static ge::graphStatus TilingCastBf16(gert::TilingContext* context) {
    const uint64_t total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint64_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint64_t perCore = std::max((total + cores - 1) / cores + kLine - 1, kLine) / kLine * kLine;
    CastBf16TilingData tiling;
    tiling.set_perCore(perCore);
    tiling.set_total(total);
    tiling.set_tile(kTile);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max<uint64_t>((total + perCore - 1) / perCore, 1));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(CastBf16).Tiling(TilingCastBf16);

}  // namespace optiling
