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
#include <c10/core/DeviceGuard.h>
{% if axes %}
#include <c10/core/WrapDimMinimal.h>
{% endif %}
#include <torch/library.h>

#include "opforge/aclnn_call.h"
#include "opforge/argument_checks.h"
{% if blocks %}
#include "opforge/blocks.h"
{% endif %}
#include "opforge/fallback.h"
{% if host_shapes %}
#include "opforge/host_shapes.h"
{% endif %}
{% if in_place %}
#include "opforge/in_place.h"
{% endif %}
{% if lists %}
#include "opforge/list_results.h"
{% endif %}
{% if shapes %}
#include "opforge/shape_checks.h"
{% endif %}
{% for op in ops %}
{% if op.host_call %}
#include "{{ op.host_call.header }}"
{% endif %}
{% endfor %}

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
constexpr std::array<std::string_view, {{ soc_count }}> kBuiltFor{ {{ socs | wrap }} };

// Runs at the first call on an NPU tensor; the device is not used before.
bool hasKernels() {
    static const bool fit = opforge::kernels_fit(sharedRuntime(), kBuiltFor);
    return fit;
}
{% for op in ops %}

// {{ op.type }}: a row is one supported combination of dtypes.
constexpr std::array<std::array<at::ScalarType, {{ op.input_count }}>, {{ op.column_count }}> k{{ op.type }}InputDtypes{% raw %}{{
{% endraw %}
{% for row in op.input_columns %}
    { {{ row | wrap }} },
{% endfor %}
}};
{% if op.outputs %}
constexpr std::array<std::array<at::ScalarType, {{ op.output_count }}>, {{ op.column_count }}> k{{ op.type }}OutputDtypes{% raw %}{{
{% endraw %}
{% for row in op.output_columns %}
    { {{ row | wrap }} },
{% endfor %}
}};
{% endif %}

{{ op.returns }} {{ op.function }}({{ op.parameters | wrap }}) {
    if (!hasKernels()) {
        return opforge::by_torch({{ op.registered | wrap }});
    }
{% if op.plain %}
    const std::array<opforge::Argument, {{ op.input_count }}> inputArguments{% raw %}{{ {% endraw %}{{ op.operands | wrap }} }};
{% else %}
    const std::vector<opforge::Operand> inputList{
{% for operand in op.operands %}
        {{ operand }},
{% endfor %}
    };
{% endif %}
{% for attr in op.checked_attrs %}
    TORCH_CHECK_VALUE({{ attr.arguments | wrap }});
{% endfor %}
{% for name in op.texts %}
    opforge::check_text("{{ op.function }}", "{{ name }}", {{ name }});
{% endfor %}
{% if op.plain %}
    opforge::check_devices("{{ op.function }}", inputArguments);
    const size_t dtypeColumn = opforge::check_dtypes({{ op.dtype_arguments | wrap }});
    const std::vector<int64_t> outputShape = opforge::broadcast_shape("{{ op.function }}", inputArguments);
    opforge::check_formats({{ op.format_arguments | wrap }});
{% else %}
    const opforge::Operands inputOperands("{{ op.function }}", inputList);
    opforge::check_devices("{{ op.function }}", inputOperands.arguments());
{% if op.reads_column %}
    const size_t dtypeColumn = inputOperands.dtype_column({{ op.dtype_arguments | wrap }});
{% else %}
    inputOperands.dtype_column({{ op.dtype_arguments | wrap }});
{% endif %}
{% if op.reads_sizes %}
    const opforge::Sizes inputSizes = inputOperands.sizes(opforge::Leading::{{ op.leading }});
{% else %}
    inputOperands.sizes(opforge::Leading::{{ op.leading }});
{% endif %}
{% if op.broadcasts %}
    const std::vector<int64_t> outputShape = inputOperands.broadcast();
{% endif %}
{% if op.axis %}
    c10::maybe_wrap_dim({{ op.axis }}, {{ op.first }}.dim());  // raises torch's IndexError
{% endif %}
{% for input in op.written %}
{% if input.listed %}
    opforge::check_apart("{{ op.function }}", "{{ input.name }}", {{ input.name }});
{% else %}
    inputOperands.check_written({{ input.check_arguments | wrap }});
{% endif %}
{% endfor %}
    opforge::check_formats({{ op.format_arguments | wrap }});
{% endif %}

    const c10::DeviceGuard deviceGuard({{ op.first }}.device());
{% if op.outputs %}
    const auto& outputDtypes = k{{ op.type }}OutputDtypes[dtypeColumn];
{% endif %}
{% if op.host_call %}
    {{ op.host_call.space }}::Call hostCall = {{ op.host_call.space }}::Call();
{% for argument in op.host_call.arguments %}
    opforge::put({{ argument.arguments | wrap }});
{% endfor %}
    {{ op.host_call.type }} hostResults[{{ op.host_call.count }}];
    const std::string unfit = {{ op.host_call.space }}::OutputShapes(hostCall, hostResults);
    TORCH_CHECK_VALUE(unfit.empty(), "{{ op.function }}: ", unfit);
{% endif %}
{% for output in op.outputs %}
{% if output.computed %}
    const std::vector<int64_t> {{ output.name }}Shape = {{ output.shape | wrap }};
    opforge::check_made("{{ op.function }}", "{{ output.name }}", {{ output.name }}Shape);
{% endif %}
{% if output.listed %}
    std::vector<at::Tensor> {{ output.name }} = opforge::{{ output.maker }}({{ output.arguments | wrap }});
{% else %}
    at::Tensor {{ output.name }} = {{ op.first }}.new_empty({{ output.arguments | wrap }});
{% endif %}
{% endfor %}
{% for input in op.written %}
    const {{ input.type }} {{ input.name }}Memory = opforge::writable({{ input.name }});
{% endfor %}
{% for input in op.written %}
{% for other in input.others %}
    opforge::check_apart("{{ op.function }}", "{{ input.name }}", {{ input.name }}, "{{ other }}", {{ other }});
{% endfor %}
{% endfor %}
{% for number in op.numbers %}
    const opforge::{{ number.type }} {{ number.name }}{ {{ number.arguments | wrap }} };
{% endfor %}
{% for input in op.apart %}
    const auto {{ input.name }} = {{ input.value | wrap }};
{% endfor %}
{% for input in op.blocked %}
    const auto {{ input.name }} = opforge::in_blocks({{ input.arguments | wrap }});
{% endfor %}
    if ({{ op.condition }}) {
        static const opforge::TwoPhaseCall aclnnCall({{ op.looked_up | wrap }});
        aclnnCall({{ op.passed | wrap }});
    }
{% for input in op.written %}
    opforge::write_back({{ input.name }}, {{ input.name }}Memory);
{% endfor %}
{% if op.several %}
    return { {{ op.made | wrap }} };
{% elif op.made %}
    return {{ op.made | wrap }};
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
    library.def({{ op.schema | wrap }});
{% endfor %}
}
