#ifndef CHUNKS_SHAPES_H
#define CHUNKS_SHAPES_H

#include "chunks_call.h"

namespace chunks_host_tiling {

inline std::string ComputeShapes(const Call& call, Shapes (&results)[kOutputs]) {
    int64_t rest = call.inputs[kXInput][0][0];
    for (const int64_t length : call.lengthsAttr) {
        results[kYsOutput].push_back({length});
        rest -= length;
    }
    if (rest < 0) {
        return "x is shorter than its pieces";
    }
    const int64_t tail = call.inputs[kTailInput].empty() ? 0 : call.inputs[kTailInput][0][0];
    results[kRestOutput] = {{rest + tail}};
    return "";
}

}  // namespace chunks_host_tiling

#endif  // CHUNKS_SHAPES_H
