// Ops::Base::InferShape4Elewise: the InferShape of ops with one input, whose output has its shape.
#ifndef OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_ELEWISE_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_INFERSHAPE_ELEWISE_UTIL_H

#include "op_common/log/log.h"
#include "register/op_impl_registry.h"

namespace Ops {
namespace Base {

inline ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
    const gert::Shape* input = context->GetInputShape(0);
    gert::Shape* output = context->GetOutputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, input);
    OP_CHECK_NULL_WITH_CONTEXT(context, output);
    *output = *input;
    return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops
#endif
