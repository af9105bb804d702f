// The operators of vector_add as torch.ops.vector_add: schemas, and the implementation for NPU tensors.
//
// Meta functions, autograd and the CPU implementation are Python: python/vector_add/_ops.py.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "opforge/aclnn_call.h"
#include "opforge/argument_checks.h"
#include "opforge/fallback.h"

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
constexpr std::array<std::string_view, 2> kBuiltFor{"ascend910b", "ascend910_93"};

// Runs at the first call on an NPU tensor; the device is not used before.
bool hasKernels() {
    static const bool fit = opforge::kernels_fit(sharedRuntime(), kBuiltFor);
    return fit;
}

// VectorAdd: a row is one supported combination of dtypes.
constexpr std::array<std::array<at::ScalarType, 2>, 3> kVectorAddInputDtypes{{
    {at::kHalf, at::kHalf},
    {at::kBFloat16, at::kBFloat16},
    {at::kFloat, at::kFloat},
}};
constexpr std::array<std::array<at::ScalarType, 1>, 3> kVectorAddOutputDtypes{{
    {at::kHalf},
    {at::kBFloat16},
    {at::kFloat},
}};

at::Tensor vector_add(const at::Tensor& x, const at::Tensor& y) {
    if (!hasKernels()) {
        return opforge::by_torch("vector_add::vector_add", &vector_add, x, y);
    }
    const std::array<opforge::Argument, 2> inputArguments{{{"x", x}, {"y", y}}};
    opforge::check_devices("vector_add", inputArguments);
    const size_t dtypeColumn = opforge::check_dtypes("vector_add", inputArguments, kVectorAddInputDtypes);
    const std::vector<int64_t> outputShape = opforge::broadcast_shape("vector_add", inputArguments);
    opforge::check_formats("vector_add", sharedRuntime(), inputArguments);

    const c10::DeviceGuard deviceGuard(x.device());
    const auto& outputDtypes = kVectorAddOutputDtypes[dtypeColumn];
    at::Tensor z = x.new_empty(outputShape, outputDtypes[0]);
    if (z.numel() > 0) {
        static const opforge::TwoPhaseCall aclnnCall(sharedRuntime(), "vector_add.vector_add", "aclnnVectorAdd");
        aclnnCall(x, y, z);
    }
    return z;
}

TORCH_LIBRARY_IMPL(vector_add, PrivateUse1, library) {
    // PrivateUse1 is torch_npu's device in the dispatcher. Outside of this namespace `&exp` would be C's function.
    library.impl("vector_add", &vector_add);
}

}  // namespace

// Called by python/vector_add/_runtime.py with the absolute path of libcust_opapi.so in this package.
extern "C" __attribute__((visibility("default"))) void vector_add_set_opapi_path(const char* path) {
    // Opened at the first call on an NPU tensor.
    opapiPath() = path;
}

TORCH_LIBRARY(vector_add, library) {
    // Positional arguments only, in the order of the aclnn functions.
    library.def("vector_add(Tensor x, Tensor y) -> Tensor");
}
