// Calls the tiling and inference functions of an op_host source with every kind of argument: lists, what is left out,
// attributes of all types, values that the host reads. A call is built up piece by piece; Python's ctypes calls this.
#include <dlfcn.h>

#include <string>
#include <vector>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "platform/platform_infos_def.h"
#include "register/op_functions.h"

namespace {

sim_host::ContextData* data = nullptr;
std::vector<std::vector<char>> values;

sim_host::OpFunctions Functions() {
    Dl_info self;
    dladdr(reinterpret_cast<const void*>(&Functions), &self);
    sim_host::OpFunctions functions{};
    sim_find_op_functions(data->opType.c_str(), self.dli_fbase, &functions);
    return functions;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void begin(const char* op) {
    delete data;
    data = new sim_host::ContextData();
    data->opType = op;
}

EXPORT void add_argument(bool input) {
    auto& slots = input ? data->inputs : data->outputs;
    (input ? data->inputInstances : data->outputInstances).emplace_back(slots.size(), 0);
}

// One more tensor of the last argument; `value`, of `bytes` bytes, may be null.
EXPORT void add_tensor(bool input, int32_t dtype, int32_t rank, const int64_t* dims, const char* value, size_t bytes) {
    auto& slots = input ? data->inputs : data->outputs;
    auto& argument = (input ? data->inputInstances : data->outputInstances).back();
    argument = gert::AnchorInstanceInfo(argument.GetInstanceStart(), argument.GetInstanceNum() + 1);
    sim_host::TensorSlot slot;
    for (int32_t i = 0; i < rank; i++) {
        slot.shape.MutableOriginShape().AppendDim(dims[i]);
        slot.shape.MutableStorageShape().AppendDim(dims[i]);
    }
    slot.desc = gert::CompileTimeTensorDesc(static_cast<ge::DataType>(dtype),
                                            gert::StorageFormat(ge::FORMAT_ND, ge::FORMAT_ND));
    const void* held = nullptr;
    if (value != nullptr) {
        values.emplace_back(value, value + bytes);
        held = values.back().data();
    }
    slot.tensor = gert::Tensor(slot.shape, slot.desc, held);
    slots.push_back(slot);
}

EXPORT void add_int(int64_t value) { data->attrs.AddInt(value); }
EXPORT void add_float(float value) { data->attrs.AddFloat(value); }
EXPORT void add_bool(bool value) { data->attrs.AddBool(value); }
EXPORT void add_text(const char* value) { data->attrs.AddString(value); }
EXPORT void add_ints(const int64_t* list, size_t count) { data->attrs.AddInts(list, count); }
EXPORT void add_floats(const float* list, size_t count) { data->attrs.AddFloats(list, count); }
EXPORT void add_bools(const bool* list, size_t count) { data->attrs.AddBools(list, count); }

EXPORT uint32_t run_tiling(const char* soc, uint8_t* bytes, uint64_t* size, uint32_t* blocks, bool* atomic) {
    data->platform = sim_platform_infos(soc);
    gert::TilingData tiling(bytes, *size);
    data->tilingData = &tiling;
    gert::TilingContext context(data);
    const ge::graphStatus status = Functions().tiling(&context);
    *size = tiling.GetDataSize();
    *blocks = data->blockDim;
    *atomic = data->needAtomic;
    return status;
}

// The shapes of the outputs go to `dims`, eight for each, and their ranks to `ranks`.
EXPORT uint32_t run_infer_shape(int32_t* ranks, int64_t* dims) {
    gert::InferShapeContext context(data);
    const ge::graphStatus status = Functions().inferShape(&context);
    for (size_t i = 0; i < data->outputs.size(); i++) {
        const gert::Shape& shape = data->outputs[i].shape.GetOriginShape();
        ranks[i] = static_cast<int32_t>(shape.GetDimNum());
        for (size_t d = 0; d < shape.GetDimNum(); d++) {
            dims[8 * i + d] = shape.GetDim(d);
        }
    }
    return status;
}

EXPORT uint32_t run_infer_type(int32_t* dtypes) {
    gert::InferDataTypeContext context(data);
    const ge::graphStatus status = Functions().inferDataType(&context);
    for (size_t i = 0; i < data->outputs.size(); i++) {
        dtypes[i] = data->outputs[i].desc.GetDataType();
    }
    return status;
}
