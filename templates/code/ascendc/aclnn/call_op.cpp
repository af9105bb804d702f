// Calls {{ op_type }} through its two-phase aclnn interface, without PyTorch.
// CMakeLists.txt has the commands that build it.
#include "opforge/acl_tensor.h"
#include "{{ header }}"
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
    // First phase: checks the arguments and returns the size of the workspace.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = {{ function }}GetWorkspaceSize({{ first_arguments | wrap }});
    Check(status, "{{ function }}GetWorkspaceSize");
    // Second phase: launches the op on the stream and destroys the executor.
    const DeviceMemory workspace(workspaceSize);
    status = {{ function }}({{ second_arguments | wrap }});
    Check(status, "{{ function }}");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

}  // namespace

int main() {
    // Returns 0, or 1 if a result is wrong or a call fails.
    return RunTrials({{ run_arguments | wrap }});
}
