#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/embedding_grad_tiling.h"

namespace optiling {

constexpr uint32_t kChunk = 64;

struct EmbeddingGradCompileInfo {};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& grad = context->GetInputShape(0)->GetStorageShape();
    if (grad.GetDimNum() != 2 || context->GetInputShape(1)->GetStorageShape().GetDim(0) != grad.GetDim(0) ||
        grad.GetDim(1) > 8192) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    EmbeddingGradTilingData* tiling = context->GetTilingData<EmbeddingGradTilingData>();
    tiling->rows = static_cast<uint32_t>(grad.GetDim(0));
    tiling->width = static_cast<uint32_t>(grad.GetDim(1));
    tiling->weights = static_cast<int32_t>(*context->GetAttrs()->GetInt(0));
    tiling->padding = static_cast<int32_t>(*context->GetAttrs()->GetInt(1));
    context->SetNeedAtomic(true);  // y is 0 at first
    context->SetBlockDim(std::max(std::min((tiling->rows + kChunk - 1) / kChunk, cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(EmbeddingGrad).Tiling(TilingFunc).TilingParse<EmbeddingGradCompileInfo>(TilingParse);

}  // namespace optiling
