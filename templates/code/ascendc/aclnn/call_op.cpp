// Calls {{ op_type }} through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt says how it is built.
#include "opforge/acl_tensor.h"
#include "aclnn_{{ stem }}.h"
#include "opforge/golden_{{ stem }}.h"

namespace {

void CallOp(const std::vector<DeviceTensor>& tensors, aclrtStream stream) {
{% for argument in made %}
{% if argument.text %}
    char {{ argument.name }}[] = {{ argument.text }};
{% else %}
    const AclPointer<acl{{ argument.object }}> {{ argument.name }} = New{{ argument.object }}({{ argument.given | wrap }});
{% endif %}
{% endfor %}
    // First phase: checks the arguments and says how much workspace the op needs.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = aclnn{{ op_type }}GetWorkspaceSize({{ first_arguments | wrap }});
    Check(status, "aclnn{{ op_type }}GetWorkspaceSize");
    // Second phase: puts the op on the stream, and does away with the executor.
    const DeviceMemory workspace(workspaceSize);
    status = aclnn{{ op_type }}({{ second_arguments | wrap }});
    Check(status, "aclnn{{ op_type }}");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // 0, or 1 where a result is wrong or a call fails.
    return RunTrials({{ run_arguments | wrap }});
}
