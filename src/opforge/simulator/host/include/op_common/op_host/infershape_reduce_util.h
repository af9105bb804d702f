// Ops::Base: the shape of a reduction over axes, which may be negative and are 0 or -1 for a scalar.
#ifndef OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_REDUCE_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_REDUCE_UTIL_H

#include <cstdint>
#include <vector>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

// Which dimensions are reduced; false for an axis that there is not.
template <typename T>
bool ReducedAxes(const gert::Shape& shape, const T* axes, int32_t count, std::vector<bool>* reduced) {
    const int64_t rank = shape.GetDimNum() == 0 ? 1 : static_cast<int64_t>(shape.GetDimNum());
    reduced->assign(static_cast<size_t>(rank), false);
    for (int32_t i = 0; i < count; ++i) {
        const int64_t axis =
            static_cast<int64_t>(axes[i]) < 0 ? static_cast<int64_t>(axes[i]) + rank : static_cast<int64_t>(axes[i]);
        if (axis < 0 || axis >= rank) {
            OP_LOGE("reduce", "the axis %lld is none of %lld dimensions", static_cast<long long>(axes[i]),
                    static_cast<long long>(rank));
            return false;
        }
        (*reduced)[static_cast<size_t>(axis)] = true;
    }
    return true;
}

template <typename T>
ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape* x, const T* axes, int32_t count, gert::Shape* output) {
    if (IsUnknownRank(*x)) {
        SetUnknownRank(*output);
        return ge::GRAPH_SUCCESS;
    }
    std::vector<bool> reduced;
    if (!ReducedAxes(*x, axes, count, &reduced)) {
        return ge::GRAPH_FAILED;
    }
    *output = *x;
    for (size_t dim = 0; dim < x->GetDimNum(); ++dim) {
        if (reduced[dim]) {
            output->SetDim(dim, 1);
        }
    }
    return ge::GRAPH_SUCCESS;
}

template <typename T>
ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape* x, const T* axes, int32_t count, gert::Shape* output) {
    if (IsUnknownRank(*x)) {
        SetUnknownRank(*output);
        return ge::GRAPH_SUCCESS;
    }
    std::vector<bool> reduced;
    if (!ReducedAxes(*x, axes, count, &reduced)) {
        return ge::GRAPH_FAILED;
    }
    output->SetDimNum(0);
    for (size_t dim = 0; dim < x->GetDimNum(); ++dim) {
        if (!reduced[dim]) {
            output->AppendDim(x->GetDim(dim));
        }
    }
    return ge::GRAPH_SUCCESS;
}

template <typename T>
ge::graphStatus ReduceDims(const gert::Shape* x, const gert::Tensor* axes, int32_t count, const bool keep,
                           gert::Shape* output) {
    const T* values = axes->GetData<T>();
    return keep ? ReduceDimsWithKeepDims<T>(x, values, count, output)
                : ReduceDimsWithoutKeepDims<T>(x, values, count, output);
}

// InferShape of a reduction: x, the axes as values on the host, and the attribute keep_dims. No axes: x as it is.
inline ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    const gert::Tensor* axes = context->GetInputTensor(1);
    gert::Shape* output = context->GetOutputShape(0);
    const bool* keep = context->GetAttrs() == nullptr ? nullptr : context->GetAttrs()->GetBool(0);
    if (x == nullptr || axes == nullptr || output == nullptr || keep == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const auto count = static_cast<int32_t>(axes->GetShapeSize());
    if (count == 0) {
        *output = *x;
        return ge::GRAPH_SUCCESS;
    }
    if (axes->GetDataType() == ge::DT_INT32) {
        return ReduceDims<int32_t>(x, axes, count, *keep, output);
    }
    return axes->GetDataType() == ge::DT_INT64 ? ReduceDims<int64_t>(x, axes, count, *keep, output) : ge::GRAPH_FAILED;
}

}  // namespace Base
}  // namespace Ops
#endif
