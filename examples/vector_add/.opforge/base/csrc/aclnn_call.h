// Calls an operator through aclnn's two phases: GetWorkspaceSize on this thread, then the execution on torch's stream.
//
// Nothing here is linked against CANN. The functions are looked up in the operator package that this Python package
// carries, so that which libcust_opapi.so is called never depends on the environment. Sources: "aclnn single-operator
// call" in the CANN development guide (two phases, life of executor and tensors), acl_base.h (numbers of the enums).
#ifndef OPFORGE_ACLNN_CALL_H
#define OPFORGE_ACLNN_CALL_H

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include "npu_glue.h"

struct aclTensor;
struct aclOpExecutor;

namespace opforge {

constexpr int kAclFormatNd = 2;      // aclFormat: ACL_FORMAT_ND
constexpr int kAclUnsupported = -1;  // no aclDataType: ACL_DT_UNDEFINED
constexpr int kAclnnParamNull = 161001;
constexpr int kAclnnParamInvalid = 161002;

// The aclDataType of a torch dtype.
inline int acl_dtype(at::ScalarType dtype) {
    switch (dtype) {
        case at::kFloat:
            return 0;
        case at::kHalf:
            return 1;
        case at::kChar:
            return 2;
        case at::kInt:
            return 3;
        case at::kByte:
            return 4;
        case at::kShort:
            return 6;
        case at::kLong:
            return 9;
        case at::kBool:
            return 12;
        case at::kBFloat16:
            return 27;
        default:
            return kAclUnsupported;
    }
}

// The file `name` in the folder of the library that `address` belongs to.
inline std::string beside(const void* address, const char* name) {
    Dl_info info{};
    TORCH_CHECK(dladdr(address, &info) != 0 && info.dli_fname != nullptr, "the folder of this library is not known");
    const std::string file = info.dli_fname;
    return file.substr(0, file.rfind('/') + 1) + name;
}

// A shared library that stays open as long as the process.
class Library {
public:
    Library() = default;
    explicit Library(const std::string& path) : path_(path), handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
        TORCH_CHECK(handle_ != nullptr, "cannot open ", path, ": ", dlerror());
    }

    const std::string& path() const { return path_; }

    // The function `name` of this library, of one it was linked against, or of the process; null if there is none.
    template <typename Function>
    Function find(const char* name) const {
        void* function = dlsym(handle_, name);
        return reinterpret_cast<Function>(function != nullptr ? function : dlsym(RTLD_DEFAULT, name));
    }

    // As find, but a missing function is an error.
    template <typename Function>
    Function get(const char* name) const {
        auto* function = find<Function>(name);
        TORCH_CHECK(function != nullptr, path_, " has no ", name, ". Build and install this package again.");
        return function;
    }

private:
    std::string path_;
    void* handle_ = nullptr;
};

// The parts of CANN's runtime that every call needs.
struct Runtime {
    using CreateTensor = aclTensor* (*)(const int64_t* sizes, uint64_t rank, int dtype, const int64_t* strides,
                                        int64_t offset, int format, const int64_t* storage_sizes, uint64_t storage_rank,
                                        void* storage);
    using DestroyTensor = int (*)(const aclTensor*);
    using RecentMessage = const char* (*)();
    using Launch = decltype(&opforge_npu_launch);
    using Format = decltype(&opforge_npu_format);

    Runtime(const std::string& opapi_path, const std::string& glue_path)
        : opapi(opapi_path),
          glue(glue_path),
          create_tensor(opapi.get<CreateTensor>("aclCreateTensor")),
          destroy_tensor(opapi.get<DestroyTensor>("aclDestroyTensor")),
          recent_message(opapi.find<RecentMessage>("aclGetRecentErrMsg")),
          launch(glue.get<Launch>("opforge_npu_launch")),
          format(glue.get<Format>("opforge_npu_format")) {
        const int version = glue.get<int (*)()>("opforge_npu_glue_version")();
        TORCH_CHECK(version == OPFORGE_NPU_GLUE_VERSION, glue_path, " has version ", version, " of its interface, not ",
                    OPFORGE_NPU_GLUE_VERSION, ". Build and install this package again.");
    }

    Library opapi;
    Library glue;
    CreateTensor create_tensor;
    DestroyTensor destroy_tensor;
    RecentMessage recent_message;
    Launch launch;
    Format format;
};

// What one call holds until phase two is over: tensor descriptions, texts, the executor.
class CallState {
public:
    explicit CallState(const Runtime& runtime) : runtime_(runtime) {}
    CallState(const CallState&) = delete;
    CallState& operator=(const CallState&) = delete;
    ~CallState() {
        for (const aclTensor* tensor : tensors_) {
            runtime_.destroy_tensor(tensor);
        }
    }

    // Tensors are described as torch_npu does it: the storage's first byte, and the view by sizes, strides and offset.
    // The memory itself may be freed by torch meanwhile: its allocator hands it out again on this stream only.
    aclTensor* pass(const at::Tensor& tensor) {
        const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
        aclTensor* created =
            runtime_.create_tensor(tensor.sizes().data(), static_cast<uint64_t>(tensor.dim()),
                                   acl_dtype(tensor.scalar_type()), tensor.strides().data(), tensor.storage_offset(),
                                   kAclFormatNd, &elements, 1, const_cast<void*>(tensor.storage().data()));
        TORCH_CHECK(created != nullptr, "aclCreateTensor failed for a tensor of shape ", tensor.sizes());
        tensors_.push_back(created);
        return created;
    }
    // aclnn takes a null pointer for an optional tensor that is not given.
    aclTensor* pass(const std::optional<at::Tensor>& tensor) { return tensor.has_value() ? pass(*tensor) : nullptr; }
    char* pass(const std::string& text) {
        texts_.push_back(text);
        return texts_.back().data();
    }
    // aclnn's scalar attributes are double, int64_t and bool; a float would arrive as another number.
    template <typename Scalar>
    Scalar pass(Scalar value) {
        static_assert(std::is_same_v<Scalar, double> || std::is_same_v<Scalar, int64_t> ||
                      std::is_same_v<Scalar, bool>);
        return value;
    }

    using Execute = int (*)(void* workspace, uint64_t workspace_bytes, aclOpExecutor* executor, void* stream);
    Execute execute = nullptr;
    uint64_t workspace_bytes = 0;
    aclOpExecutor* executor = nullptr;

private:
    const Runtime& runtime_;
    std::list<const aclTensor*> tensors_;
    std::list<std::string> texts_;  // a list: addresses stay
};

// One operator's two functions, looked up once.
class TwoPhaseCall {
public:
    // `name` is a literal such as "aclnnVectorAdd".
    TwoPhaseCall(const Runtime& runtime, const char* name)
        : runtime_(runtime),
          name_(name),
          get_workspace_size_(runtime.opapi.get<void*>((std::string(name) + "GetWorkspaceSize").c_str())),
          execute_(runtime.opapi.get<CallState::Execute>(name)) {}

    // Arguments in the order of the aclnn function: inputs, attributes, outputs.
    template <typename... Arguments>
    void operator()(const Arguments&... arguments) const {
        auto state = std::make_unique<CallState>(runtime_);
        state->execute = execute_;
        // Braces: evaluated from left to right.
        auto passed = std::tuple{state->pass(arguments)...};
        const int status = std::apply(
            [&](auto... values) {
                using GetWorkspaceSize = int (*)(decltype(values)..., uint64_t*, aclOpExecutor**);
                return reinterpret_cast<GetWorkspaceSize>(get_workspace_size_)(values..., &state->workspace_bytes,
                                                                               &state->executor);
            },
            passed);
        TORCH_CHECK(status == 0, name_, "GetWorkspaceSize failed with ", status, meaning(status), details());

        opforge_npu_call call{name_, state->workspace_bytes, &run, &release, state.get()};
        std::string message;
        state.release();  // the glue calls `release` on every path  NOLINT(bugprone-unused-return-value)
        if (runtime_.launch(&call, &keep_message, &message) != 0) {
            TORCH_CHECK(false, name_, " failed: ", message);
        }
    }

private:
    static int run(void* opaque, void* workspace, void* stream) {
        auto* state = static_cast<CallState*>(opaque);
        return state->execute(workspace, state->workspace_bytes, state->executor, stream);
    }
    static void release(void* opaque) { delete static_cast<CallState*>(opaque); }
    static void keep_message(void* context, const char* message) { *static_cast<std::string*>(context) = message; }

    static const char* meaning(int status) {
        switch (status) {
            case kAclnnParamNull:
                return " (a required argument is null)";
            case kAclnnParamInvalid:
                return " (an argument is not supported)";
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
    const char* name_;
    void* get_workspace_size_;
    CallState::Execute execute_;
};

}  // namespace opforge

#endif  // OPFORGE_ACLNN_CALL_H
