// Calls SwiGLU through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt has the commands that build it.
#include "opforge/acl_tensor.h"
#include "aclnn_swi_glu.h"
#include "opforge/golden_swi_glu.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    const AclPointer<aclTensor> xArgument = NewTensor(tensors[0]);
    const AclPointer<aclTensor> wGateArgument = NewTensor(tensors[1]);
    const AclPointer<aclTensor> wUpArgument = NewTensor(tensors[2]);
    const AclPointer<aclTensor> yArgument = NewTensor(tensors[3]);
    // First phase: checks the arguments and returns the size of the workspace.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = aclnnSwiGLUGetWorkspaceSize(xArgument.get(), wGateArgument.get(), wUpArgument.get(),
                                                     yArgument.get(), &workspaceSize, &executor);
    Check(status, "aclnnSwiGLUGetWorkspaceSize");
    // Second phase: launches the op on the stream and destroys the executor.
    const DeviceMemory workspace(workspaceSize);
    status = aclnnSwiGLU(workspace.Address(), workspaceSize, executor, stream);
    Check(status, "aclnnSwiGLU");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials("aclnnSwiGLU", swi_glu_golden::kTrials, swi_glu_golden::kTypes, swi_glu_golden::kPlaces,
                     swi_glu_golden::Compute, CallOp);
}
