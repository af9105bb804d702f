// gert::OpImplRegisterV2 and IMPL_OP: how an op's InferShape, InferDataType and tiling functions are found.
// Page: "OpImplRegister" of the op registration classes.
//
// libregister tells functions of several packages that bring the same op apart by the library each function lies in.
#ifndef OPFORGE_REGISTER_OP_IMPL_REGISTRY_H
#define OPFORGE_REGISTER_OP_IMPL_REGISTRY_H

#include <initializer_list>
#include <iostream>  // op_host files print without including it
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"

// As in metadef's register.h: op_host files write them so.
using std::string;  // NOLINT(google-global-names-in-headers)
using std::vector;  // NOLINT(google-global-names-in-headers)

namespace gert {

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

class __attribute__((visibility("default"))) OpImplRegisterV2 {
public:
    typedef ge::graphStatus (*InferShapeKernelFunc)(InferShapeContext*);
    typedef ge::graphStatus (*InferShapeRangeKernelFunc)(InferShapeRangeContext*);
    typedef ge::graphStatus (*InferDataTypeKernelFunc)(InferDataTypeContext*);
    typedef ge::graphStatus (*TilingKernelFunc)(TilingContext*);
    typedef ge::graphStatus (*TilingParseFunc)(TilingParseContext*);
    typedef void* (*CompileInfoCreator)();

    explicit OpImplRegisterV2(const char* op_type);
    OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
    OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function);
    OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
    OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t max_tiling_data_size = 2048);
    template <typename CompileInfo>
    OpImplRegisterV2& TilingParse(TilingParseFunc function) {
        return RegisterParse(function, &CreateCompileInfo<CompileInfo>);
    }
    // The key under which CANN finds a kernel compiled beforehand; every kernel here is.
    typedef uint32_t (*GenSimplifiedKeyKernelFunc)(TilingContext*, char*);
    OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyKernelFunc) { return *this; }
    // Each output has the data type of the first input.
    OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
    // Attributes that only graphs set, after those of the definition. A call of aclnn has none of them.
    OpImplRegisterV2& PrivateAttr(const char*) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, int64_t) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, const std::vector<int64_t>&) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, const char*) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, float) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, bool) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char*, const std::vector<float>&) { return *this; }
    // Which inputs a function may read by value.
    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> indexes) {
        return DependsOn(indexes.begin(), indexes.size(), true, true);
    }
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> indexes) {
        return DependsOn(indexes.begin(), indexes.size(), false, true);
    }
    // The placements say where a graph computes the tiling; here it is always computed on the host.
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> indexes,
                                                 std::initializer_list<TilingPlacement>) {
        return TilingInputsDataDependency(indexes);
    }

private:
    template <typename CompileInfo>
    static void* CreateCompileInfo() {
        return new CompileInfo();
    }
    OpImplRegisterV2& RegisterParse(TilingParseFunc function, CompileInfoCreator creator);
    OpImplRegisterV2& DependsOn(const int32_t* indexes, size_t count, bool infer_shape, bool tiling);

    const char* op_type_;
};

typedef OpImplRegisterV2 OpImplRegister;

}  // namespace gert

#define OPFORGE_IMPL_OP_JOIN(a, b) a##b
#define OPFORGE_IMPL_OP_NAME(op_type, counter) OPFORGE_IMPL_OP_JOIN(g_op_impl_##op_type##_, counter)
#define IMPL_OP(op_type)                                                                                     \
    static const gert::OpImplRegisterV2 __attribute__((unused)) OPFORGE_IMPL_OP_NAME(op_type, __COUNTER__) = \
        gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)

#endif
