// The second phase: copies into the workspace, then the launch.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "executor.h"
#include "messages.h"
#include "sim_launch.h"

namespace nnopbase {

namespace {

// Copies elements of the given size from a strided view to a dense one.
void CopyDense(const unsigned char* source, const Argument& view, size_t element, size_t dim, unsigned char** target) {
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
                std::string(executor.op->op_type) + ": the address of " + name + " is no device memory");
}

aclnnStatus RunCopies(const aclOpExecutor& executor, void* workspace) {
    for (const WorkspaceCopy& copy : executor.copies) {
        const Argument& input = executor.arguments.inputs[copy.input];
        if (copy.bytes == 0) {
            continue;
        }
        auto* target = static_cast<unsigned char*>(sim_host_view(static_cast<unsigned char*>(workspace) + copy.offset));
        if (target == nullptr) {
            return NotDevice(executor, "workspace");
        }
        if (input.on_host) {
            std::memcpy(target, input.host_value.data(), copy.bytes);
            continue;
        }
        const auto* source = static_cast<const unsigned char*>(sim_host_view(reinterpret_cast<void*>(input.address)));
        if (source == nullptr) {
            return NotDevice(executor, input.param->argument);
        }
        CopyDense(source, input, static_cast<size_t>(ge::GetSizeByDataType(input.type)), 0, &target);
    }
    return OK;
}

// Page "InitValue": outputs get their first value before a kernel that adds to them.
aclnnStatus InitOutputs(const aclOpExecutor& executor) {
    for (const Argument& output : executor.arguments.outputs) {
        const uint32_t step = output.param->init_bytes;
        const uint64_t bytes = output.present ? BytesOf(output.type, output.elements) : 0;
        if (!executor.init_outputs || step == 0 || bytes == 0) {
            continue;
        }
        auto* target = static_cast<unsigned char*>(sim_host_view(reinterpret_cast<void*>(output.address)));
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

// The kernel's view of the call: an address per argument, a region per stretch of memory behind them.
struct KernelView {
    std::vector<uint64_t> args;
    std::vector<sim_region> regions;
};

KernelView ViewOf(const aclOpExecutor& executor, void* workspace) {
    KernelView view;
    const auto add = [&view](uint64_t address, uint64_t bytes, bool writable, const char* name) {
        view.args.push_back(address);
        if (address != 0) {
            view.regions.push_back(sim_region{address, bytes, writable ? 1u : 0u, name});
        }
    };
    for (size_t i = 0; i < executor.arguments.inputs.size(); ++i) {
        const Argument& input = executor.arguments.inputs[i];
        const WorkspaceCopy* copied = nullptr;
        for (const WorkspaceCopy& copy : executor.copies) {
            copied = copy.input == i ? &copy : copied;
        }
        if (!input.present) {
            add(0, 0, false, input.param->name);
        } else if (copied != nullptr) {
            add(reinterpret_cast<uint64_t>(workspace) + copied->offset, copied->bytes, false, input.param->name);
        } else {
            add(input.address, BytesOf(input.type, input.extent), (input.flags & SIM_PARAM_IN_PLACE) != 0,
                input.param->name);
        }
    }
    for (const Argument& output : executor.arguments.outputs) {
        if (!output.present) {
            add(0, 0, true, output.param->name);
            continue;
        }
        bool in_place = false;
        for (const Argument& input : executor.arguments.inputs) {
            in_place = in_place || std::strcmp(input.param->name, output.param->name) == 0;
        }
        if (in_place) {
            view.args.push_back(output.address);  // its region is the input's
        } else {
            add(output.address, BytesOf(output.type, output.extent), true, output.param->name);
        }
    }
    const bool has_workspace = executor.kernel_workspace > 0;
    add(has_workspace ? reinterpret_cast<uint64_t>(workspace) : 0, executor.kernel_workspace, true, "workspace");
    view.args.push_back(0);  // tiling: the engine's own copy
    return view;
}

// $OPFORGE_SIM_CHECKS=fast leaves out the checks that cost; read once.
uint32_t ChecksWanted() {
    static const uint32_t checks = [] {
        const char* text = std::getenv("OPFORGE_SIM_CHECKS");
        return text != nullptr && std::strcmp(text, "fast") == 0 ? SIM_CHECKS_FAST : SIM_CHECKS_ALL;
    }();
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
            if (argument.present && !argument.on_host && argument.elements > 0 && argument.address == 0) {
                return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                            std::string(executor.op->op_type) + ": the address of " + argument.param->argument +
                                " is null although it has " + std::to_string(argument.elements) + " elements");
            }
        }
    }
    return OK;
}

// The kernel writes there, so a pointer that is none would only be noticed as a crash.
aclnnStatus CheckWorkspace(const aclOpExecutor& executor, void* workspace, uint64_t given) {
    const std::string name = executor.op->op_type;
    const uint64_t wanted = executor.total_workspace;
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
    const KernelView view = ViewOf(executor, workspace);
    sim_launch launch = {};
    launch.op_type = executor.op->op_type;
    launch.object_path = executor.object_path.c_str();
    launch.block_dim = executor.block_dim;
    launch.tiling_key = executor.tiling_key;
    launch.checks = ChecksWanted();
    launch.threads = ThreadsWanted();
    launch.soc = sim_current_soc();
    launch.arg_count = static_cast<uint32_t>(view.args.size());
    launch.args = view.args.data();
    launch.region_count = static_cast<uint32_t>(view.regions.size());
    launch.regions = view.regions.data();
    launch.tiling = executor.tiling.data();
    launch.tiling_bytes = executor.tiling.size();
    const int error = sim_device_launch(&launch);  // leaves its own message
    return error == 0 ? OK : error;
}

aclnnStatus Run(const aclOpExecutor& executor, void* workspace, uint64_t workspace_size) {
    if (executor.nothing_to_do) {
        return OK;
    }
    aclnnStatus status = CheckWorkspace(executor, workspace, workspace_size);
    if (status == OK) {
        status = CheckAddresses(executor);
    }
    if (status == OK) {
        status = RunCopies(executor, workspace);
    }
    if (status == OK) {
        status = InitOutputs(executor);
    }
    return status == OK ? Launch(executor, workspace) : status;
}

aclnnStatus SetAddress(aclOpExecutor* executor, std::vector<Argument>* arguments, size_t index, aclTensor* tensor,
                       void* address) {
    if (executor == nullptr || tensor == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001", "aclSetTensorAddr: executor or tensor is a null pointer");
    }
    if (!executor->repeatable || index >= arguments->size() || !(*arguments)[index].present) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    std::string(executor->op->op_type) + ": no tensor " + std::to_string(index) +
                        " to set, or the executor is not repeatable");
    }
    tensor->data = address;
    (*arguments)[index].address = tensor->Address();
    return OK;
}

}  // namespace
}  // namespace nnopbase

aclnnStatus sim_aclnn_run(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream) {
    if (executor == nullptr) {
        return nnopbase::Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                              "executor is a null pointer: did the first phase (aclnn...GetWorkspaceSize) fail?");
    }
    std::unique_ptr<aclOpExecutor> owned(executor->repeatable ? nullptr : executor);
    return nnopbase::Run(*executor, workspace, workspaceSize);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    if (executor == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    executor->repeatable = true;
    return OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    delete executor;
    return OK;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return nnopbase::SetAddress(executor, executor == nullptr ? nullptr : &executor->arguments.inputs, index, tensor,
                                addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return nnopbase::SetAddress(executor, executor == nullptr ? nullptr : &executor->arguments.outputs, index, tensor,
                                addr);
}
