// The process-wide registry that static objects of op_host libraries fill while they load.
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "op_functions.h"
#include "op_model.h"

namespace {

// CANN's aclnn runtime makes room for the tiling struct that the kernel's binary names: neither OpDef nor the 2048 that
// IMPL_OP(...).Tiling(function) has by default limit it, and operators of CANN's repositories fill more.
constexpr uint64_t kTilingCapacity = 64 * 1024;
constexpr uint64_t kUnsaidCapacity = 2048;

typedef std::pair<std::string, const void*> Key;  // op type, library

struct Registry {
    std::mutex mutex;
    std::vector<std::unique_ptr<ops::OpModel>> definitions;
    std::map<Key, sim_host::OpFunctions> functions;
};

// Never destroyed: libraries deregister nothing, and their static objects may outlive ours.
Registry& TheRegistry() {
    static Registry* registry = new Registry;
    return *registry;
}

const void* LibraryOf(const void* address) {
    Dl_info info;
    return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

template <typename Function>
const void* LibraryOf(Function* function) {
    return LibraryOf(reinterpret_cast<const void*>(function));
}

// The caller holds the mutex.
sim_host::OpFunctions& FunctionsOf(const char* opType, const void* library) {
    auto inserted = TheRegistry().functions.emplace(Key(opType, library), sim_host::OpFunctions());
    if (inserted.second) {
        inserted.first->second.tilingCapacity = kTilingCapacity;
    }
    return inserted.first->second;
}

}  // namespace

namespace ops {

OpAdder::OpAdder(const OpDef& definition, unsigned parts) {
    const OpModel& model = *definition.model_;
    Registry& registry = TheRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    registry.definitions.emplace_back(new OpModel(model));
    uint64_t valueInputs = 0;
    for (size_t i = 0; i < model.inputs.items.size() && i < 64; ++i) {
        if (model.inputs.items[i]->valueDepend != IGNORE) {
            valueInputs |= uint64_t{1} << i;
        }
    }
    if ((parts & OP_ADD_TILING) != 0 && model.tiling != nullptr) {
        sim_host::OpFunctions& functions = FunctionsOf(model.type.c_str(), LibraryOf(model.tiling));
        functions.tiling = model.tiling;
        functions.valueInputs |= valueInputs;
    }
    if ((parts & OP_ADD_PROTO) != 0) {
        if (model.inferShape != nullptr) {
            sim_host::OpFunctions& functions = FunctionsOf(model.type.c_str(), LibraryOf(model.inferShape));
            functions.inferShape = model.inferShape;
            functions.valueInputs |= valueInputs;
        }
        if (model.inferShapeRange != nullptr) {
            const auto function = model.inferShapeRange;
            FunctionsOf(model.type.c_str(), LibraryOf(function)).inferShapeRange = function;
        }
        if (model.inferDataType != nullptr) {
            FunctionsOf(model.type.c_str(), LibraryOf(model.inferDataType)).inferDataType = model.inferDataType;
        }
    }
}

OpAdder::~OpAdder() {}

}  // namespace ops

namespace gert {

OpImplRegisterV2::OpImplRegisterV2(const char* opType) : op_type_(opType) {}

OpImplRegisterV2& OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    FunctionsOf(op_type_, LibraryOf(function)).inferShape = function;
    return *this;
}

// No call of aclnn asks for ranges: graph mode does, and op_infer.
OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc function) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    FunctionsOf(op_type_, LibraryOf(function)).inferShapeRange = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    FunctionsOf(op_type_, LibraryOf(function)).inferDataType = function;
    return *this;
}

namespace {
ge::graphStatus SameAsFirstInput(InferDataTypeContext* context) {
    for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
        if (context->SetOutputDataType(i, context->GetInputDataType(0)) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    return ge::GRAPH_SUCCESS;
}
}  // namespace

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    FunctionsOf(op_type_, LibraryOf(static_cast<const void*>(op_type_))).inferDataType = SameAsFirstInput;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t maxTilingDataSize) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    sim_host::OpFunctions& functions = FunctionsOf(op_type_, LibraryOf(function));
    functions.tiling = function;
    functions.tilingCapacity = maxTilingDataSize == kUnsaidCapacity ? kTilingCapacity : maxTilingDataSize;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::RegisterParse(TilingParseFunc function, CompileInfoCreator creator) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    sim_host::OpFunctions& functions = FunctionsOf(op_type_, LibraryOf(function));
    functions.tilingParse = function;
    functions.compileInfo = creator;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::DependsOn(const int32_t* indexes, size_t count, bool, bool) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    // The string literal of the op type lies in the registering library.
    sim_host::OpFunctions& functions = FunctionsOf(op_type_, LibraryOf(static_cast<const void*>(op_type_)));
    for (size_t i = 0; i < count; ++i) {
        if (indexes[i] >= 0 && indexes[i] < 64) {
            functions.valueInputs |= uint64_t{1} << indexes[i];
        }
    }
    return *this;
}

}  // namespace gert

uint64_t sim_registered_op_count() {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    return TheRegistry().definitions.size();
}

const ops::OpModel* sim_registered_op(uint64_t index) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    return index < TheRegistry().definitions.size() ? TheRegistry().definitions[index].get() : nullptr;
}

int sim_find_op_functions(const char* opType, const void* libraryBase, sim_host::OpFunctions* functions) {
    std::lock_guard<std::mutex> lock(TheRegistry().mutex);
    auto found = TheRegistry().functions.find(Key(opType, libraryBase));
    if (found == TheRegistry().functions.end()) {
        return 0;
    }
    *functions = found->second;
    return 1;
}
