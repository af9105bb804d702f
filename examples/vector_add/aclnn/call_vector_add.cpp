// Calls VectorAdd through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt has the commands that build it.
#include "opforge/acl_tensor.h"
#include "aclnn_vector_add.h"
#include "opforge/golden_vector_add.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    const AclPointer<aclTensor> xArgument = NewTensor(tensors[0]);
    const AclPointer<aclTensor> yArgument = NewTensor(tensors[1]);
    const AclPointer<aclTensor> zArgument = NewTensor(tensors[2]);
    // First phase: checks the arguments and returns the size of the workspace.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status =
        aclnnVectorAddGetWorkspaceSize(xArgument.get(), yArgument.get(), zArgument.get(), &workspaceSize, &executor);
    Check(status, "aclnnVectorAddGetWorkspaceSize");
    // Second phase: launches the op on the stream and destroys the executor.
    const DeviceMemory workspace(workspaceSize);
    status = aclnnVectorAdd(workspace.Address(), workspaceSize, executor, stream);
    Check(status, "aclnnVectorAdd");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials("aclnnVectorAdd", vector_add_golden::kTrials, vector_add_golden::kTypes,
                     vector_add_golden::kPlaces, vector_add_golden::Compute, CallOp);
}
