// Launches the kernel of {{ op_type }}, for {{ dtypes }}, with a plan: see plan_trial.h.
#include "../op_host/{{ stem }}_host_tiling.h"
#include "aclrtlaunch_{{ stem }}_direct.h"
#include "opforge/plan_trial.h"
#include "opforge/{{ stem }}_direct.h"

namespace {

namespace host = {{ stem }}_host_tiling;

const std::vector<aclDataType> kTypes = { {{ types | wrap }} };
const std::vector<size_t> kPlaces = { {{ places | wrap }} };  // of the results

host::Call CallOf(const std::vector<Shape>& shapes) {
    host::Call call = host::Call();
    for (size_t i = 0; i < host::kInputs; i++) {
{% if optional %}
        call.given[i] = shapes[i] != kMissing;
{% endif %}
        call.inputs[i] = shapes[i] == kMissing ? Shape() : shapes[i];
    }
    call.column = {{ column }};
{% for attr in attrs %}
    call.{{ attr.member }} = {{ attr.value }};
{% endfor %}
    return call;
}

// Appends the shapes of the results to those of the inputs.
std::string AddResults(std::vector<Shape>* shapes) {
    host_tiling::Dims results[{{ output_count }}];
{% if own_shapes %}
    const std::string unfit = host::OutputShapes(CallOf(*shapes), results);
{% else %}
    const std::string unfit = host::OutputShape(CallOf(*shapes), &results[0]);
    std::fill(results + 1, results + {{ output_count }}, results[0]);
{% endif %}
    shapes->insert(shapes->end(), results, results + {{ output_count }});
    return unfit;
}

Prepared Prepare(const std::vector<DeviceTensor>& tensors, const host_tiling::Plan& plan) {
    std::vector<Shape> shapes;
    for (const DeviceTensor& tensor : tensors) {
        shapes.push_back(tensor.shape);
    }
    host::Call call = CallOf(shapes);
    call.plan = plan;
    const platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    if (platform == nullptr) {
        throw std::runtime_error(Failure("PlatformAscendCManager::GetInstance", 0));
    }
    {{ op_type }}Launch launch = {};
    host_tiling::Launch how = {};
    const std::string refusal = host::Compute(*platform, call, &launch.tiling, &how);
    if (!refusal.empty()) {
        return {refusal, 0, nullptr};
    }
    launch.tilingKey = how.tilingKey;
    const auto tiling = std::make_shared<DeviceMemory>(sizeof(launch));
    tiling->Write(&launch);
    const auto workspace = std::make_shared<DeviceMemory>(how.workspaceBytes);
    const auto run = [&tensors, tiling, workspace, how](aclrtStream stream) {
        const auto launchKernel = ACLRT_LAUNCH_KERNEL({{ stem }}_direct);
        const auto status = launchKernel({{ arguments | wrap }});
        Check(status, "the launch of {{ stem }}_direct");
    };
    return {"", how.blockDim, run};
}

}  // namespace

int main(int argc, char** argv) {
    return TryPlan(kTypes, kPlaces, AddResults, Prepare, std::vector<std::string>(argv + 1, argv + argc));
}
