#include "recording.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu_view.h"

namespace sim {
namespace {

constexpr int kParamInvalid = 107000;     // ACL_ERROR_RT_PARAM_INVALID
constexpr int kStreamCaptured = 107027;   // ACL_ERROR_RT_STREAM_CAPTURED
constexpr int kAicoreException = 507015;  // ACL_ERROR_RT_AICORE_EXCEPTION

using Change = std::function<at::Tensor(const at::Tensor&)>;

bool OnDevice(const at::Tensor& tensor) {
    return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1;
}

// `device` is a template's parameter so that older versions of PyTorch compile, which have no such function.
template <typename Guard>
void* NativeHandle(const Guard& device, c10::Stream stream) {
    if constexpr (requires { device.getStreamNativeHandle(stream); }) {
        return device.getStreamNativeHandle(stream);
    } else {
        TORCH_CHECK_NOT_IMPLEMENTED(false, "the simulated device captures graphs with PyTorch 2.13 and later");
    }
}

// An argument with each of its tensors changed, and on another device where it names one.
c10::IValue Changed(const c10::IValue& value, const Change& change, c10::DeviceType device) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(change(value.toTensor())) : value;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(tensor.defined() ? change(tensor) : tensor);
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
            list.push_back(tensor.has_value() && tensor->defined() ? std::make_optional(change(*tensor)) : tensor);
        }
        return list;
    }
    return value.isDevice() ? c10::IValue(c10::Device(device)) : value;
}

torch::jit::Stack Changed(const torch::jit::Stack& stack, const Change& change, c10::DeviceType device) {
    torch::jit::Stack result;
    for (const c10::IValue& value : stack) {
        result.push_back(Changed(value, change, device));
    }
    return result;
}

void Call(const c10::OperatorHandle& op, c10::DispatchKey key, torch::jit::Stack* stack) {
    const at::AutoDispatchBelowADInplaceOrView below;
    op.redispatchBoxed(c10::DispatchKeySet(key), stack);
}

// Zeros on the CPU that lie like a tensor of the device: valid as indices too.
at::Tensor Zeros(const at::Tensor& tensor) {
    int64_t elements = tensor.numel() == 0 ? 0 : 1;
    for (int64_t dim = 0; dim < tensor.dim() && elements > 0; ++dim) {
        elements += (tensor.size(dim) - 1) * tensor.stride(dim);
    }
    return at::zeros({elements}, tensor.options().device(c10::kCPU)).as_strided(tensor.sizes(), tensor.strides(), 0);
}

at::Tensor OnlyShape(const at::Tensor& tensor) {
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
}

// What the operator leaves on the stack, with the right shapes and no values of meaning, and its arguments afterwards.
struct Outcome {
    torch::jit::Stack arguments;
    torch::jit::Stack results;
};

Outcome Tried(const c10::OperatorHandle& op, const torch::jit::Stack& arguments, c10::DispatchKey key,
              const std::function<at::Tensor(const at::Tensor&)>& instead, c10::DeviceType device) {
    Outcome outcome;
    outcome.arguments = Changed(
        arguments, [&](const at::Tensor& tensor) { return OnDevice(tensor) ? instead(tensor) : tensor; }, device);
    outcome.results = outcome.arguments;
    Call(op, key, &outcome.results);
    return outcome;
}

Outcome Shapes(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
    if (op.hasComputedKernelForDispatchKey(c10::DispatchKey::Meta)) {
        try {
            return Tried(op, arguments, c10::DispatchKey::Meta, OnlyShape, c10::DeviceType::Meta);
        } catch (const std::exception&) {
            // Some operators have only a part of their kernel for shapes. The CPU's own also says what is wrong.
        }
    }
    return Tried(op, arguments, c10::DispatchKey::CPU, Zeros, c10::DeviceType::CPU);
}

// A tensor of the CPU over the bytes of one of the device or of pinned host memory, which it does not keep alive: a
// graph names memory, as on hardware. Its address goes to `used`.
at::Tensor Alias(const at::Tensor& tensor, std::vector<const void*>* used) {
    const bool device = OnDevice(tensor);
    void* bytes = device ? HostBytes(tensor) : tensor.data_ptr();
    if (device && tensor.numel() > 0) {
        used->push_back(tensor.const_data_ptr());
    }
    at::Tensor alias =
        at::from_blob(bytes, tensor.sizes(), tensor.strides(), [](void*) {}, tensor.options().device(c10::kCPU));
    alias._set_conj(tensor.is_conj());
    alias._set_neg(tensor.is_neg());
    return alias;
}

// A piece of a graph: what to do, and the memory of the device that it needs.
struct Piece {
    std::string name;
    std::vector<const void*> used;
    std::function<void()> work;
};

int Run(void* context) {
    const Piece& piece = *static_cast<const Piece*>(context);
    for (const void* address : piece.used) {
        if (Runtime().host_view(address) == nullptr) {  // which leaves the message
            return kParamInvalid;
        }
    }
    try {
        const at::NoGradGuard noGradients;
        piece.work();
    } catch (const std::exception& error) {
        Runtime().set_error((piece.name + ": " + error.what()).c_str());
        return kAicoreException;
    }
    return 0;
}

void Record(std::unique_ptr<Piece> piece) {
    const std::string name = piece->name;
    const sim_task task = {name.c_str(), &Run, [](void* context) { delete static_cast<Piece*>(context); },
                           piece.release()};
    const int failed = Runtime().capture_record(CapturingStream(), &task);
    TORCH_CHECK(failed == 0, name, ": error code is ", failed, "\n", Runtime().recent_error());
}

[[noreturn]] void Refuse(int code, const std::string& message) {
    Runtime().capture_refuse(CapturingStream(), code, message.c_str());
    TORCH_CHECK(false, "error code is ", code, "\n", Runtime().recent_error());
}

// Indices of whole numbers choose as many elements as there are indices; a mask as many as it has true values.
bool OnlyNumbers(const c10::OperatorHandle& op, const torch::jit::Stack& given) {
    bool masks = op.schema().name() != "aten::index";
    for (const c10::IValue& value : given) {
        if (value.isOptionalTensorList()) {
            for (const std::optional<at::Tensor>& index : value.toOptionalTensorVector()) {
                const bool mask = index.has_value() && index->defined() &&
                                  (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte);
                masks = masks || mask;
            }
        }
    }
    return !masks;
}

void CheckRecordable(const c10::OperatorHandle& op, const torch::jit::Stack& given) {
    const std::string name = c10::toString(op.operator_name());
    const auto tagged = [&op](at::Tag tag) { return op.hasTag(tag); };
    if (tagged(at::Tag::data_dependent_output) || (tagged(at::Tag::dynamic_output_shape) && !OnlyNumbers(op, given))) {
        Refuse(kStreamCaptured, name +
                                    ": stream is captured. What the operator returns depends on the values of its "
                                    "tensors, so it waits for the stream, which a capture does not allow");
    }
    if (tagged(at::Tag::nondeterministic_seeded)) {
        Refuse(kParamInvalid, name +
                                  ": the simulated device does not capture operators that draw random numbers; draw "
                                  "before the capture, or use a device");
    }
}

c10::IValue Allocated(const c10::IValue& shape, c10::Device device) {
    return Changed(
        shape,
        [device](const at::Tensor& tensor) {
            return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(device));
        },
        device.type());
}

// An output that was given with another size, as out= allows.
void ResizeGiven(const c10::IValue& given, const c10::IValue& after) {
    if (given.isTensor() && given.toTensor().defined() && !given.toTensor().sizes().equals(after.toTensor().sizes())) {
        given.toTensor().resize_(after.toTensor().sizes());
    }
}

bool IsWritten(const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// The argument that a result stands for (in place, out=), or -1.
int64_t ArgumentOf(const c10::FunctionSchema& schema, const c10::Argument& result) {
    for (size_t i = 0; IsWritten(result) && i < schema.arguments().size(); ++i) {
        if (IsWritten(schema.arguments()[i]) && *schema.arguments()[i].alias_info() == *result.alias_info()) {
            return static_cast<int64_t>(i);
        }
    }
    return -1;
}

std::vector<at::Tensor> TensorsOf(const c10::IValue& value) {
    if (value.isTensor()) {
        return {value.toTensor()};
    }
    return value.isTensorList() ? value.toTensorVector() : std::vector<at::Tensor>();
}

c10::Device DeviceOf(const torch::jit::Stack& arguments) {
    c10::Device device(c10::DeviceType::PrivateUse1,
                       c10::impl::VirtualGuardImpl(c10::DeviceType::PrivateUse1).getDevice().index());
    for (const c10::IValue& value : arguments) {
        device = value.isDevice() && value.toDevice().has_index() ? value.toDevice() : device;
    }
    return device;
}

}  // namespace

void* CapturingStream() {
    if (Runtime().captures_anything() == 0) {
        return nullptr;
    }
    const c10::impl::VirtualGuardImpl device(c10::DeviceType::PrivateUse1);
    void* stream = NativeHandle(device, device.getStream(device.getDevice()));
    return Runtime().stream_captures(stream) != 0 ? stream : nullptr;
}

void RecordOperator(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    torch::jit::Stack given(stack->end() - static_cast<int64_t>(schema.arguments().size()), stack->end());
    CheckRecordable(op, given);
    const c10::Device device = DeviceOf(given);
    for (size_t i = 0; i < given.size(); ++i) {
        const bool written = IsWritten(schema.arguments()[i]);
        given[i] = Changed(
            given[i],
            [written](const at::Tensor& tensor) {
                TORCH_CHECK_NOT_IMPLEMENTED(!written || !InBlocks(tensor),
                                            "the simulated device does not write to a tensor that is stored in blocks");
                return InRows(tensor);
            },
            device.type());
    }
    const Outcome shapes = Shapes(op, given);
    torch::jit::Stack results;
    auto piece = std::make_unique<Piece>();
    piece->name = c10::toString(op.operator_name());
    std::vector<std::pair<size_t, std::vector<at::Tensor>>> made;  // results that the operator allocates
    for (size_t i = 0; i < schema.returns().size(); ++i) {
        const int64_t argument = ArgumentOf(schema, schema.returns()[i]);
        if (argument >= 0) {
            ResizeGiven(given[argument], shapes.arguments[argument]);
            results.push_back((*stack)[stack->size() - given.size() + static_cast<size_t>(argument)]);
            continue;
        }
        results.push_back(Allocated(shapes.results[i], device));
        std::vector<at::Tensor> aliases;
        for (const at::Tensor& tensor : TensorsOf(results.back())) {
            aliases.push_back(tensor.defined() ? Alias(tensor, &piece->used) : tensor);
        }
        made.emplace_back(i, std::move(aliases));
    }
    const torch::jit::Stack arguments = Changed(
        given,
        [&piece](const at::Tensor& tensor) {
            // A number of the host belongs to the call: its value is kept.
            return OnDevice(tensor) ? Alias(tensor, &piece->used) : tensor.clone();
        },
        c10::DeviceType::CPU);
    piece->work = [op, arguments, made] {
        torch::jit::Stack replayed = arguments;
        Call(op, c10::DispatchKey::CPU, &replayed);
        for (const auto& [index, aliases] : made) {
            const std::vector<at::Tensor> values = TensorsOf(replayed[index]);
            for (size_t k = 0; k < aliases.size() && k < values.size(); ++k) {
                if (aliases[k].defined() && values[k].defined()) {
                    aliases[k].copy_(values[k]);
                }
            }
        }
    };
    Record(std::move(piece));
    torch::jit::drop(*stack, given.size());
    for (c10::IValue& result : results) {
        stack->push_back(std::move(result));
    }
}

void RecordCopy(const at::Tensor& self, const at::Tensor& source, bool nonBlocking) {
    if (self.numel() == 0) {
        return;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(!InBlocks(self),
                                "the simulated device does not capture copies to a tensor that is stored in blocks");
    const at::Tensor rows = InRows(source);
    if (!OnDevice(self) || !OnDevice(source)) {
        const at::Tensor& host = OnDevice(self) ? source : self;
        if (!nonBlocking) {
            const int refused = Runtime().capture_check_copy("aclrtMemcpy");
            TORCH_CHECK(refused == 0, "NPU function error: aclrtMemcpy, error code is ", refused, "\n",
                        Runtime().recent_error());
            CpuView(self).copy_(CpuView(rows));
            return;
        }
        if (Runtime().is_pinned(host.const_data_ptr()) == 0) {
            Refuse(kParamInvalid,
                   "aclrtMemcpyAsync: the pageable memory copy task does not support graph capture. The host's tensor "
                   "must be pinned (pin_memory())");
        }
    }
    auto piece = std::make_unique<Piece>();
    piece->name = "aten::copy_";
    const at::Tensor to = Alias(self, &piece->used);
    const at::Tensor from = Alias(rows, &piece->used);
    piece->work = [to, from] { to.copy_(from); };
    Record(std::move(piece));
}

}  // namespace sim
