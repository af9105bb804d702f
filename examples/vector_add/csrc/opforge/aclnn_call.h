// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Calls an operator through aclnn's two phases: GetWorkspaceSize on this thread, then the execution on torch's stream.
//
// Sources: "aclnn single-operator call" in the CANN development guide (two phases, life of executor and tensors),
// acl_base.h and aclnn_base.h (numbers of the enums).
#ifndef OPFORGE_ACLNN_CALL_H
#define OPFORGE_ACLNN_CALL_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/core/Formatting.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include "cann_runtime.h"
#include "dtypes.h"
#include "npu_glue.h"

namespace opforge {

constexpr int kAclFormatNd = 2;   // aclFormat: ACL_FORMAT_ND
constexpr int kAclFormatNz = 29;  // ACL_FORMAT_FRACTAL_NZ
constexpr int kAclnnParamNull = 161001;
constexpr int kAclnnParamInvalid = 161002;
constexpr int kAclnnFindKernel = 561003;
constexpr int kAclnnOppPathNotFound = 561107;
constexpr int kAclnnLoadJson = 561108;
constexpr int kAclnnKernelPackageNotFound = 561112;

// A number for an aclScalar input, in the dtype that the operator takes.
struct Number {
    const char* name;  // "op: argument", for errors
    std::optional<at::Scalar> value;
    at::ScalarType dtype;
};

// Several numbers (aclScalarList).
struct Numbers {
    const char* name;
    std::optional<std::vector<at::Scalar>> values;
    at::ScalarType dtype;
};

// An output whose shape the kernel determines (OutputShapeDependOnCompute). It has the largest possible size before the
// call and its actual size afterwards.
struct Shaped {
    const char* name;
    at::Tensor* tensor;
};

// A tensor, or several, that aclnn is told a format for, such as NCHW: the operator has no combination of ND. The
// format only names the dimensions.
template <typename Value>
struct Labelled {
    const Value& value;
    int format;
};
template <typename Value>
Labelled<Value> labelled(const Value& value, int format) {
    return {value, format};
}

// A tensor whose elements lie in memory in another order, in the given format.
struct Stored {
    at::Tensor tensor;  // for the shape
    at::Tensor memory;  // of `sizes`
    int format;
    std::vector<int64_t> sizes;
};

// The arguments of aclnn functions: objects by address, strings, and scalars of three types.
template <typename Value>
constexpr bool kPassable = std::is_pointer_v<Value> || std::is_same_v<Value, double> ||
                           std::is_same_v<Value, int64_t> || std::is_same_v<Value, bool>;

// Tensors as errors show them; empty for other arguments.
using Shown = std::vector<std::string>;
inline void show(Shown& shown, const at::Tensor& tensor) {
    shown.push_back(dtype_name(tensor.scalar_type()) + shape_text(tensor.sizes()));
}
inline void show(Shown& shown, const Shaped& output) { show(shown, *output.tensor); }
inline void show(Shown& shown, const Stored& stored) { show(shown, stored.tensor); }
template <typename Other>
void show(Shown&, const Other&) {}
template <typename Value>
void show(Shown& shown, const std::vector<Value>& values) {
    std::for_each(values.begin(), values.end(), [&shown](const Value& value) { show(shown, value); });
}
template <typename Value>
void show(Shown& shown, const std::optional<Value>& value) {
    if (value.has_value()) {
        show(shown, *value);
    }
}
template <typename Value>
void show(Shown& shown, const Labelled<Value>& labelled) {
    show(shown, labelled.value);
}

// The objects of one call until phase two ends: tensor descriptions, arrays, strings, the executor.
class CallState {
public:
    explicit CallState(const Runtime& runtime) : runtime_(runtime) {}
    CallState(const CallState&) = delete;
    CallState& operator=(const CallState&) = delete;
    ~CallState() {
        runtime_.abandon(executor);
        std::for_each(destroyers_.begin(), destroyers_.end(), [](const auto& destroy) { destroy(); });
    }

    // Tensors are described as in torch_npu: the first byte of the storage, and the view by sizes, strides and offset.
    // torch may free the memory before phase two, because its allocator reuses the memory only on this stream.
    aclTensor* pass(const at::Tensor& tensor) {
        const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
        return described(tensor, tensor.strides().data(), format_, tensor, elements);
    }
    aclTensor* pass(const Stored& stored) {
        return described(stored.tensor, nullptr, stored.format, stored.memory, stored.sizes);
    }
    template <typename Value>
    auto pass(const Labelled<Value>& labelled) {
        format_ = labelled.format;
        auto* const created = pass(labelled.value);
        format_ = kAclFormatNd;
        return created;
    }
    aclTensor* pass(const Shaped& output) {
        shaped_.push_back(pass(*output.tensor));
        return shaped_.back();
    }
    aclTensorList* pass(const std::vector<at::Tensor>& tensors) {
        return list(runtime_.tensor_list, tensors, [this](const at::Tensor& tensor) { return pass(tensor); });
    }
    aclTensorList* pass(const std::vector<Stored>& tensors) {
        return list(runtime_.tensor_list, tensors, [this](const Stored& stored) { return pass(stored); });
    }
    aclScalar* pass(const Number& number) {
        return number.value.has_value() ? pass(number.name, *number.value, number.dtype) : nullptr;
    }
    aclScalarList* pass(const Numbers& numbers) {
        if (!numbers.values.has_value()) {
            return nullptr;
        }
        return list(runtime_.scalar_list, *numbers.values,
                    [this, &numbers](const at::Scalar& value) { return pass(numbers.name, value, numbers.dtype); });
    }
    aclIntArray* pass(const std::vector<int64_t>& values) {
        return array(runtime_.int_array, values.data(), values.size());
    }
    // aclnn's floating-point arrays contain float, the dispatcher's contain double.
    aclFloatArray* pass(const std::vector<double>& values) {
        const std::vector<float> narrow(values.begin(), values.end());
        return array(runtime_.float_array, narrow.data(), narrow.size());
    }
    aclBoolArray* pass(const c10::List<bool>& values) {
        const auto bytes = std::make_unique<bool[]>(values.size());
        std::copy(values.begin(), values.end(), bytes.get());
        return array(runtime_.bool_array, bytes.get(), values.size());
    }
    // For aclnn, a null pointer is an optional argument that is not given.
    template <typename Value>
    auto pass(const std::optional<Value>& value) -> decltype(pass(*value)) {
        return value.has_value() ? pass(*value) : nullptr;
    }
    char* pass(const std::string& text) {
        texts_.push_back(text);
        return texts_.back().data();
    }
    // aclnn's scalar attributes are double, int64_t and bool; a float would arrive as a different number.
    template <typename Scalar>
    Scalar pass(Scalar value) {
        static_assert(std::is_same_v<Scalar, double> || std::is_same_v<Scalar, int64_t> ||
                      std::is_same_v<Scalar, bool>);
        return value;
    }

    // Phase two. It waits for kernels that determine shapes; the descriptions then have the shapes.
    int run(void* workspace, void* stream) {
        const int status = execute(workspace, workspace_bytes, std::exchange(executor, nullptr), stream);
        if (!outcome_.has_value()) {
            return status;
        }
        Outcome outcome;
        if (status != 0) {
            const char* message = runtime_.recent_message != nullptr ? runtime_.recent_message() : nullptr;
            outcome.error = std::to_string(status) + ": " + (message != nullptr ? message : "");
        }
        for (size_t i = 0; i < shaped_.size() && status == 0; ++i) {
            int64_t* dims = nullptr;
            uint64_t rank = 0;
            const int asked = runtime_.view_shape(shaped_[i], &dims, &rank);
            outcome.error += asked != 0 ? "aclGetViewShape failed with " + std::to_string(asked) : "";
            outcome.shapes.emplace_back(dims, dims + rank);
            std::unique_ptr<int64_t[]> owned(dims);
        }
        outcome_->set_value(std::move(outcome));
        return status;
    }
    // The result of phase two, with the shapes in the order of the arguments.
    struct Outcome {
        std::string error;
        std::vector<std::vector<int64_t>> shapes;
    };
    std::future<Outcome> outcome() { return outcome_.emplace().get_future(); }

    using Execute = int (*)(void* workspace, uint64_t workspace_bytes, aclOpExecutor* executor, void* stream);
    Execute execute = nullptr;
    uint64_t workspace_bytes = 0;
    aclOpExecutor* executor = nullptr;  // until phase two destroys it

private:
    // Without strides aclnn takes those of a contiguous tensor.
    aclTensor* described(const at::Tensor& tensor, const int64_t* strides, int format, const at::Tensor& memory,
                         at::IntArrayRef memory_sizes) {
        aclTensor* created = runtime_.tensor.create(
            tensor.sizes().data(), static_cast<uint64_t>(tensor.dim()), acl_dtype(tensor.scalar_type()), strides,
            strides != nullptr ? tensor.storage_offset() : 0, format, memory_sizes.data(), memory_sizes.size(),
            const_cast<void*>(memory.storage().data()));
        TORCH_CHECK(created != nullptr, "aclCreateTensor failed for a tensor of shape ", tensor.sizes());
        return kept(runtime_.tensor, created);
    }
    aclScalar* pass(const char* name, const at::Scalar& value, at::ScalarType dtype) {
        switch (dtype) {
            case at::kFloat:
                return scalar<float>(name, value, dtype);
            case at::kHalf:
                return scalar<at::Half>(name, value, dtype);
            case at::kBFloat16:
                return scalar<at::BFloat16>(name, value, dtype);
            case at::kDouble:
                return scalar<double>(name, value, dtype);
            case at::kChar:
                return scalar<int8_t>(name, value, dtype);
            case at::kShort:
                return scalar<int16_t>(name, value, dtype);
            case at::kInt:
                return scalar<int32_t>(name, value, dtype);
            case at::kLong:
                return scalar<int64_t>(name, value, dtype);
            case at::kByte:
                return scalar<uint8_t>(name, value, dtype);
            case at::kBool:
                return scalar<bool>(name, value, dtype);
            default:
                TORCH_CHECK_TYPE(false, name, ": a number cannot be passed as ", dtype_name(dtype));
        }
    }
    template <typename Value>
    aclScalar* scalar(const char* name, const at::Scalar& number, at::ScalarType dtype) {
        if (std::is_integral_v<Value> && dtype != at::kBool && number.isFloatingPoint()) {
            const double real = number.toDouble();
            TORCH_CHECK_TYPE(std::floor(real) == real, name, " must be a whole number, as its dtype ",
                             dtype_name(dtype), " is, but it is ", real);
        }
        const bool fits = number.isFloatingPoint() ? !c10::overflows<Value>(number.toDouble())
                                                   : !c10::overflows<Value>(number.toLong());
        TORCH_CHECK_VALUE(fits, name, " is ", number, ", which its dtype ", dtype_name(dtype), " does not hold");
        const Value value = number.to<Value>();
        std::array<char, sizeof(int64_t)> bytes{};
        std::memcpy(bytes.data(), &value, sizeof(value));
        return kept(runtime_.scalar, runtime_.scalar.create(bytes.data(), acl_dtype(dtype)));
    }
    // An empty array has an address as well.
    template <typename Object, typename... Arguments, typename Value>
    Object* array(const Maker<Object, Arguments...>& maker, const Value* values, size_t count) {
        const Value none{};
        return kept(maker, maker.create(count > 0 ? values : &none, count));
    }
    // The list owns its elements from here on.
    template <typename Object, typename... Arguments, typename Values, typename Pass>
    Object* list(const Maker<Object, Arguments...>& maker, const Values& values, const Pass& pass_one) {
        const size_t before = destroyers_.size();
        std::vector<decltype(pass_one(values[0]))> made;
        for (const auto& value : values) {
            made.push_back(pass_one(value));
        }
        Object* created = maker.create(made.data(), made.size());
        if (created != nullptr) {
            destroyers_.resize(before);
        }
        return kept(maker, created);
    }
    template <typename Object, typename... Arguments>
    Object* kept(const Maker<Object, Arguments...>& maker, Object* created) {
        TORCH_CHECK(created != nullptr, maker.name, " failed");
        destroyers_.push_back([created, destroy = maker.destroy] { destroy(created); });
        return created;
    }

    const Runtime& runtime_;
    std::vector<std::function<void()>> destroyers_;
    std::list<std::string> texts_;  // a list, so that addresses stay valid
    int format_ = kAclFormatNd;     // of the tensors that are passed
    std::vector<aclTensor*> shaped_;
    std::optional<std::promise<Outcome>> outcome_;
};

// One operator's two functions, looked up once.
class TwoPhaseCall {
public:
    // `op` and `name` are literals such as "vector_add.vector_add" and "aclnnVectorAdd".
    TwoPhaseCall(const Runtime& runtime, const char* op, const char* name)
        : runtime_(runtime),
          op_(op),
          name_(name),
          get_workspace_size_(runtime.opapi.get<void*>((std::string(name) + "GetWorkspaceSize").c_str())),
          execute_(runtime.opapi.get<CallState::Execute>(name)) {}

    // Arguments in the order of the aclnn function: inputs, attributes, outputs.
    template <typename... Arguments>
    void operator()(const Arguments&... arguments) const {
        auto state = std::make_unique<CallState>(runtime_);
        state->execute = execute_;
        // Braces evaluate from left to right.
        auto passed = std::tuple{state->pass(arguments)...};
        const int status = std::apply(
            [&](auto... values) {
                static_assert((kPassable<decltype(values)> && ...));
                using GetWorkspaceSize = int (*)(decltype(values)..., uint64_t*, aclOpExecutor**);
                return reinterpret_cast<GetWorkspaceSize>(get_workspace_size_)(values..., &state->workspace_bytes,
                                                                               &state->executor);
            },
            passed);
        if (status != 0) {
            Shown shown;
            (show(shown, arguments), ...);
            TORCH_CHECK(false, op_, ": ", name_, "GetWorkspaceSize failed with ", status, meaning(status), " on ",
                        runtime_.chip, " for ", joined(shown), details());
        }

        const uint64_t workspace_bytes = state->workspace_bytes;
        opforge_npu_call call{name_, workspace_bytes, &run, &release, state.get()};
        std::string message;
        constexpr bool kShaped = (std::is_same_v<Arguments, Shaped> || ...);
        std::future<CallState::Outcome> outcome = kShaped ? state->outcome() : std::future<CallState::Outcome>();
        state.release();  // the glue calls `release` on every path  NOLINT(bugprone-unused-return-value)
        const int launched = runtime_.launch(&call, &keep_message, &message);
        // A separate type: callers catch it and retry with less memory.
        TORCH_CHECK_WITH(OutOfMemoryError, launched != OPFORGE_NPU_OUT_OF_MEMORY, op_, ": ", name_, " needs ",
                         workspace_bytes, " bytes of workspace: ", message);
        TORCH_CHECK(launched != OPFORGE_NPU_NOT_RUN, op_, ": ", name_, " was not run: ", message);
        if constexpr (kShaped) {
            const CallState::Outcome done = waited(&outcome);
            size_t shape = 0;
            (reshape(arguments, done.shapes, &shape), ...);
        }
        TORCH_CHECK(launched == OPFORGE_NPU_LAUNCHED, op_, ": ", name_, " failed: ", message);
    }

private:
    static int run(void* opaque, void* workspace, void* stream) {
        return static_cast<CallState*>(opaque)->run(workspace, stream);
    }
    // The call is in torch_npu's task queue, which drops it if an earlier call has failed.
    CallState::Outcome waited(std::future<CallState::Outcome>* outcome) const {
        outcome->wait();
        CallState::Outcome done;
        try {
            done = outcome->get();
        } catch (const std::future_error&) {
            done.error = "it was not run, as an operator before it failed; torch_npu says which at the next call";
        }
        TORCH_CHECK(done.error.empty(), op_, ": ", name_, " failed: ", done.error);
        return done;
    }
    template <typename Other>
    void reshape(const Other&, const std::vector<std::vector<int64_t>>&, size_t*) const {}
    void reshape(const Shaped& output, const std::vector<std::vector<int64_t>>& shapes, size_t* place) const {
        const std::vector<int64_t>& sizes = shapes[(*place)++];
        at::Tensor& tensor = *output.tensor;
        const bool fits =
            static_cast<int64_t>(sizes.size()) == tensor.dim() && c10::multiply_integers(sizes) <= tensor.numel();
        TORCH_CHECK(fits, op_, ": the kernel gives ", output.name, " the shape ", at::IntArrayRef(sizes),
                    ", and opforge.yaml says at most ", tensor.sizes());
        tensor = tensor.flatten().narrow(0, 0, c10::multiply_integers(sizes)).view(sizes);
    }
    static void release(void* opaque) { delete static_cast<CallState*>(opaque); }
    static void keep_message(void* context, const char* message) { *static_cast<std::string*>(context) = message; }

    // Source: "Common API return codes" of aclnn.
    static const char* meaning(int status) {
        switch (status) {
            case kAclnnParamNull:
                return " (a required argument is null)";
            case kAclnnParamInvalid:
                return " (an argument is not supported)";
            case kAclnnFindKernel:
            case kAclnnKernelPackageNotFound:
                return " (the installed operator package has no kernel for these dtypes on this chip; type `opforge "
                       "build && opforge install` in the project)";
            case kAclnnOppPathNotFound:
            case kAclnnLoadJson:
                return " (a file of the operator package is missing; type `opforge install` in the project)";
            default:
                return "";
        }
    }
    std::string details() const {
        const char* message = runtime_.recent_message != nullptr ? runtime_.recent_message() : nullptr;
        return message != nullptr && *message != '\0' ? std::string(": ") + message
                                                      : std::string("; CANN gave no further message");
    }

    const Runtime& runtime_;
    const char* op_;
    const char* name_;
    void* get_workspace_size_;
    CallState::Execute execute_;
};

}  // namespace opforge

#endif  // OPFORGE_ACLNN_CALL_H
