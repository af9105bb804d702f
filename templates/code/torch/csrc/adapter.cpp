// The operators of {{ package }} as torch.ops.{{ package }}: schemas, and the implementation for NPU tensors.
//
// Meta functions, autograd and the CPU implementation are Python: python/{{ package }}/_ops.py.
{% if shapes %}
#include <algorithm>
{% endif %}
#include <array>
#include <cstdint>
{% if optionals %}
#include <optional>
{% endif %}
#include <string>
#include <string_view>
{% if tuples %}
#include <tuple>
{% endif %}
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "opforge/aclnn_call.h"
#include "opforge/argument_checks.h"
#include "opforge/fallback.h"
{% if in_place %}
#include "opforge/in_place.h"
{% endif %}
{% if shapes %}
#include "opforge/shape_checks.h"
{% endif %}

namespace {

// Set once, when the Python package is imported.
std::string& opapiPath() {
    static std::string path;
    return path;
}

const opforge::Runtime& sharedRuntime() {
    static const std::string gluePath = opforge::beside(reinterpret_cast<const void*>(&opapiPath), "libnpu_glue.so");
    static const opforge::Runtime runtime(opapiPath(), gluePath);
    return runtime;
}

// The compute units that this package has kernels for.
{{ built_for }}

// Asked at the first call on an NPU tensor: nothing of the device is touched before.
bool hasKernels() {
    static const bool fit = opforge::kernels_fit(sharedRuntime(), kBuiltFor);
    return fit;
}
{% for op in ops %}

// {{ op.type }}: a row is one supported combination of dtypes.
constexpr std::array<std::array<at::ScalarType, {{ op.input_count }}>, {{ op.column_count }}> k{{ op.type }}InputDtypes{{ op.input_columns }};
{% if op.outputs %}
constexpr std::array<std::array<at::ScalarType, {{ op.output_count }}>, {{ op.column_count }}> k{{ op.type }}OutputDtypes{{ op.output_columns }};
{% endif %}

{{ op.signature }}
    if (!hasKernels()) {
        {{ op.fallback }}
    }
    {{ op.arguments }}
{% for line in op.checks %}
    {{ line }}
{% endfor %}

    const c10::DeviceGuard deviceGuard({{ op.first }}.device());
{% if op.outputs %}
    const auto& outputDtypes = k{{ op.type }}OutputDtypes[dtypeColumn];
{% endif %}
{% for output in op.outputs %}
    {{ output.definition }}
{% endfor %}
{% for line in op.before %}
    {{ line }}
{% endfor %}
    if ({{ op.condition }}) {
        {{ op.two_phases }}
        {{ op.call }}
    }
{% for line in op.after %}
    {{ line }}
{% endfor %}
{% if op.result %}
    {{ op.result }}
{% endif %}
}
{% endfor %}

TORCH_LIBRARY_IMPL({{ package }}, PrivateUse1, library) {
    // PrivateUse1 is torch_npu's device in the dispatcher. Outside of this namespace `&exp` would be C's function.
{% for op in ops %}
    library.impl("{{ op.function }}", &{{ op.function }});
{% endfor %}
}

}  // namespace

// Called by python/{{ package }}/_runtime.py with the absolute path of libcust_opapi.so in this package.
extern "C" __attribute__((visibility("default"))) void {{ package }}_set_opapi_path(const char* path) {
    // Opened at the first call on an NPU tensor.
    opapiPath() = path;
}

TORCH_LIBRARY({{ package }}, library) {
    // Positional arguments only, in the order of the aclnn functions.
{% for op in ops %}
    {{ op.definition }}
{% endfor %}
}
