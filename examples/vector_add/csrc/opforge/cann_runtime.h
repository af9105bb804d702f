// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Access to CANN: functions of the operator package inside this Python package, and of the glue.
//
// Nothing is linked against CANN. Functions are looked up in the package's own libcust_opapi.so and the libraries that
// it is linked against, so that the result never depends on the environment.
#ifndef OPFORGE_CANN_RUNTIME_H
#define OPFORGE_CANN_RUNTIME_H

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include <c10/util/Exception.h>

#include "npu_glue.h"

struct aclTensor;
struct aclTensorList;
struct aclScalar;
struct aclScalarList;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
struct aclOpExecutor;

namespace opforge {

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
        TORCH_CHECK(handle_ != nullptr, "cannot open ", path, ": ", dlerror(),
                    ". Build and install this package again.");
    }

    const std::string& path() const { return path_; }

    // The function `name` of this library, of one it was linked against, or of the process; null if there is none.
    template <typename Function>
    Function find(const char* name) const {
        void* function = dlsym(handle_, name);
        return reinterpret_cast<Function>(function != nullptr ? function : dlsym(RTLD_DEFAULT, name));
    }

    // Like find, but a missing function is an error.
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

// The two functions that create and destroy one kind of aclnn object. Sources: "aclCreateTensor" and related pages.
template <typename Object, typename... Arguments>
struct Maker {
    using Create = Object* (*)(Arguments...);
    using Destroy = int (*)(const Object*);

    // `kind` as in aclCreateTensor and aclDestroyTensor.
    Maker(const Library& library, const std::string& kind)
        : name("aclCreate" + kind),
          create(library.get<Create>(name.c_str())),
          destroy(library.get<Destroy>(("aclDestroy" + kind).c_str())) {}

    std::string name;
    Create create;
    Destroy destroy;
};

// The parts of CANN's runtime that every call uses.
struct Runtime {
    using RecentMessage = const char* (*)();
    using Launch = decltype(&opforge_npu_launch);
    using Format = decltype(&opforge_npu_format);
    using ChipName = const char* (*)();
    using ViewShape = int (*)(const aclTensor*, int64_t** dims, uint64_t* rank);  // the caller deletes the dims
    using ForExecutor = int (*)(aclOpExecutor*);

    Runtime(const std::string& opapi_path, const std::string& glue_path)
        : opapi(opapi_path),
          glue(glue_path),
          recent_message(opapi.find<RecentMessage>("aclGetRecentErrMsg")),
          view_shape(opapi.get<ViewShape>("aclGetViewShape")),
          set_repeatable(opapi.find<ForExecutor>("aclSetAclOpExecutorRepeatable")),
          destroy_executor(opapi.find<ForExecutor>("aclDestroyAclOpExecutor")),
          launch(glue.get<Launch>("opforge_npu_launch")),
          format(glue.get<Format>("opforge_npu_format")) {
        const int version = glue.get<int (*)()>("opforge_npu_glue_version")();
        TORCH_CHECK(version == OPFORGE_NPU_GLUE_VERSION, glue_path, " has version ", version, " of its interface, not ",
                    OPFORGE_NPU_GLUE_VERSION, ". Build and install this package again.");
        // Source: "aclrtGetSocName". torch_npu, which the glue is linked against, has the runtime open.
        const auto chip_name = glue.find<ChipName>("aclrtGetSocName");
        const char* name = chip_name != nullptr ? chip_name() : nullptr;
        chip = name != nullptr ? name : "";
    }

    // Destroys an executor that never reaches phase two. Sources: "aclSetAclOpExecutorRepeatable" and
    // "aclDestroyAclOpExecutor", which only destroys executors that the former was called for.
    void abandon(aclOpExecutor* executor) const {
        const bool known = set_repeatable != nullptr && destroy_executor != nullptr;
        if (executor != nullptr && known && set_repeatable(executor) == 0) {
            destroy_executor(executor);
        }
    }

    Library opapi;
    Library glue;
    RecentMessage recent_message;
    ViewShape view_shape;
    ForExecutor set_repeatable;
    ForExecutor destroy_executor;
    Launch launch;
    Format format;
    std::string chip;  // such as "Ascend910B3", the same for all NPUs of a machine; empty if unknown

    // Sizes, rank, dtype, strides, offset, format, storage sizes, storage rank, storage.
    Maker<aclTensor, const int64_t*, uint64_t, int, const int64_t*, int64_t, int, const int64_t*, uint64_t, void*>
        tensor{opapi, "Tensor"};
    Maker<aclTensorList, const aclTensor* const*, uint64_t> tensor_list{opapi, "TensorList"};  // owns its elements
    Maker<aclScalar, void*, int> scalar{opapi, "Scalar"};
    Maker<aclScalarList, const aclScalar* const*, uint64_t> scalar_list{opapi, "ScalarList"};  // owns its elements
    Maker<aclIntArray, const int64_t*, uint64_t> int_array{opapi, "IntArray"};
    Maker<aclFloatArray, const float*, uint64_t> float_array{opapi, "FloatArray"};
    Maker<aclBoolArray, const bool*, uint64_t> bool_array{opapi, "BoolArray"};
};

}  // namespace opforge

#endif  // OPFORGE_CANN_RUNTIME_H
