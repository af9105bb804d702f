// {{ what }}

#include "op_plugin/AclOpsInterface.h"
#include "op_plugin/OpApiInterface.h"
#include "op_plugin/utils/custom_op_support.h"
#include "op_plugin/utils/op_api_common.h"

namespace op_api {
using npu_preparation = at_npu::native::OpPreparation;

{{ definition }}
{% for line in lines %}
    {{ line }}
{% endfor %}
}

}  // namespace op_api
