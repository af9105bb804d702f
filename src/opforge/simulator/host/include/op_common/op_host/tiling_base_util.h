// Ops::Base: questions that tiling functions of operator repositories share.
#ifndef OPFORGE_OP_COMMON_OP_HOST_TILING_BASE_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_TILING_BASE_UTIL_H

#include "op_common/op_host/util/platform_util.h"
#include "platform/soc_spec.h"
#include "register/op_impl_registry.h"

namespace Ops {
namespace Base {

// Whether the vector unit works on registers, as the 950's does; no SoC that is simulated has one.
inline bool IsRegbaseSocVersion(const gert::TilingParseContext*) { return false; }
inline bool IsRegbaseSocVersion(const gert::TilingContext*) { return false; }

// A scalar counts as one element in one dimension.
inline const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
    static const gert::Shape one = {1};
    return shape.GetDimNum() == 0 ? one : shape;
}

}  // namespace Base
}  // namespace Ops
#endif
