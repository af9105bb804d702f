// Calls the tiling and inference functions of op_host sources that are linked into the same library, with shapes and
// types instead of an aclnn call. Python's ctypes calls this.
#include <dlfcn.h>

#include <cstring>
#include <iterator>
#include <sstream>
#include <vector>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "platform/platform_infos_def.h"
#include "register/op_functions.h"

namespace {

sim_host::OpFunctions FunctionsOf(const char* op) {
    Dl_info self;
    dladdr(reinterpret_cast<const void*>(&FunctionsOf), &self);
    sim_host::OpFunctions functions{};
    sim_find_op_functions(op, self.dli_fbase, &functions);
    return functions;
}

template <typename T>
std::vector<T> Numbers(const char* text) {
    std::istringstream stream(text);
    return {std::istream_iterator<T>(stream), std::istream_iterator<T>()};
}

sim_host::TensorSlot Slot(int32_t rank, const int64_t* dims, int32_t dtype) {
    sim_host::TensorSlot slot;
    for (int32_t i = 0; i < rank; i++) {
        slot.shape.MutableOriginShape().AppendDim(dims[i]);
        slot.shape.MutableStorageShape().AppendDim(dims[i]);
    }
    slot.desc = gert::CompileTimeTensorDesc(static_cast<ge::DataType>(dtype),
                                            gert::StorageFormat(ge::FORMAT_ND, ge::FORMAT_ND));
    return slot;
}

}  // namespace

extern "C" {

struct Call {
    const char* op;
    const char* soc;
    int32_t inputs;
    int32_t outputs;
    const int32_t* ranks;  // of all tensors, inputs first; -1: not given
    const int64_t* dims;   // eight for each tensor
    const int32_t* dtypes;
    int32_t attrs;
    const char* attr_kinds;  // 'f', 'i', 'b' or 's' each; 'F', 'I' or 'B' for a list, whose numbers are a text
    const double* attr_values;
    const char* const* attr_texts;
    // Results of tiling.
    uint8_t* tiling;
    uint64_t tiling_bytes;  // capacity, then size
    uint64_t tiling_key;
    uint32_t block_dim;
    uint64_t workspaces;
    uint64_t workspace;
    uint32_t schedule_mode;
    // Results of inference.
    int32_t* inferred_ranks;
    int64_t* inferred_dims;
    int32_t* inferred_dtypes;
};

static void Fill(const Call& call, sim_host::ContextData& data) {
    data.opType = call.op;
    for (int32_t i = 0; i < call.inputs + call.outputs; i++) {
        const bool input = i < call.inputs;
        auto& slots = input ? data.inputs : data.outputs;
        auto& instances = input ? data.inputInstances : data.outputInstances;
        if (call.ranks[i] < 0) {  // an optional input that is not given
            instances.emplace_back(slots.size(), 0);
            continue;
        }
        instances.emplace_back(slots.size(), 1);
        slots.push_back(Slot(call.ranks[i], call.dims + 8 * i, call.dtypes[i]));
    }
    for (int32_t i = 0; i < call.attrs; i++) {
        if (call.attr_kinds[i] == 'f') {
            data.attrs.AddFloat(static_cast<float>(call.attr_values[i]));
        } else if (call.attr_kinds[i] == 'i') {
            data.attrs.AddInt(static_cast<int64_t>(call.attr_values[i]));
        } else if (call.attr_kinds[i] == 's') {
            data.attrs.AddString(call.attr_texts[i]);
        } else if (call.attr_kinds[i] == 'F') {
            const auto values = Numbers<float>(call.attr_texts[i]);
            data.attrs.AddFloats(values.data(), values.size());
        } else if (call.attr_kinds[i] == 'I') {
            const auto values = Numbers<int64_t>(call.attr_texts[i]);
            data.attrs.AddInts(values.data(), values.size());
        } else {
            data.attrs.AddBool(call.attr_values[i] != 0);
        }
    }
}

__attribute__((visibility("default"))) uint32_t run_tiling(Call* call) {
    sim_host::ContextData data;
    Fill(*call, data);
    data.platform = sim_platform_infos(call->soc);
    gert::TilingData tiling(call->tiling, call->tiling_bytes);
    data.tilingData = &tiling;
    gert::TilingContext context(&data);
    const ge::graphStatus status = FunctionsOf(call->op).tiling(&context);
    call->tiling_bytes = tiling.GetDataSize();
    call->tiling_key = data.tilingKey;
    call->block_dim = data.blockDim;
    call->workspaces = data.workspaces.size();
    call->schedule_mode = data.scheduleMode;
    call->workspace = data.workspaces.empty() ? 0 : data.workspaces[0];
    return status;
}

__attribute__((visibility("default"))) uint32_t run_infer_shape(Call* call) {
    sim_host::ContextData data;
    Fill(*call, data);
    for (auto& output : data.outputs) {
        output.shape = gert::StorageShape();
    }
    gert::InferShapeContext context(&data);
    const ge::graphStatus status = FunctionsOf(call->op).inferShape(&context);
    for (int32_t i = 0; i < call->outputs; i++) {
        const gert::Shape& shape = data.outputs[static_cast<size_t>(i)].shape.GetOriginShape();
        call->inferred_ranks[i] = static_cast<int32_t>(shape.GetDimNum());
        for (size_t d = 0; d < shape.GetDimNum(); d++) {
            call->inferred_dims[8 * i + static_cast<int32_t>(d)] = shape.GetDim(d);
        }
    }
    return status;
}

__attribute__((visibility("default"))) uint32_t run_infer_dtype(Call* call) {
    sim_host::ContextData data;
    Fill(*call, data);
    gert::InferDataTypeContext context(&data);
    const ge::graphStatus status = FunctionsOf(call->op).inferDataType(&context);
    for (int32_t i = 0; i < call->outputs; i++) {
        call->inferred_dtypes[i] = data.outputs[static_cast<size_t>(i)].desc.GetDataType();
    }
    return status;
}
}
