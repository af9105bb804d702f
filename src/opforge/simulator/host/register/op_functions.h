// The functions registered for an op in one library, as the aclnn runtime asks for them.
#ifndef OPFORGE_HOST_OP_FUNCTIONS_H
#define OPFORGE_HOST_OP_FUNCTIONS_H

#include "register/op_impl_registry.h"

namespace sim_host {

struct OpFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc inferShapeRange;  // graph mode's
    gert::OpImplRegisterV2::TilingKernelFunc tiling;
    gert::OpImplRegisterV2::TilingParseFunc tilingParse;
    gert::OpImplRegisterV2::CompileInfoCreator compileInfo;
    uint64_t tilingCapacity;  // bytes of tiling data the op may fill
    uint64_t valueInputs;     // bit i: tiling or InferShape reads input i by value
};

}  // namespace sim_host

extern "C" {
// Fills functions with what the library loaded at base (dladdr's dli_fbase) registered for opType.
// 0: that library registered nothing for the op.
__attribute__((visibility("default"))) int sim_find_op_functions(const char* opType, const void* libraryBase,
                                                                 sim_host::OpFunctions* functions);
}
#endif
