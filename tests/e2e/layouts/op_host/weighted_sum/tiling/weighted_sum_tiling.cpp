#include "weighted_sum_tiling.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static ge::graphStatus TilingWeightedSum(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    const gert::StorageShape* y = context->GetInputShape(1);
    const float* alpha = context->GetAttrs()->GetFloat(0);
    WeightedSumTilingData* tiling = context->GetTilingData<WeightedSumTilingData>();
    if (x == nullptr || y == nullptr || alpha == nullptr || tiling == nullptr) {
        return ge::GRAPH_FAILED;
    }
    if (x->GetStorageShape() != y->GetStorageShape()) {
        return ge::GRAPH_FAILED;
    }
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const int64_t total = x->GetStorageShape().GetShapeSize();
    const int64_t cores = platform.GetCoreNumAiv();
    tiling->totalElements = total;
    tiling->elementsPerBlock = CeilDiv(CeilDiv(total, cores), kLineElements) * kLineElements;
    tiling->alpha = *alpha;
    context->SetBlockDim(total == 0 ? 1 : static_cast<uint32_t>(CeilDiv(total, tiling->elementsPerBlock)));
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParseWeightedSum(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

struct WeightedSumCompileInfo {};

IMPL_OP_OPTILING(WeightedSum).Tiling(TilingWeightedSum).TilingParse<WeightedSumCompileInfo>(TilingParseWeightedSum);
}  // namespace optiling
