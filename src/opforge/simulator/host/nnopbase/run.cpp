// The second phase: copies into the workspace, then the launch.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>

#include "executor.h"
#include "messages.h"
#include "opp.h"
#include "output_shapes.h"
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
                std::string(executor.op->op_type) + ": the address of " + name + " is no device memory");
}

// The address of a tensor as the kernel sees it: its own, or that of its copy in the workspace.
uint64_t AddressOf(const aclOpExecutor& executor, void* workspace, size_t input, size_t tensor) {
    for (const WorkspaceCopy& copy : executor.copies) {
        if (copy.input == input && copy.tensor == tensor) {
            return reinterpret_cast<uint64_t>(workspace) + copy.offset;
        }
    }
    return executor.arguments.inputs[input].tensors[tensor].address;
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
        if (input.on_host) {
            std::memcpy(target, input.host_value.data(), copy.bytes);
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
        const auto& declared = place.is_input ? executor.arguments.inputs : executor.arguments.outputs;
        const Argument& argument = declared[place.index];
        std::vector<uint64_t> addresses;
        for (size_t i = 0; i < argument.tensors.size(); ++i) {
            addresses.push_back(place.is_input ? AddressOf(executor, workspace, place.index, i)
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
        if (!executor.init_outputs || step == 0 || !output.Present()) {
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

// The kernel's view of the call: an address per argument, a region per stretch of memory behind them.
class KernelView {
public:
    KernelView(const aclOpExecutor& executor, void* workspace) : executor_(executor), workspace_(workspace) {
        for (size_t i = 0; i < executor.arguments.inputs.size(); ++i) {
            AddInput(i);
        }
        for (size_t i = 0; i < executor.arguments.outputs.size(); ++i) {
            AddOutput(i);
        }
        if (executor.shapes > 0) {
            args.push_back(reinterpret_cast<uint64_t>(workspace) + executor.shapes_place);
            AddRegion(args.back(), executor.shapes * kShapeWords * sizeof(uint64_t), true, "the shapes of outputs",
                      SIM_REGION_MEMORY);
        }
        const bool has_workspace = executor.kernel_workspace > 0;
        const uint64_t address = has_workspace ? reinterpret_cast<uint64_t>(workspace) : 0;
        AddRegion(address, executor.kernel_workspace, true, "workspace", SIM_REGION_WORKSPACE);
        args.push_back(address);
        args.push_back(0);  // tiling: the engine's own copy
    }

    std::vector<uint64_t> args;
    std::vector<sim_region> regions;

private:
    void AddRegion(uint64_t address, uint64_t bytes, bool writable, const std::string& name, uint32_t role) {
        if (address != 0) {
            names_.push_back(name);
            regions.push_back(
                sim_region{address, bytes, writable ? 1u : 0u, names_.back().c_str(), role, 0, address, bytes});
        }
    }

    // A tensor, at its own place or, where that is strided, at its copy's in the workspace.
    void AddTensor(const TensorArgument& tensor, uint64_t address, bool writable, const std::string& name,
                   uint32_t role) {
        const bool copied = address != tensor.address;
        AddRegion(address, BytesOf(tensor.type, copied ? tensor.elements : tensor.extent), writable, name, role);
        if (address != 0) {
            sim_region& region = regions.back();
            const int element = ge::GetSizeByDataType(tensor.type);
            region.element = element > 0 && element <= 16 ? static_cast<uint32_t>(element) : 0;
            if (!copied) {
                region.storage = tensor.storage;
                region.storage_bytes = tensor.storage_bytes;
            }
        }
    }

    // The kernel's argument: the one tensor's address, or that of the list's description.
    void AddArgument(bool is_input, size_t index, const Argument& argument, uint64_t address) {
        for (const ListPlace& place : executor_.lists) {
            if (place.is_input == is_input && place.index == index) {
                address = reinterpret_cast<uint64_t>(workspace_) + place.offset;
                AddRegion(address, TensorListBytes(argument), false, std::string("the list ") + argument.param->name,
                          SIM_REGION_MEMORY);
            }
        }
        args.push_back(address);
    }

    void AddInput(size_t index) {
        const Argument& input = executor_.arguments.inputs[index];
        uint64_t address = 0;
        for (size_t i = 0; i < input.tensors.size(); ++i) {
            const TensorArgument& tensor = input.tensors[i];
            address = AddressOf(executor_, workspace_, index, i);
            const bool copied = !tensor.on_host && address != tensor.address;
            AddTensor(tensor, address, (input.flags & SIM_PARAM_IN_PLACE) != 0, input.NameOf(i, input.param->name),
                      copied ? SIM_REGION_COPY : SIM_REGION_INPUT);
        }
        AddArgument(true, index, input, address);
    }

    void AddOutput(size_t index) {
        const Argument& output = executor_.arguments.outputs[index];
        bool in_place = false;  // then its regions are the input's
        for (const Argument& input : executor_.arguments.inputs) {
            in_place = in_place || std::strcmp(input.param->name, output.param->name) == 0;
        }
        uint64_t address = 0;
        for (size_t i = 0; i < output.tensors.size(); ++i) {
            const TensorArgument& tensor = output.tensors[i];
            address = tensor.address;
            // of a strided output the kernel writes the elements alone, and what a first value was given to is written
            const bool written = executor_.init_outputs && output.param->init_bytes != 0;
            const uint32_t role = output.shaped != nullptr                      ? SIM_REGION_SHAPED
                                  : written || tensor.elements != tensor.extent ? SIM_REGION_MEMORY
                                                                                : SIM_REGION_OUTPUT;
            if (!in_place) {
                AddTensor(tensor, address, true, output.NameOf(i, output.param->name), role);
            }
        }
        AddArgument(false, index, output, address);
    }

    const aclOpExecutor& executor_;
    void* workspace_;
    std::deque<std::string> names_;
};

// $OPFORGE_SIM_CHECKS, read once. The runtime refuses a value that means nothing before anything runs.
uint32_t ChecksWanted() {
    static const uint32_t checks = static_cast<uint32_t>(sim_checks_named(std::getenv("OPFORGE_SIM_CHECKS")));
    return checks;
}

// $OPFORGE_SIM_RULES, else what the op's package says. Read once, as above.
uint32_t RulesWanted(const OpPackage& package) {
    static const char* const text = std::getenv("OPFORGE_SIM_RULES");
    return static_cast<uint32_t>(sim_rules_named(text, package.as_device ? SIM_RULES_DEVICE : SIM_RULES_DOCUMENTED));
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
                if (!tensor.on_host && tensor.elements > 0 && tensor.address == 0) {
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
    const KernelView view(executor, workspace);
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
    launch.tiling_set = executor.tiling_set.empty() ? nullptr : executor.tiling_set.data();
    std::vector<sim_allow> allow;
    for (const AllowedRule& rule : executor.package->allow) {
        allow.push_back(sim_allow{rule.rule.c_str(), rule.file.c_str(), rule.warn ? 1u : 0u});
    }
    launch.rules = RulesWanted(*executor.package);
    launch.allow_count = static_cast<uint32_t>(allow.size());
    launch.allow = allow.data();
    launch.project = executor.package->has_simulator ? SIM_PROJECT_SIMULATOR : SIM_PROJECT_PLAIN;
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
        status = WriteLists(executor, workspace);
    }
    if (status == OK) {
        status = InitOutputs(executor);
    }
    if (status == OK) {
        ClearShapes(executor, workspace);
        status = Launch(executor, workspace);
    }
    return status == OK ? TakeShapes(executor, workspace) : status;
}

// A new address for one tensor of a repeatable executor; tensor is the one that the caller has changed.
aclnnStatus SetAddress(aclOpExecutor* executor, std::vector<Argument>* arguments, size_t index, size_t relative,
                       const aclTensor& tensor) {
    if (!executor->repeatable || index >= arguments->size() || relative >= (*arguments)[index].tensors.size()) {
        const std::string of_list =
            index < arguments->size() && (*arguments)[index].is_list ? "[" + std::to_string(relative) + "]" : "";
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    std::string(executor->op->op_type) + ": no tensor " + std::to_string(index) + of_list +
                        " to set, or the executor is not repeatable");
    }
    TensorArgument& argument = (*arguments)[index].tensors[relative];
    argument.address = tensor.Address();
    argument.storage = reinterpret_cast<uint64_t>(tensor.data);
    argument.storage_bytes = tensor.StorageBytes();
    return OK;
}

aclnnStatus SetTensorAddress(aclOpExecutor* executor, std::vector<Argument>* arguments, size_t index, aclTensor* tensor,
                             void* address) {
    if (executor == nullptr || tensor == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001", "aclSetTensorAddr: executor or tensor is a null pointer");
    }
    tensor->data = address;
    return SetAddress(executor, arguments, index, 0, *tensor);
}

aclnnStatus SetListAddress(aclOpExecutor* executor, std::vector<Argument>* arguments, size_t index, size_t relative,
                           const aclTensorList* tensors, void* address) {
    if (executor == nullptr || tensors == nullptr) {
        return Fail(ACLNN_ERR_INNER_NULLPTR, "EZ1001",
                    "aclSetDynamicTensorAddr: executor or tensors is a null pointer");
    }
    if (relative >= tensors->values.size()) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    "aclSetDynamicTensorAddr: there is no tensor " + std::to_string(relative) + " in a list of " +
                        std::to_string(tensors->values.size()));
    }
    aclTensor tensor = *tensors->values[relative];
    tensor.data = address;
    return SetAddress(executor, arguments, index, relative, tensor);
}

std::vector<Argument>* InputsOf(aclOpExecutor* executor) {
    return executor == nullptr ? nullptr : &executor->arguments.inputs;
}
std::vector<Argument>* OutputsOf(aclOpExecutor* executor) {
    return executor == nullptr ? nullptr : &executor->arguments.outputs;
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
    return nnopbase::SetTensorAddress(executor, nnopbase::InputsOf(executor), index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return nnopbase::SetTensorAddress(executor, nnopbase::OutputsOf(executor), index, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
    return nnopbase::SetListAddress(executor, nnopbase::InputsOf(executor), irIndex, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
    return nnopbase::SetListAddress(executor, nnopbase::OutputsOf(executor), irIndex, relativeIndex, tensors, addr);
}
