// The operators of swiglu as torch.ops.swiglu: schemas, and the implementation for NPU tensors.
//
// Meta functions, autograd and the CPU implementation are Python: python/swiglu/_ops.py.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "opforge/aclnn_call.h"
#include "opforge/argument_checks.h"
#include "opforge/fallback.h"
#include "opforge/shape_checks.h"

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

// SwiGLU: a row is one supported combination of dtypes.
constexpr std::array<std::array<at::ScalarType, 3>, 3> kSwiGLUInputDtypes{{
    {at::kHalf, at::kHalf, at::kHalf},
    {at::kBFloat16, at::kBFloat16, at::kBFloat16},
    {at::kFloat, at::kFloat, at::kFloat},
}};
constexpr std::array<std::array<at::ScalarType, 1>, 3> kSwiGLUOutputDtypes{{
    {at::kHalf},
    {at::kBFloat16},
    {at::kFloat},
}};

at::Tensor swiglu(const at::Tensor& x, const at::Tensor& w_gate, const at::Tensor& w_up) {
    if (!hasKernels()) {
        return opforge::by_torch("swiglu::swiglu", &swiglu, x, w_gate, w_up);
    }
    const std::vector<opforge::Operand> inputList{
        {"x", x, {"...", "H"}},
        {"w_gate", w_gate, {"H", "I"}},
        {"w_up", w_up, {"H", "I"}},
    };
    const opforge::Operands inputOperands("swiglu", inputList);
    opforge::check_devices("swiglu", inputOperands.arguments());
    const size_t dtypeColumn = inputOperands.dtype_column(kSwiGLUInputDtypes);
    const opforge::Sizes inputSizes = inputOperands.sizes(opforge::Leading::kRows);
    opforge::check_formats("swiglu", sharedRuntime(), inputOperands.arguments());

    const c10::DeviceGuard deviceGuard(x.device());
    const auto& outputDtypes = kSwiGLUOutputDtypes[dtypeColumn];
    at::Tensor y = x.new_empty(inputSizes.behind_leading({inputSizes["I"]}), outputDtypes[0]);
    if (y.numel() > 0) {
        static const opforge::TwoPhaseCall aclnnCall(sharedRuntime(), "swiglu.swiglu", "aclnnSwiGLU");
        aclnnCall(x, w_gate, w_up, y);
    }
    return y;
}

// SwiGLUGrad: a row is one supported combination of dtypes.
constexpr std::array<std::array<at::ScalarType, 3>, 3> kSwiGLUGradInputDtypes{{
    {at::kHalf, at::kHalf, at::kHalf},
    {at::kBFloat16, at::kBFloat16, at::kBFloat16},
    {at::kFloat, at::kFloat, at::kFloat},
}};
constexpr std::array<std::array<at::ScalarType, 2>, 3> kSwiGLUGradOutputDtypes{{
    {at::kHalf, at::kHalf},
    {at::kBFloat16, at::kBFloat16},
    {at::kFloat, at::kFloat},
}};

std::tuple<at::Tensor, at::Tensor> swiglu_grad(const at::Tensor& grad_y, const at::Tensor& gate, const at::Tensor& up) {
    if (!hasKernels()) {
        return opforge::by_torch("swiglu::swiglu_grad", &swiglu_grad, grad_y, gate, up);
    }
    const std::array<opforge::Argument, 3> inputArguments{{{"grad_y", grad_y}, {"gate", gate}, {"up", up}}};
    opforge::check_devices("swiglu_grad", inputArguments);
    const size_t dtypeColumn = opforge::check_dtypes("swiglu_grad", inputArguments, kSwiGLUGradInputDtypes);
    const std::vector<int64_t> outputShape = opforge::broadcast_shape("swiglu_grad", inputArguments);
    opforge::check_formats("swiglu_grad", sharedRuntime(), inputArguments);

    const c10::DeviceGuard deviceGuard(grad_y.device());
    const auto& outputDtypes = kSwiGLUGradOutputDtypes[dtypeColumn];
    at::Tensor grad_gate = grad_y.new_empty(outputShape, outputDtypes[0]);
    at::Tensor grad_up = grad_y.new_empty(outputShape, outputDtypes[1]);
    if (grad_gate.numel() > 0) {
        static const opforge::TwoPhaseCall aclnnCall(sharedRuntime(), "swiglu.swiglu_grad", "aclnnSwiGLUGrad");
        aclnnCall(grad_y, gate, up, grad_gate, grad_up);
    }
    return {grad_gate, grad_up};
}

TORCH_LIBRARY_IMPL(swiglu, PrivateUse1, library) {
    // PrivateUse1 is torch_npu's device in the dispatcher. Outside of this namespace `&exp` would be C's function.
    library.impl("swiglu", &swiglu);
    library.impl("swiglu_grad", &swiglu_grad);
}

}  // namespace

// Called by python/swiglu/_runtime.py with the absolute path of libcust_opapi.so in this package.
extern "C" __attribute__((visibility("default"))) void swiglu_set_opapi_path(const char* path) {
    // Opened at the first call on an NPU tensor.
    opapiPath() = path;
}

TORCH_LIBRARY(swiglu, library) {
    // Positional arguments only, in the order of the aclnn functions.
    library.def("swiglu(Tensor x, Tensor w_gate, Tensor w_up) -> Tensor");
    library.def("swiglu_grad(Tensor grad_y, Tensor gate, Tensor up) -> (Tensor grad_gate, Tensor grad_up)");
}
