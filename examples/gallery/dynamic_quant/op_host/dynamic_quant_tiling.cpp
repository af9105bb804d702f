#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "dynamic_quant_tiling.h"

namespace optiling {

constexpr uint32_t kMostCols = 6144;
// Scales are written through the data cache: those of one of its lines of 64 bytes by one core.
constexpr uint32_t kLine = 16;

static ge::graphStatus TilingDynamicQuant(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t perCore = std::max((rows + cores - 1) / cores + kLine - 1, kLine) / kLine * kLine;
    DynamicQuantTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_perCore(perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max((rows + perCore - 1) / perCore, 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(DynamicQuant).Tiling(TilingDynamicQuant);

}  // namespace optiling
