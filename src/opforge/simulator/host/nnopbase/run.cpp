// The second phase: copies into the workspace, then the launch. On a captured stream a graph keeps both for its
// replays.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "executor.h"
#include "kernel_view.h"
#include "messages.h"
#include "opp.h"
#include "output_shapes.h"
#include "sim_capture.h"
#include "sim_launch.h"
#include "tensor_list.h"

namespace nnopbase {

namespace {

// Copies elements of the given size from a strided view to a dense one.
void CopyDense(const unsigned char* source, const TensorArgument& view, size_t element, size_t dim,
               unsigned char** target) {
    if (dim == view.dims.size()) {
        std::memcpy(*target, source, element);
        *target += element;
        return;
    }
    const uint64_t step = static_cast<uint64_t>(view.strides[dim]) * element;
    const bool last = dim + 1 == view.dims.size();
    if (last && view.strides[dim] == 1) {
        const size_t bytes = static_cast<size_t>(view.dims[dim]) * element;
        std::memcpy(*target, source, bytes);
        *target += bytes;
        return;
    }
    for (int64_t i = 0; i < view.dims[dim]; ++i) {
        CopyDense(source + static_cast<uint64_t>(i) * step, view, element, dim + 1, target);
    }
}

aclnnStatus NotDevice(const aclOpExecutor& executor, const std::string& name) {
    return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                std::string(executor.op->op_type) + ": the address of " + name + " is not device memory");
}

aclnnStatus RunCopies(const aclOpExecutor& executor, void* workspace) {
    for (const WorkspaceCopy& copy : executor.copies) {
        const Argument& argument = executor.arguments.inputs[copy.input];
        const TensorArgument& input = argument.tensors[copy.tensor];
        if (copy.bytes == 0) {
            continue;
        }
        auto* target = static_cast<unsigned char*>(sim_host_view(static_cast<unsigned char*>(workspace) + copy.offset));
        if (target == nullptr) {
            return NotDevice(executor, "workspace");
        }
        if (input.onHost) {
            std::memcpy(target, input.hostValue.data(), copy.bytes);
            continue;
        }
        const auto* source = static_cast<const unsigned char*>(sim_host_view(reinterpret_cast<void*>(input.address)));
        if (source == nullptr) {
            return NotDevice(executor, argument.NameOf(copy.tensor, argument.param->argument));
        }
        CopyDense(source, input, static_cast<size_t>(ge::GetSizeByDataType(input.type)), 0, &target);
    }
    return OK;
}

aclnnStatus WriteLists(const aclOpExecutor& executor, void* workspace) {
    for (const ListPlace& place : executor.lists) {
        const auto& declared = place.isInput ? executor.arguments.inputs : executor.arguments.outputs;
        const Argument& argument = declared[place.index];
        std::vector<uint64_t> addresses;
        for (size_t i = 0; i < argument.tensors.size(); ++i) {
            addresses.push_back(place.isInput ? AddressOf(executor, workspace, place.index, i)
                                              : argument.tensors[i].address);
        }
        const std::vector<uint64_t> words = TensorListWords(argument, addresses);
        void* target = sim_host_view(static_cast<unsigned char*>(workspace) + place.offset);
        if (target == nullptr) {
            return NotDevice(executor, "workspace");
        }
        std::memcpy(target, words.data(), words.size() * sizeof(uint64_t));
    }
    return OK;
}

// Page "InitValue": outputs get their first value before a kernel that adds to them.
aclnnStatus InitOutputs(const aclOpExecutor& executor) {
    for (const Argument& output : executor.arguments.outputs) {
        const uint32_t step = output.param->init_bytes;
        if (!executor.initOutputs || step == 0 || !output.Present()) {
            continue;
        }
        const TensorArgument& tensor = output.tensors.front();  // op_build refuses it for lists
        const uint64_t bytes = BytesOf(tensor.type, tensor.elements);
        if (bytes == 0) {
            continue;
        }
        auto* target = static_cast<unsigned char*>(sim_host_view(reinterpret_cast<void*>(tensor.address)));
        if (target == nullptr) {
            return NotDevice(executor, output.param->argument);
        }
        if (output.param->init_pattern == 0) {
            std::memset(target, 0, bytes);
            continue;
        }
        for (uint64_t at = 0; at + step <= bytes; at += step) {
            std::memcpy(target + at, &output.param->init_pattern, step);
        }
    }
    return OK;
}

// $OPFORGE_SIM_CHECKS, read once. The runtime refuses a value that means nothing before anything runs.
uint32_t ChecksWanted() {
    static const uint32_t checks = static_cast<uint32_t>(sim_checks_named(std::getenv("OPFORGE_SIM_CHECKS")));
    return checks;
}

// $OPFORGE_SIM_THREADS: host threads for the blocks of a kernel; 0 or unset, as many as the machine has.
uint32_t ThreadsWanted() {
    static const uint32_t threads = [] {
        const char* text = std::getenv("OPFORGE_SIM_THREADS");
        return text == nullptr ? 0u : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
    }();
    return threads;
}

aclnnStatus CheckAddresses(const aclOpExecutor& executor) {
    for (const auto* list : {&executor.arguments.inputs, &executor.arguments.outputs}) {
        for (const Argument& argument : *list) {
            for (size_t i = 0; i < argument.tensors.size(); ++i) {
                const TensorArgument& tensor = argument.tensors[i];
                if (!tensor.onHost && tensor.elements > 0 && tensor.address == 0) {
                    return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                                std::string(executor.op->op_type) + ": the address of " +
                                    argument.NameOf(i, argument.param->argument) + " is null although it has " +
                                    std::to_string(tensor.elements) + " elements");
                }
            }
        }
    }
    return OK;
}

// The kernel writes there, so a pointer that is none would only be noticed as a crash.
aclnnStatus CheckWorkspace(const aclOpExecutor& executor, void* workspace, uint64_t given) {
    const std::string name = executor.op->op_type;
    const uint64_t wanted = executor.totalWorkspace;
    const std::string asked = "the first phase asked for " + std::to_string(wanted) + " bytes";
    if (given < wanted) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    name + ": workspaceSize is " + std::to_string(given) + ", but " + asked);
    }
    if (wanted == 0) {
        return OK;
    }
    if (workspace == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001", name + ": workspace is a null pointer, but " + asked);
    }
    if (sim_host_view(workspace) == nullptr) {
        return NotDevice(executor, "workspace");
    }
    if (sim_host_view(static_cast<unsigned char*>(workspace) + wanted - 1) == nullptr) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    name + ": the memory at workspace ends before the bytes that workspaceSize promises: " + asked);
    }
    return OK;
}

aclnnStatus Launch(const aclOpExecutor& executor, void* workspace) {
    const KernelView view(executor, workspace);
    sim_launch launch = {};
    launch.op_type = executor.op->op_type;
    launch.object_path = executor.objectPath.c_str();
    launch.block_dim = executor.blockDim;
    launch.tiling_key = executor.tilingKey;
    launch.checks = ChecksWanted();
    launch.threads = ThreadsWanted();
    launch.soc = sim_current_soc();
    launch.arg_count = static_cast<uint32_t>(view.args.size());
    launch.args = view.args.data();
    launch.region_count = static_cast<uint32_t>(view.regions.size());
    launch.regions = view.regions.data();
    launch.tiling = executor.tiling.data();
    launch.tiling_bytes = executor.tiling.size();
    launch.tiling_set = executor.tilingSet.empty() ? nullptr : executor.tilingSet.data();
    std::vector<sim_allow> allow;
    for (const AllowedRule& rule : executor.package->allow) {
        allow.push_back(sim_allow{rule.rule.c_str(), rule.file.c_str(), rule.warn ? 1u : 0u});
    }
    launch.rules = RulesWanted(*executor.package);
    launch.allow_count = static_cast<uint32_t>(allow.size());
    launch.allow = allow.data();
    launch.project = executor.package->hasSimulator ? SIM_PROJECT_SIMULATOR : SIM_PROJECT_PLAIN;
    const int error = sim_device_launch(&launch);  // leaves its own message
    return error == 0 ? OK : error;
}

// The work on the device: what a captured stream records.
aclnnStatus Work(const aclOpExecutor& executor, void* workspace) {
    aclnnStatus status = RunCopies(executor, workspace);
    if (status == OK) {
        status = WriteLists(executor, workspace);
    }
    if (status == OK) {
        status = InitOutputs(executor);
    }
    if (status == OK) {
        ClearShapes(executor, workspace);
        status = Launch(executor, workspace);
    }
    return status;
}

// What a graph needs of a call: the executor has the tiling data and the host's values, the tensors are addresses.
struct RecordedCall {
    std::unique_ptr<const aclOpExecutor> executor;
    void* workspace;
};

aclnnStatus Record(std::unique_ptr<const aclOpExecutor> executor, void* workspace, aclrtStream stream) {
    const std::string name = executor->op->op_type;
    if (executor->shapes > 0) {
        constexpr int kStreamCaptured = 107027;  // ACL_ERROR_RT_STREAM_CAPTURED
        return sim_capture_refuse(stream, kStreamCaptured,
                                  (name + ": stream is captured. The kernel says the shapes of its outputs "
                                          "(OutputShapeDependOnCompute), so the call waits for the stream, which a "
                                          "capture does not allow")
                                      .c_str());
    }
    auto* call = new RecordedCall{std::move(executor), workspace};
    const sim_task task = {
        name.c_str(),
        [](void* context) {
            const auto* recorded = static_cast<const RecordedCall*>(context);
            return Work(*recorded->executor, recorded->workspace);
        },
        [](void* context) { delete static_cast<RecordedCall*>(context); },
        call,
    };
    return sim_capture_record(stream, &task);
}

aclnnStatus Run(std::unique_ptr<const aclOpExecutor> owned, const aclOpExecutor& executor, void* workspace,
                uint64_t workspaceSize, aclrtStream stream) {
    if (executor.nothingToDo) {
        return OK;
    }
    aclnnStatus status = CheckWorkspace(executor, workspace, workspaceSize);
    if (status == OK) {
        status = CheckAddresses(executor);
    }
    if (status == OK && sim_stream_captures(stream) != 0) {
        return Record(owned != nullptr ? std::move(owned) : std::make_unique<const aclOpExecutor>(executor), workspace,
                      stream);
    }
    if (status == OK) {
        status = Work(executor, workspace);
    }
    return status == OK ? TakeShapes(executor, workspace) : status;
}

}  // namespace
}  // namespace nnopbase

aclnnStatus sim_aclnn_run(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
    if (executor == nullptr) {
        return nnopbase::Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                              "executor is a null pointer: did the first phase (aclnn...GetWorkspaceSize) fail?");
    }
    std::unique_ptr<const aclOpExecutor> owned(executor->repeatable ? nullptr : executor);
    return nnopbase::Run(std::move(owned), *executor, workspace, workspaceSize, stream);
}
