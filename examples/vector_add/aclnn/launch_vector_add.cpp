// Launches the kernel of VectorAdd itself, with neither PyTorch nor aclnn.
// CMakeLists.txt has the commands that build it.
#include "../op_host/vector_add_host_tiling.h"
#include "aclrtlaunch_vector_add_direct.h"
#include "opforge/golden_vector_add.h"
#include "opforge/vector_add_direct.h"

namespace {

constexpr size_t kColumn = 0;  // float16, as the kernel in vector_add_direct.cpp

void LaunchKernel(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    vector_add_host_tiling::Call call = {};
    for (size_t i = 0; i < vector_add_host_tiling::kInputs; i++) {
        call.inputs[i] = tensors[i].shape;
    }
    call.column = kColumn;
    // The tiling that op_host computes for aclnn.
    const platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    if (platform == nullptr) {
        throw std::runtime_error(Failure("PlatformAscendCManager::GetInstance", 0));
    }
    VectorAddLaunch launch = {};
    host_tiling::Launch how = {};
    const std::string refusal = vector_add_host_tiling::Compute(*platform, call, &launch.tiling, &how);
    if (!refusal.empty()) {
        throw std::runtime_error("the tiling says: " + refusal);
    }
    launch.tilingKey = how.tilingKey;
    DeviceMemory tiling(sizeof(launch));
    tiling.Write(&launch);
    const DeviceMemory workspace(how.workspaceBytes);
    const auto launchKernel = ACLRT_LAUNCH_KERNEL(vector_add_direct);
    const auto status = launchKernel(how.blockDim, stream, tensors[0].Address(), tensors[1].Address(),
                                     tensors[2].Address(), workspace.Address(), tiling.Address());
    Check(status, "the launch of vector_add_direct");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials("vector_add_direct", vector_add_golden::kTrials, {vector_add_golden::kTypes[0]},
                     vector_add_golden::kPlaces, vector_add_golden::Compute, LaunchKernel);
}
