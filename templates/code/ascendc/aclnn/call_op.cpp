// Calls the op through the two-phase aclnn interface, without PyTorch. See CMakeLists.txt for how to build it.
#include "device_tensor.h"
#include "aclnn_{{ stem }}.h"

int main() {
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        const std::vector<int64_t> shape = {2, 5};
{% for tensor in tensors %}
        DeviceTensor {{ tensor.variable }}(shape, {{ tensor.acl }});
{% endfor %}
{% for tensor in inputs %}
        {{ tensor.variable }}.Fill({{ tensor.start }}, 0.25f);
{% endfor %}
{% for line in string_lines %}
        {{ line }}
{% endfor %}

        // First phase: checks the arguments and says how much workspace the op needs.
        uint64_t workspaceSize = 0;
        aclOpExecutor* executor = nullptr;
        {{ first_call }}
              "aclnn{{ op_type }}GetWorkspaceSize");
        void* workspace = nullptr;
        if (workspaceSize > 0) {
            Check(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        }
        // Second phase: puts the op on the stream. The executor is gone after it.
        {{ second_call }}
        Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        if (workspace != nullptr) {
            aclrtFree(workspace);
        }

{% for tensor in tensors %}
        {{ tensor.variable }}.Print("{{ tensor.name }}");
{% endfor %}
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
