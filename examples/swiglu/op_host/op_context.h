// Between CANN's contexts and host_tiling.h. op_host is compiled as C++11.
#ifndef OP_CONTEXT_H
#define OP_CONTEXT_H

#include <cstdio>
#include <string>
#include "host_tiling.h"
#include "register/op_def_registry.h"

namespace op_context {

inline host_tiling::Dims DimsOf(const gert::Shape& shape) {
    host_tiling::Dims dims(shape.GetDimNum());
    for (size_t i = 0; i < dims.size(); i++) {
        dims[i] = shape.GetDim(i);
    }
    return dims;
}

inline void SetDims(const host_tiling::Dims& dims, gert::Shape* shape) {
    shape->SetDimNum(dims.size());
    for (size_t i = 0; i < dims.size(); i++) {
        shape->SetDim(i, dims[i]);
    }
}

// Says why an op cannot be run, and fails.
inline ge::graphStatus Refuse(const char* op, const std::string& reason) {
    std::fprintf(stderr, "[ERROR] %s: %s\n", op, reason.c_str());
    return ge::GRAPH_FAILED;
}

}  // namespace op_context

#endif  // OP_CONTEXT_H
