#include <algorithm>
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/value_depend_slice_tiling.h"

namespace optiling {

struct ValueDependSliceCompileInfo {};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const gert::Tensor* offset = context->GetInputTensor(1);
    if (x.GetDimNum() != 2 || offset == nullptr || offset->GetShapeSize() != 1 ||
        offset->GetData<int64_t>() == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const int64_t length = *context->GetAttrs()->GetInt(0);
    // counted from the end where it is negative, as in Python
    const int64_t given = offset->GetData<int64_t>()[0];
    const int64_t first = given < 0 ? given + x.GetDim(0) : given;
    if (length < 0 || first < 0 || first + length > x.GetDim(0) || x.GetDim(1) > 8192) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    ValueDependSliceTilingData* tiling = context->GetTilingData<ValueDependSliceTilingData>();
    tiling->first = static_cast<uint64_t>(first);
    tiling->rows = static_cast<uint32_t>(length);
    tiling->width = static_cast<uint32_t>(x.GetDim(1));
    context->SetBlockDim(std::max(std::min(tiling->rows, cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(ValueDependSlice).Tiling(TilingFunc).TilingParse<ValueDependSliceCompileInfo>(TilingParse);

}  // namespace optiling
