// Ops::Base::InferShape4Broadcast: the InferShape of ops whose output has the shape that its inputs broadcast to.
#ifndef OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_BROADCAST_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_BROADCAST_UTIL_H

#include <vector>

#include "op_common/log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_impl_registry.h"

namespace Ops {
namespace Base {

// False where two dims differ and neither is 1. A dim that is not known (-1) gives way to one that is larger than 1.
inline bool BroadcastShape(const gert::Shape* first, const gert::Shape* second, gert::Shape* result) {
    if (IsUnknownRank(*first) || IsUnknownRank(*second)) {
        SetUnknownRank(*result);
        return true;
    }
    const gert::Shape longer = first->GetDimNum() < second->GetDimNum() ? *second : *first;
    const gert::Shape shorter = first->GetDimNum() < second->GetDimNum() ? *first : *second;
    const size_t missing = longer.GetDimNum() - shorter.GetDimNum();
    *result = longer;
    for (size_t i = 0; i < shorter.GetDimNum(); ++i) {
        const int64_t a = longer.GetDim(missing + i);
        const int64_t b = shorter.GetDim(i);
        if (a != b && a != 1 && b != 1 && a != -1 && b != -1) {
            return false;
        }
        const bool takes_second = a == 1 || (a == -1 && b != 1);
        result->SetDim(missing + i, takes_second ? b : a);
    }
    return true;
}

inline bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result) {
    if (shapes.empty()) {
        return false;
    }
    *result = *shapes[0];
    for (size_t i = 1; i < shapes.size(); ++i) {
        const gert::Shape so_far = *result;
        if (!BroadcastShape(&so_far, shapes[i], result)) {
            return false;
        }
    }
    return true;
}

inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputs) {
    std::vector<const gert::Shape*> shapes;
    for (size_t i = 0; i < inputs; ++i) {
        shapes.push_back(context->GetInputShape(i));
        OP_CHECK_NULL_WITH_CONTEXT(context, shapes[i]);
    }
    gert::Shape* output = context->GetOutputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, output);
    OP_CHECK_IF(!BroadcastShape(shapes, output),
                OP_LOGE(context->GetNodeName(), "shapes %s do not broadcast", ToString(shapes).c_str()),
                return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) {
    return InferShape4Broadcast(context, 2);
}

}  // namespace Base
}  // namespace Ops
#endif
