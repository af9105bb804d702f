// The functions registered for an op in one library, as the aclnn runtime asks for them.
#ifndef OPFORGE_HOST_OP_FUNCTIONS_H
#define OPFORGE_HOST_OP_FUNCTIONS_H

#include "register/op_impl_registry.h"

namespace sim_host {

struct OpFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range;  // graph mode's
    gert::OpImplRegisterV2::TilingKernelFunc tiling;
    gert::OpImplRegisterV2::TilingParseFunc tiling_parse;
    gert::OpImplRegisterV2::CompileInfoCreator compile_info;
    uint64_t tiling_capacity;  // bytes of tiling data the op may fill
    uint64_t value_inputs;     // bit i: tiling or InferShape reads input i by value
};

}  // namespace sim_host

extern "C" {
// Fills functions with what the library loaded at base (dladdr's dli_fbase) registered for op_type.
// 0: that library registered nothing for the op.
__attribute__((visibility("default"))) int sim_find_op_functions(const char* op_type, const void* library_base,
                                                                 sim_host::OpFunctions* functions);
}
#endif
