// Launches the kernel of SwiGLU itself, with neither PyTorch nor aclnn.
// CMakeLists.txt has the commands that build it.
#include "../op_host/swi_glu_host_tiling.h"
#include "aclrtlaunch_swi_glu_direct.h"
#include "opforge/golden_swi_glu.h"
#include "opforge/swi_glu_direct.h"

namespace {

constexpr size_t kColumn = 0;  // float16, as the kernel in swi_glu_direct.cpp

void LaunchKernel(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    swi_glu_host_tiling::Call call = {};
    for (size_t i = 0; i < swi_glu_host_tiling::kInputs; i++) {
        call.inputs[i] = tensors[i].shape;
    }
    call.column = kColumn;
    // The tiling that op_host computes for aclnn.
    const platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    if (platform == nullptr) {
        throw std::runtime_error(Failure("PlatformAscendCManager::GetInstance", 0));
    }
    SwiGLULaunch launch = {};
    host_tiling::Launch how = {};
    const std::string refusal = swi_glu_host_tiling::Compute(*platform, call, &launch.tiling, &how);
    if (!refusal.empty()) {
        throw std::runtime_error("the tiling says: " + refusal);
    }
    launch.tilingKey = how.tilingKey;
    DeviceMemory tiling(sizeof(launch));
    tiling.Write(&launch);
    const DeviceMemory workspace(how.workspaceBytes);
    const auto launchKernel = ACLRT_LAUNCH_KERNEL(swi_glu_direct);
    const auto status = launchKernel(how.blockDim, stream, tensors[0].Address(), tensors[1].Address(),
                                     tensors[2].Address(), tensors[3].Address(), workspace.Address(), tiling.Address());
    Check(status, "the launch of swi_glu_direct");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials("swi_glu_direct", swi_glu_golden::kTrials, {swi_glu_golden::kTypes[0]}, swi_glu_golden::kPlaces,
                     swi_glu_golden::Compute, LaunchKernel);
}
