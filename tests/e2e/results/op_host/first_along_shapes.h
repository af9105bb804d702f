#ifndef FIRST_ALONG_SHAPES_H
#define FIRST_ALONG_SHAPES_H

#include "first_along_call.h"

namespace first_along_host_tiling {

inline std::string ComputeShapes(const Call& call, host_tiling::Dims (&results)[kOutputs]) {
    results[kYOutput] = call.inputs[kXInput][0];
    if (host_tiling::HasUnknownRank(results[kYOutput])) {
        return "";
    }
    const int64_t rank = static_cast<int64_t>(results[kYOutput].size());
    const int64_t axis = call.axisAttr < 0 ? call.axisAttr + rank : call.axisAttr;
    if (axis < 0 || axis >= rank) {
        return host_tiling::Reason("axis %lld is not one of %lld", host_tiling::Number(call.axisAttr),
                                   host_tiling::Number(rank));
    }
    if (results[kYOutput][axis] == 0) {
        return "x has no elements along the axis";
    }
    if (call.keepAttr) {
        results[kYOutput][axis] = 1;
    } else {
        results[kYOutput].erase(results[kYOutput].begin() + axis);
    }
    return "";
}

}  // namespace first_along_host_tiling

#endif  // FIRST_ALONG_SHAPES_H
