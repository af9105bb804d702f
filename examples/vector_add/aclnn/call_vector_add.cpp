// Calls VectorAdd through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt says how it is built.
#include "opforge/acl_tensor.h"
#include "aclnn_vector_add.h"
#include "opforge/golden_vector_add.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    const AclPointer<aclTensor> xArgument = NewTensor(tensors[0]);
    const AclPointer<aclTensor> yArgument = NewTensor(tensors[1]);
    const AclPointer<aclTensor> zArgument = NewTensor(tensors[2]);
    // First phase: checks the arguments and says how much workspace the op needs.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status =
        aclnnVectorAddGetWorkspaceSize(xArgument.get(), yArgument.get(), zArgument.get(), &workspaceSize, &executor);
    Check(status, "aclnnVectorAddGetWorkspaceSize");
    // Second phase: puts the op on the stream, and does away with the executor.
    const DeviceMemory workspace(workspaceSize);
    status = aclnnVectorAdd(workspace.Address(), workspaceSize, executor, stream);
    Check(status, "aclnnVectorAdd");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // 0, or 1 where a result is wrong or a call fails.
    return RunTrials("aclnnVectorAdd", vector_add_golden::kTrials, vector_add_golden::kTypes,
                     vector_add_golden::kPlaces, vector_add_golden::Compute, CallOp);
}
