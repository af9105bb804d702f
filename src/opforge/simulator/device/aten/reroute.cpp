// Runs ATen operators of the simulated device on the CPU: the simulator has no built-in operators, and what it checks
// is the user's own. Every aten operator for which torch_npu has a kernel gets one that goes through the CPU's; views,
// allocation and copies keep torch_npu's or get their own.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/empty_like.h>
#include <dlfcn.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu_view.h"
#include "recording.h"

namespace sim {
namespace {

constexpr auto kNpu = c10::DispatchKey::PrivateUse1;
constexpr auto kNpuAutograd = c10::DispatchKey::AutogradPrivateUse1;

// Operators that allocate, resize or describe memory: torch_npu's own kernels do that well, on our runtime.
const std::set<std::string>& Kept() {
    static const std::set<std::string> names = {
        "aten::empty", "aten::empty_strided", "aten::empty_like", "aten::new_empty_strided", "aten::empty_with_format",
        "aten::unsafe_empty_with_format", "aten::set_", "aten::resize_", "aten::resize_as_", "aten::_resize_output_",
        "aten::record_stream", "aten::_local_scalar_dense", "aten::is_pinned", "aten::_pin_memory",
        "aten::_has_compatible_shallow_copy_type", "aten::is_set_to", "aten::_lazy_clone", "aten::_to_copy",
        "aten::get_npu_format", "aten::_nested_tensor_from_mask",
        // replaced one by one below
        "aten::clone", "aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize"};
    return names;
}

// Operators that take index tensors of the CPU, on hardware too.
bool TakesCpuIndices(const std::string& name) {
    return name.rfind("aten::index", 0) == 0 || name.rfind("aten::_index", 0) == 0;
}

// The CPU's kernels would take tensors of both devices; the NPU's do not.
void CheckOneDevice(const c10::OperatorHandle& op, const std::vector<c10::IValue>& stack, size_t first) {
    if (TakesCpuIndices(op.schema().name())) {
        return;
    }
    auto check = [&](const at::Tensor& tensor) {
        TORCH_CHECK(!tensor.defined() || !tensor.is_cpu() || tensor.dim() == 0,
                    "Expected all tensors to be on the same device, but found at least two devices, npu and cpu (in ",
                    op.schema().operator_name(), ")");
    };
    for (size_t i = first; i < stack.size(); ++i) {
        if (stack[i].isTensor()) {
            check(stack[i].toTensor());
        } else if (stack[i].isTensorList()) {
            for (const at::Tensor& tensor : stack[i].toTensorVector()) {
                check(tensor);
            }
        }
    }
}

// Before 2.10 torch_npu does not tell PyTorch its default generator.
const at::Generator& DefaultNpuGenerator() {
    using Get = const at::Generator& (*)(c10::DeviceIndex);
    static const auto get = [] {
        void* const torchNpu = dlopen("libtorch_npu.so", RTLD_LAZY | RTLD_NOLOAD);
        void* const found =
            torchNpu == nullptr ? nullptr : dlsym(torchNpu, "_ZN6at_npu6detail22getDefaultNPUGeneratorEa");
        return reinterpret_cast<Get>(found);
    }();
    return get != nullptr ? get(-1) : at::globalContext().defaultGenerator(c10::Device(c10::DeviceType::PrivateUse1));
}

// Generators of the NPU have no CPU kernel: seed one of the CPU from the NPU generator's state and move that on.
c10::IValue CpuGenerator(const c10::IValue& given) {
    at::Generator generator;
    if (given.isNone()) {
        generator = DefaultNpuGenerator();
    } else {
        generator = given.toGenerator();
    }
    if (!generator.defined() || generator.device().is_cpu()) {
        return given;
    }
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // spreads consecutive offsets over all seeds
    constexpr uint64_t kStep = 4;                          // offsets of Philox generators come in fours
    const uint64_t offset = generator.get_offset();
    generator.set_offset(offset + kStep);
    return at::make_generator<at::CPUGeneratorImpl>(generator.current_seed() ^ (offset * kGoldenRatio));
}

bool IsOptionalGenerator(const c10::Type& type) {
    const auto* optional = type.castRaw<c10::OptionalType>();
    return optional != nullptr && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
}

void RunOnCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto& arguments = op.schema().arguments();
    const size_t first = stack->size() - arguments.size();
    CheckOneDevice(op, *stack, first);
    if (CapturingStream() != nullptr) {
        RecordOperator(op, stack);
        return;
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
        c10::IValue& value = (*stack)[first + i];
        if (value.isGenerator() || (value.isNone() && IsOptionalGenerator(*arguments[i].type()))) {
            value = CpuGenerator(value);
        }
    }
    DrainTaskQueue();
    at::native::cpu_fallback(op, stack);
}

void Refuse(const c10::OperatorHandle& op, torch::jit::Stack*) {
    C10_THROW_ERROR(NotImplementedError, c10::str("the simulated device runs operators of PyTorch on the CPU, and ",
                                                  op.schema().operator_name(), " has no CPU kernel"));
}

at::Tensor& Copy(at::Tensor& self, const at::Tensor& source, bool nonBlocking) {
    if (CapturingStream() != nullptr) {
        RecordCopy(self, source, nonBlocking);
        return self;
    }
    DrainTaskQueue();
    if (InBlocks(self)) {
        TORCH_CHECK_NOT_IMPLEMENTED(CopiedBlocks(self, source),
                                    "the simulated device does not write to a part of a tensor that is stored in "
                                    "blocks, or other values: write to one in ND, then cast it "
                                    "(torch_npu.npu_format_cast)");
        return self;
    }
    if (self.numel() != 0) {
        CpuView(self).copy_(CpuView(InRows(source)));
    }
    return self;
}

// Not through cpu_fallback: that resolves lazy conjugation by cloning.
at::Tensor CloneTensor(const at::Tensor& self, std::optional<at::MemoryFormat> format) {
    at::Tensor result = at::empty_like(self, self.options(), format.value_or(at::MemoryFormat::Preserve));
    return Copy(result, self, false);
}

at::Tensor CopyFrom(const at::Tensor& self, const at::Tensor& target, bool nonBlocking) {
    at::Tensor result = target;
    return Copy(result, self, nonBlocking);
}

at::Tensor CopyFromAndResize(const at::Tensor& self, const at::Tensor& target) {
    at::Tensor result = target;
    result.resize_(self.sizes());
    return Copy(result, self, false);
}

bool ReturnsAView(const c10::FunctionSchema& schema) {
    for (const auto& argument : schema.arguments()) {
        if (argument.alias_info() != nullptr && !argument.alias_info()->isWrite()) {
            return true;
        }
    }
    return false;
}

bool IsOurs(const c10::OperatorName& name, const c10::OperatorHandle& op) {
    const bool aten = name.name.rfind("aten::", 0) == 0 && name.name.rfind("aten::npu_", 0) != 0 &&
                      name.name.rfind("aten::_npu", 0) != 0;
    return aten && Kept().count(name.name) == 0 && op.hasSchema() && !ReturnsAView(op.schema());
}

// Registrations last for the life of the process: leaked, so that they outlive the dispatcher's own teardown.
std::vector<c10::RegistrationHandleRAII>& Registrations() {
    static auto* instance = new std::vector<c10::RegistrationHandleRAII>;
    return *instance;
}

void OverrideKernel(const c10::OperatorName& name, c10::KernelFunction kernel, c10::DispatchKey key = kNpu) {
    Registrations().push_back(c10::Dispatcher::singleton().registerImpl(name, key, std::move(kernel), std::nullopt,
                                                                        nullptr, "opforge simulator"));
}

#if SIM_TORCH_MINOR >= 9  // before it, PyTorch does not hand out its kernels
// PyTorch's own autograd kernels, for the operators where torch_npu has others. Those call backward operators that
// exist for the NPU alone (matmul_backward, ...); PyTorch's end in operators that the CPU has.
std::unordered_map<c10::OperatorName, c10::SafeKernelFunction>& AutogradKernels() {
    static auto* instance = new std::unordered_map<c10::OperatorName, c10::SafeKernelFunction>;
    return *instance;
}

void DifferentiateAsCpu(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    AutogradKernels().at(op.operator_name()).callBoxed(op, keys, stack);
}

void OverrideAutograd(const c10::OperatorName& name, const c10::OperatorHandle& op) {
    constexpr auto cpu = c10::DispatchKey::AutogradCPU;
    if (op.hasKernelForDispatchKey(kNpuAutograd) && op.hasComputedKernelForDispatchKey(cpu)) {
        AutogradKernels().emplace(name, op.getComputedKernelForDispatchKey(cpu));
        OverrideKernel(name, c10::KernelFunction::makeFromBoxedFunction<&DifferentiateAsCpu>(), kNpuAutograd);
    }
}
#else
void OverrideAutograd(const c10::OperatorName&, const c10::OperatorHandle&) {}
#endif

}  // namespace
}  // namespace sim

// Called once, by aclInit. Returns how many operators now run on the CPU.
extern "C" __attribute__((visibility("default"))) int sim_aten_install(const sim_aten_runtime* runtime) {
    using namespace sim;
    SetRuntime(runtime);
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findOp(name);
        if (!op.has_value() || !IsOurs(name, *op)) {
            continue;
        }
        if (op->hasKernelForDispatchKey(kNpu)) {
            const bool runs = op->hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
            OverrideKernel(name, runs ? c10::KernelFunction::makeFromBoxedFunction<&RunOnCpu>()
                                      : c10::KernelFunction::makeFromBoxedFunction<&Refuse>());
        }
        OverrideAutograd(name, *op);
    }
    OverrideKernel({"aten::clone", ""}, c10::KernelFunction::makeFromUnboxedRuntimeFunction(&CloneTensor));
    OverrideKernel({"aten::copy_", ""}, c10::KernelFunction::makeFromUnboxedRuntimeFunction(&Copy));
    OverrideKernel({"aten::_copy_from", ""}, c10::KernelFunction::makeFromUnboxedRuntimeFunction(&CopyFrom));
    OverrideKernel({"aten::_copy_from_and_resize", ""},
                   c10::KernelFunction::makeFromUnboxedRuntimeFunction(&CopyFromAndResize));
    return static_cast<int>(Registrations().size());
}
