#include "kernel_view.h"

#include <cstring>

#include "tensor_list.h"

namespace nnopbase {

uint64_t AddressOf(const aclOpExecutor& executor, void* workspace, size_t input, size_t tensor) {
    for (const WorkspaceCopy& copy : executor.copies) {
        if (copy.input == input && copy.tensor == tensor) {
            return reinterpret_cast<uint64_t>(workspace) + copy.offset;
        }
    }
    return executor.arguments.inputs[input].tensors[tensor].address;
}

KernelView::KernelView(const aclOpExecutor& executor, void* workspace) : executor_(executor), workspace_(workspace) {
    for (size_t i = 0; i < executor.arguments.inputs.size(); ++i) {
        AddInput(i);
    }
    for (size_t i = 0; i < executor.arguments.outputs.size(); ++i) {
        AddOutput(i);
    }
    if (executor.shapes > 0) {
        args.push_back(reinterpret_cast<uint64_t>(workspace) + executor.shapesPlace);
        AddRegion(args.back(), executor.shapes * kShapeWords * sizeof(uint64_t), true, "the shapes of outputs",
                  SIM_REGION_MEMORY);
    }
    const bool hasWorkspace = executor.kernelWorkspace > 0;
    const uint64_t address = hasWorkspace ? reinterpret_cast<uint64_t>(workspace) : 0;
    AddRegion(address, executor.kernelWorkspace, true, "workspace", SIM_REGION_WORKSPACE);
    args.push_back(address);
    args.push_back(0);  // tiling: the engine's own copy
}

void KernelView::AddRegion(uint64_t address, uint64_t bytes, bool writable, const std::string& name, uint32_t role) {
    if (address != 0) {
        names_.push_back(name);
        regions.push_back(
            sim_region{address, bytes, writable ? 1u : 0u, names_.back().c_str(), role, 0, address, bytes});
    }
}

void KernelView::AddTensor(const TensorArgument& tensor, uint64_t address, bool writable, const std::string& name,
                           uint32_t role) {
    const bool copied = address != tensor.address;
    AddRegion(address, BytesOf(tensor.type, copied ? tensor.elements : tensor.extent), writable, name, role);
    if (address != 0) {
        sim_region& region = regions.back();
        const int element = ge::GetSizeByDataType(tensor.type);
        region.element = element > 0 && element <= 16 ? static_cast<uint32_t>(element) : 0;
        if (!copied) {
            region.storage = tensor.storage;
            region.storage_bytes = tensor.storageBytes;
        }
    }
}

void KernelView::AddArgument(bool isInput, size_t index, const Argument& argument, uint64_t address) {
    for (const ListPlace& place : executor_.lists) {
        if (place.isInput == isInput && place.index == index) {
            address = reinterpret_cast<uint64_t>(workspace_) + place.offset;
            AddRegion(address, TensorListBytes(argument), false, std::string("the list ") + argument.param->name,
                      SIM_REGION_MEMORY);
        }
    }
    args.push_back(address);
}

void KernelView::AddInput(size_t index) {
    const Argument& input = executor_.arguments.inputs[index];
    uint64_t address = 0;
    for (size_t i = 0; i < input.tensors.size(); ++i) {
        const TensorArgument& tensor = input.tensors[i];
        address = AddressOf(executor_, workspace_, index, i);
        const bool copied = !tensor.onHost && address != tensor.address;
        AddTensor(tensor, address, (input.flags & SIM_PARAM_IN_PLACE) != 0, input.NameOf(i, input.param->name),
                  copied ? SIM_REGION_COPY : SIM_REGION_INPUT);
    }
    AddArgument(true, index, input, address);
}

void KernelView::AddOutput(size_t index) {
    const Argument& output = executor_.arguments.outputs[index];
    bool inPlace = false;  // then its regions are the input's
    for (const Argument& input : executor_.arguments.inputs) {
        inPlace = inPlace || std::strcmp(input.param->name, output.param->name) == 0;
    }
    uint64_t address = 0;
    for (size_t i = 0; i < output.tensors.size(); ++i) {
        const TensorArgument& tensor = output.tensors[i];
        address = tensor.address;
        // of a strided output the kernel writes the elements alone, and what a first value was given to is written
        const bool written = executor_.initOutputs && output.param->init_bytes != 0;
        const uint32_t role = output.shaped != nullptr                      ? SIM_REGION_SHAPED
                              : written || tensor.elements != tensor.extent ? SIM_REGION_MEMORY
                                                                            : SIM_REGION_OUTPUT;
        if (!inPlace) {
            AddTensor(tensor, address, true, output.NameOf(i, output.param->name), role);
        }
    }
    AddArgument(false, index, output, address);
}

}  // namespace nnopbase
