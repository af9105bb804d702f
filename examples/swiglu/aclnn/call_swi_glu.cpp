// Calls SwiGLU through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt says how it is built.
#include "acl_tensor.h"
#include "aclnn_swi_glu.h"
#include "golden_swi_glu.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    std::vector<AclTensor> arguments(tensors.begin(), tensors.end());
    // First phase: checks the arguments and says how much workspace the op needs.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    Check(aclnnSwiGLUGetWorkspaceSize(arguments[0].Get(), arguments[1].Get(), arguments[2].Get(), arguments[3].Get(),
                                      &workspaceSize, &executor),
          "aclnnSwiGLUGetWorkspaceSize");
    // Second phase: puts the op on the stream, and does away with the executor.
    const DeviceMemory workspace(workspaceSize);
    Check(aclnnSwiGLU(workspace.Address(), workspaceSize, executor, stream), "aclnnSwiGLU");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // 0, or 1 where a result is wrong or a call fails.
    return RunTrials("aclnnSwiGLU", swi_glu_golden::kTrials, swi_glu_golden::kTypes, swi_glu_golden::Compute, CallOp);
}
