// {{ what }}

#include "op_plugin/AclOpsInterface.h"
#include "op_plugin/OpApiInterface.h"
#include "op_plugin/utils/custom_op_support.h"
#include "op_plugin/utils/op_api_common.h"

namespace op_api {
using npu_preparation = at_npu::native::OpPreparation;

{{ returns }} {{ name }}({{ parameters | wrap }}) {
{% for grad in grads %}
    at::Tensor {{ grad.name }};
    if ({{ grad.given }}.has_value() && {{ grad.given }}->defined()) {
        {{ grad.name }} = *{{ grad.given }};
    } else {
        {{ grad.name }} = at::zeros({{ grad.arguments | wrap }});
    }
{% endfor %}
{% for variable in variables %}
    {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% for output in outputs %}
    at::Tensor {{ output.name }} = npu_preparation::apply_tensor_without_format({{ output.arguments | wrap }});
{% endfor %}
{% if command %}
    EXEC_NPU_CMD({{ command | wrap }});
{% endif %}
{% if kernel %}
    auto kernelGradients = op_api::{{ kernel.function }}({{ kernel.arguments | wrap }});
{% endif %}
{% for result in results %}
    {{ result.type }} {{ result.name }} = {{ result.value | wrap }};
{% endfor %}
{% for name in written %}
    if (!{{ name }}_memory.is_same({{ name }})) {
        {{ name }}.copy_({{ name }}_memory);
    }
{% endfor %}
{% if several %}
    return std::make_tuple({{ returned | wrap }});
{% elif returned %}
    return {{ returned | wrap }};
{% endif %}
}

}  // namespace op_api
