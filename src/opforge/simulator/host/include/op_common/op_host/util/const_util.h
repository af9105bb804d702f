// Ops::Base: integers out of inputs that the op reads by value (ValueDepend, InputsDataDependency).
#ifndef OPFORGE_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {

// Element index of a tensor of whole numbers; false where there is no value, or none of these types.
template <typename T>
bool GetConstElement(const gert::Tensor* tensor, size_t index, T& value) {
    if (tensor == nullptr || tensor->GetAddr() == nullptr || static_cast<int64_t>(index) >= tensor->GetShapeSize()) {
        return false;
    }
    switch (tensor->GetDataType()) {
        case ge::DT_INT32:
            value = static_cast<T>(tensor->GetData<int32_t>()[index]);
            return true;
        case ge::DT_UINT32:
            value = static_cast<T>(tensor->GetData<uint32_t>()[index]);
            return true;
        case ge::DT_INT64:
            value = static_cast<T>(tensor->GetData<int64_t>()[index]);
            return true;
        case ge::DT_UINT64:
            value = static_cast<T>(tensor->GetData<uint64_t>()[index]);
            return true;
        default:
            return false;
    }
}

// The first element of an input.
template <typename Context, typename T>
bool GetConstInt(const Context* context, int64_t index, T& value) {
    return context != nullptr && GetConstElement(context->GetInputTensor(static_cast<size_t>(index)), 0, value);
}

// An input's elements as a shape.
template <typename Context>
bool GetConstIntToShape(const Context* context, int64_t index, gert::Shape& shape) {
    const gert::Tensor* tensor = context == nullptr ? nullptr : context->GetInputTensor(static_cast<size_t>(index));
    const int64_t count = tensor == nullptr ? -1 : tensor->GetShapeSize();
    if (count < 0 || count > static_cast<int64_t>(gert::Shape::kMaxDimNum)) {
        return false;
    }
    shape.SetDimNum(static_cast<size_t>(count));
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        int64_t dim = 0;
        if (!GetConstElement(tensor, i, dim)) {
            return false;
        }
        shape.SetDim(i, dim);
    }
    return true;
}

}  // namespace Base
}  // namespace Ops
#endif
