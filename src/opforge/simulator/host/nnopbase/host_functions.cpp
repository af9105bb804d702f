#include "host_functions.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "messages.h"
#include "op_crash.h"
#include "platform/platform_infos_def.h"
#include "sim_launch.h"

namespace nnopbase {

namespace {

// Tiling data that a function leaves unset is undefined on a device too; a pattern shows it sooner than zeros.
constexpr unsigned char kUnsetTilingByte = 0xA5;
constexpr unsigned char kOtherUnsetTilingByte = 0x5A;

sim_host::TensorSlot SlotOf(const TensorArgument& tensor, bool withValue) {
    sim_host::TensorSlot slot;
    for (const int64_t dim : tensor.dims) {
        slot.shape.MutableOriginShape().AppendDim(dim);
        slot.shape.MutableStorageShape().AppendDim(dim);
    }
    slot.desc = gert::CompileTimeTensorDesc(tensor.type, gert::StorageFormat(tensor.format, tensor.format));
    const void* value = withValue && tensor.onHost ? tensor.hostValue.data() : nullptr;
    slot.tensor = gert::Tensor(slot.shape, slot.desc, value);
    return slot;
}

void AddAttr(const sim_attr_value& attr, sim_host::AttrValues* values) {
    switch (attr.kind) {
        case SIM_ATTR_BOOL:
            return values->AddBool(attr.integer != 0);
        case SIM_ATTR_FLOAT:
            return values->AddFloat(static_cast<float>(attr.real));
        case SIM_ATTR_INT:
            return values->AddInt(attr.integer);
        case SIM_ATTR_STRING:
            return values->AddString(static_cast<const char*>(attr.data));
        case SIM_ATTR_BOOLS:
            return values->AddBools(static_cast<const bool*>(attr.data), attr.count);
        case SIM_ATTR_FLOATS:
            return values->AddFloats(static_cast<const float*>(attr.data), attr.count);
        case SIM_ATTR_INTS:
            return values->AddInts(static_cast<const int64_t*>(attr.data), attr.count);
        case SIM_ATTR_BOOL_ARRAY: {
            const auto& array = static_cast<const aclBoolArray*>(attr.data)->values;
            return values->AddBools(reinterpret_cast<const bool*>(array.data()), array.size());
        }
        case SIM_ATTR_FLOAT_ARRAY: {
            const auto& array = static_cast<const aclFloatArray*>(attr.data)->values;
            return values->AddFloats(array.data(), array.size());
        }
        default: {
            const auto& array = static_cast<const aclIntArray*>(attr.data)->values;
            return values->AddInts(array.data(), array.size());
        }
    }
}

void Fill(const sim_op& op, const OpPackage& package, const Arguments& arguments, const sim_attr_value* attrs,
          sim_host::ContextData* data) {
    data->opType = op.op_type;
    for (size_t i = 0; i < arguments.inputs.size(); ++i) {
        const Argument& input = arguments.inputs[i];
        data->inputInstances.emplace_back(data->inputs.size(), input.tensors.size());
        const bool readsValue = i < 64 && ((package.functions.valueInputs >> i) & 1) != 0;
        for (const TensorArgument& tensor : input.tensors) {
            sim_host::TensorSlot slot = SlotOf(tensor, readsValue || (input.flags & SIM_PARAM_HOST_VALUE) != 0);
            slot.isView = !tensor.contiguous && (input.flags & SIM_PARAM_IGNORE_CONTIGUOUS) != 0;
            for (const int64_t stride : tensor.strides) {
                slot.stride.AppendStride(stride);
            }
            data->inputs.push_back(slot);
        }
    }
    for (const Argument& output : arguments.outputs) {
        data->outputInstances.emplace_back(data->outputs.size(), output.tensors.size());
        for (const TensorArgument& tensor : output.tensors) {
            data->outputs.push_back(SlotOf(tensor, false));
        }
    }
    for (uint32_t i = 0; i < op.attr_count; ++i) {
        AddAttr(attrs[i], &data->attrs);
    }
}

// What call writes to stderr, without showing it. Used on functions that just failed and showed it the first time.
std::string Captured(const std::function<void()>& call) {
    static std::mutex mutex;  // stderr is the process's
    std::lock_guard<std::mutex> lock(mutex);
    const int memory = memfd_create("op_host stderr", MFD_CLOEXEC);
    const int saved = memory < 0 ? -1 : dup(STDERR_FILENO);
    if (saved < 0) {
        if (memory >= 0) {
            close(memory);
        }
        return "";
    }
    std::fflush(stderr);
    dup2(memory, STDERR_FILENO);
    call();
    std::fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    std::string text(static_cast<size_t>(lseek(memory, 0, SEEK_END)), '\0');
    const ssize_t length = pread(memory, &text[0], text.size(), 0);
    close(memory);
    text.resize(length < 0 ? 0 : static_cast<size_t>(length));
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

std::string InputShapes(const Arguments& arguments) {
    std::string text;
    for (const Argument& input : arguments.inputs) {
        for (size_t i = 0; i < input.tensors.size(); ++i) {
            text += (text.empty() ? "" : ", ") + input.NameOf(i, input.param->argument) + " " +
                    ShapeText(input.tensors[i].dims);
        }
    }
    return text;
}

// The level that log macros write in front says nothing here.
std::string Reason(const std::string& captured) {
    size_t begin = 0;
    for (const std::string level : {"[ERROR] ", "[WARNING] "}) {
        begin = captured.compare(0, level.size(), level) == 0 ? level.size() : begin;
    }
    return captured.empty() ? ". It wrote no reason to stderr" : ": " + captured.substr(begin);
}

// What a function of the op returns, watched for crashes. An exception that leaves it is a failure with what it says.
template <typename Context>
ge::graphStatus Called(ge::graphStatus (*function)(Context*), Context* context, const std::string& what) {
    const OpCrash watch(reinterpret_cast<const void*>(function), what);
    try {
        return function(context);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "an exception left the function: %s\n", exception.what());
    }
    return ge::GRAPH_FAILED;
}

std::vector<int64_t> DimsOf(const gert::Shape& shape) {
    std::vector<int64_t> dims;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

// -2 alone stands for any rank, -1 for any size.
bool ShapeFits(const std::vector<int64_t>& inferred, const std::vector<int64_t>& given) {
    if (inferred.size() == 1 && inferred[0] == -2) {
        return true;
    }
    if (inferred.size() != given.size()) {
        return false;
    }
    for (size_t i = 0; i < given.size(); ++i) {
        if (inferred[i] != -1 && inferred[i] != given[i]) {
            return false;
        }
    }
    return true;
}

bool IsInPlace(const sim_op& op, const Argument& output) {
    const std::string name = output.param->name;
    return std::any_of(op.inputs, op.inputs + op.input_count,
                       [&](const sim_param& input) { return input.name == name; });
}

}  // namespace

aclnnStatus CheckShapes(const sim_op& op, const OpPackage& package, const Arguments& arguments,
                        const sim_attr_value* attrs) {
    const auto inferShape = package.functions.inferShape;
    if (inferShape == nullptr) {
        return OK;
    }
    const std::string what = std::string(op.op_type) + ": InferShape for " + InputShapes(arguments);
    const auto run = [&](sim_host::ContextData* data) {
        Fill(op, package, arguments, attrs, data);
        size_t slot = 0;
        for (const Argument& output : arguments.outputs) {
            for (size_t i = 0; i < output.tensors.size(); ++i, ++slot) {
                if (!IsInPlace(op, output)) {  // else it has its input's shape where InferShape sets none
                    data->outputs[slot].shape = gert::StorageShape();
                }
            }
        }
        gert::InferShapeContext context(data);
        return Called(inferShape, &context, what);
    };
    sim_host::ContextData data;
    if (run(&data) != ge::GRAPH_SUCCESS) {
        const std::string captured = Captured([&] {
            sim_host::ContextData again;
            run(&again);
        });
        return Fail(ACLNN_ERR_INNER_INFERSHAPE_ERROR, "EZ9999",
                    std::string(op.op_type) + ": InferShape failed for " + InputShapes(arguments) + Reason(captured));
    }
    size_t instance = 0;
    for (const Argument& output : arguments.outputs) {
        for (size_t i = 0; i < output.tensors.size(); ++i) {
            const std::vector<int64_t> inferred = DimsOf(data.outputs[instance++].shape.GetOriginShape());
            const std::vector<int64_t>& given = output.tensors[i].dims;
            if (!ShapeFits(inferred, given)) {
                return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                            std::string(op.op_type) + ": " + output.NameOf(i, output.param->argument) + " has shape " +
                                ShapeText(given) + "; InferShape gives " + ShapeText(inferred) + " for " +
                                InputShapes(arguments));
            }
        }
    }
    return OK;
}

aclnnStatus RunTiling(const sim_op& op, const OpPackage& package, const sim_attr_value* attrs,
                      aclOpExecutor* executor) {
    fe::PlatFormInfos* platform = sim_platform_infos(sim_current_soc()->name);
    if (platform == nullptr) {
        return Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ1013",
                    std::string(op.op_type) + ": the toolkit has no data/platform_config/" + sim_current_soc()->name +
                        ".ini. Build the toolkit again");
    }
    const std::string what =
        std::string(op.op_type) + ": tiling for " + InputShapes(executor->arguments) + " on " + sim_current_soc()->name;
    const auto run = [&](sim_host::ContextData* data, gert::TilingData* tilingData) {
        Fill(op, package, executor->arguments, attrs, data);
        data->platform = platform;
        data->compileInfo = package.compileInfo;
        data->tilingData = tilingData;
        gert::TilingContext context(data);
        return Called(package.functions.tiling, &context, what);
    };
    executor->tiling.assign(package.functions.tilingCapacity, kUnsetTilingByte);
    gert::TilingData tilingData(executor->tiling.data(), executor->tiling.size());
    sim_host::ContextData data;
    if (run(&data, &tilingData) != ge::GRAPH_SUCCESS) {
        const std::string captured = Captured([&] {
            gert::TilingData againData(executor->tiling.data(), executor->tiling.size());
            sim_host::ContextData again;
            run(&again, &againData);
        });
        return Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ9999",
                    std::string(op.op_type) + ": tiling failed for " + InputShapes(executor->arguments) + " on " +
                        sim_current_soc()->name + Reason(captured));
    }
    if (data.blockDim == 0) {
        return Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ9999",
                    std::string(op.op_type) + ": tiling set no block dim. Call context->SetBlockDim() with 1 or more");
    }
    if (tilingData.GetDataSize() > tilingData.GetCapacity()) {
        return Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ9999",
                    std::string(op.op_type) + ": tiling data of " + std::to_string(tilingData.GetDataSize()) +
                        " bytes do not fit the buffer of " + std::to_string(tilingData.GetCapacity()));
    }
    executor->blockDim = data.blockDim;
    executor->tilingKey = data.tilingKey;
    executor->initOutputs = data.needAtomic;
    executor->tiling.resize(tilingData.GetDataSize());
    // What is as before after two runs over different bytes has been written by neither.
    executor->tilingSet.clear();
    const auto unset = [](unsigned char byte) { return byte == kUnsetTilingByte; };
    if (std::any_of(executor->tiling.begin(), executor->tiling.end(), unset)) {
        std::vector<unsigned char> other(package.functions.tilingCapacity, kOtherUnsetTilingByte);
        gert::TilingData otherData(other.data(), other.size());
        sim_host::ContextData again;
        if (run(&again, &otherData) == ge::GRAPH_SUCCESS) {
            bool all = true;
            for (size_t i = 0; i < executor->tiling.size(); ++i) {
                const bool set = executor->tiling[i] != kUnsetTilingByte || other[i] != kOtherUnsetTilingByte;
                executor->tilingSet.push_back(set ? 1 : 0);
                all = all && set;
            }
            if (all) {
                executor->tilingSet.clear();
            }
        }
    }
    executor->kernelWorkspace = 0;
    for (const size_t bytes : data.workspaces) {
        executor->kernelWorkspace += bytes;
    }
    return OK;
}

}  // namespace nnopbase
