// Executors that are used again, with tensors at other addresses.
#include "executor.h"
#include "messages.h"

namespace nnopbase {

namespace {

// A new address for one tensor of a repeatable executor; tensor is the one that the caller has changed.
aclnnStatus SetAddress(aclOpExecutor* executor, std::vector<Argument>* arguments, size_t index, size_t relative,
                       const aclTensor& tensor) {
    if (!executor->repeatable || index >= arguments->size() || relative >= (*arguments)[index].tensors.size()) {
        const std::string ofList =
            index < arguments->size() && (*arguments)[index].isList ? "[" + std::to_string(relative) + "]" : "";
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    std::string(executor->op->op_type) + ": no tensor " + std::to_string(index) + ofList +
                        " to set, or the executor is not repeatable");
    }
    TensorArgument& argument = (*arguments)[index].tensors[relative];
    argument.address = tensor.Address();
    argument.storage = reinterpret_cast<uint64_t>(tensor.data);
    argument.storageBytes = tensor.StorageBytes();
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
