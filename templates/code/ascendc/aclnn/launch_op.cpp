// Launches the kernel of {{ op_type }} itself, with neither PyTorch nor aclnn.
// CMakeLists.txt has the commands that build it.
#include "../op_host/{{ stem }}_host_tiling.h"
#include "aclrtlaunch_{{ stem }}_direct.h"
#include "opforge/golden_{{ stem }}.h"
#include "opforge/{{ stem }}_direct.h"

namespace {

constexpr size_t kColumn = {{ column }};  // {{ dtypes }}, as the kernel in {{ stem }}_direct.cpp

void LaunchKernel(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
    {{ stem }}_host_tiling::Call call = {};
    for (size_t i = 0; i < {{ stem }}_host_tiling::kInputs; i++) {
{% if optional %}
        call.given[i] = !tensors[i].Missing();
{% endif %}
        call.inputs[i] = tensors[i].shape;
    }
    call.column = kColumn;
{% for attr in attrs %}
    call.{{ attr.member }} = {{ attr.value }};
{% endfor %}
    // The tiling that op_host computes for aclnn.
    const platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    if (platform == nullptr) {
        throw std::runtime_error(Failure("PlatformAscendCManager::GetInstance", 0));
    }
    {{ op_type }}Launch launch = {};
    host_tiling::Launch how = {};
    const std::string refusal = {{ stem }}_host_tiling::Compute(*platform, call, &launch.tiling, &how);
    if (!refusal.empty()) {
        throw std::runtime_error("the tiling says: " + refusal);
    }
    launch.tilingKey = how.tilingKey;
    DeviceMemory tiling(sizeof(launch));
    tiling.Write(&launch);
    const DeviceMemory workspace(how.workspaceBytes);
    const auto launchKernel = ACLRT_LAUNCH_KERNEL({{ stem }}_direct);
    const auto status = launchKernel({{ arguments | wrap }});
    Check(status, "the launch of {{ stem }}_direct");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials({{ run_arguments | wrap }});
}
