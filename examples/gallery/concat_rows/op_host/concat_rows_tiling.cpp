#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/concat_rows_tiling.h"

namespace optiling {

struct ConcatRowsCompileInfo {};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const size_t count = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
    int64_t rows = 0;
    for (size_t i = 0; i < count; ++i) {
        const gert::Shape& x = context->GetDynamicInputShape(0, i)->GetStorageShape();
        if (x.GetDimNum() != 2 || x.GetDim(1) > 8192 || x.GetDim(1) != *context->GetAttrs()->GetInt(1)) {
            return ge::GRAPH_FAILED;
        }
        rows += x.GetDim(0);
    }
    if (rows != *context->GetAttrs()->GetInt(0)) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    context->GetTilingData<ConcatRowsTilingData>()->count = static_cast<uint32_t>(count);
    context->SetBlockDim(std::max(std::min(static_cast<uint32_t>(rows), cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(ConcatRows).Tiling(TilingFunc).TilingParse<ConcatRowsCompileInfo>(TilingParse);

}  // namespace optiling
