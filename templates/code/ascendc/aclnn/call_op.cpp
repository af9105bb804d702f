// Calls {{ op_type }} through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt says how it is built.
#include "acl_tensor.h"
#include "aclnn_{{ stem }}.h"
#include "golden_{{ stem }}.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
{% for line in argument_lines %}
    {{ line }}
{% endfor %}
    // First phase: checks the arguments and says how much workspace the op needs.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
{% if many %}
    // clang-format off
{% endif %}
    {{ first_call }}
          "aclnn{{ op_type }}GetWorkspaceSize");
{% if many %}
    // clang-format on
{% endif %}
    // Second phase: puts the op on the stream, and does away with the executor.
    const DeviceMemory workspace(workspaceSize);
    {{ second_call }}
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // 0, or 1 where a result is wrong or a call fails.
    {{ run_call }}
}
