// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Checks an operator's arguments before anything runs; errors name the argument, its value and the expected one.
//
// The messages are those of _checks.py, which guards the CPU implementation and the Meta function.
#ifndef OPFORGE_ARGUMENT_CHECKS_H
#define OPFORGE_ARGUMENT_CHECKS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include "cann_runtime.h"
#include "dtypes.h"

namespace opforge {

constexpr int64_t kMaxRank = 8;  // maximum number of dimensions of an aclTensor in format ND

// A tensor argument and its name in the schema.
struct Argument {
    const char* name;
    const at::Tensor& tensor;
};

// All elements are inside the tensor's storage, which may have been resized.
inline void check_storage(const char* op, const Argument& argument) {
    const at::Tensor& tensor = argument.tensor;
    if (tensor.numel() == 0) {
        return;
    }
    int64_t last = tensor.storage_offset();
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
        last += (tensor.size(dim) - 1) * tensor.stride(dim);
    }
    const size_t needed = (static_cast<size_t>(last) + 1) * tensor.itemsize();
    const size_t held = tensor.storage().nbytes();
    TORCH_CHECK(needed <= held, op, ": ", argument.name, " needs ", needed, " bytes of its storage, which has ", held,
                ": was it freed?");
}

// All tensors are on the same NPU. The dispatcher passes None as an undefined tensor.
template <typename Arguments>
void check_devices(const char* op, const Arguments& arguments) {
    for (const Argument& argument : arguments) {
        TORCH_CHECK_TYPE(argument.tensor.defined(), op, ": ", argument.name, " must be a Tensor, but it is None");
    }
    for (const Argument& argument : arguments) {
        TORCH_CHECK(argument.tensor.is_privateuseone(), op, ": ", argument.name,
                    " must be on an NPU as the other arguments are, but it is on ", argument.tensor.device().str(),
                    "; move it there with .to(\"npu\")");
        TORCH_CHECK(argument.tensor.device() == arguments[0].tensor.device(), op, ": ", argument.name, " is on ",
                    argument.tensor.device().str(), " and ", arguments[0].name, " is on ",
                    arguments[0].tensor.device().str(), "; all arguments must be on one device");
        check_storage(op, argument);
    }
}

// Each column is a supported combination, with one dtype per argument. Returns the index of the given combination.
template <typename Arguments, typename Columns>
size_t check_dtypes(const char* op, const Arguments& arguments, const Columns& columns) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        std::vector<std::string> supported;
        for (const auto& column : columns) {
            const std::string name = dtype_name(column[i]);
            if (std::find(supported.begin(), supported.end(), name) == supported.end()) {
                supported.push_back(name);
            }
        }
        const std::string given = dtype_name(arguments[i].tensor.scalar_type());
        TORCH_CHECK_TYPE(std::find(supported.begin(), supported.end(), given) != supported.end(), op, ": ",
                         arguments[i].name, " has dtype ", given, "; supported: ", joined(supported));
    }
    for (size_t number = 0; number < columns.size(); ++number) {
        bool given = true;
        for (size_t i = 0; i < arguments.size(); ++i) {
            given = given && arguments[i].tensor.scalar_type() == columns[number][i];
        }
        if (given) {
            return number;
        }
    }
    std::vector<std::string> names;
    std::vector<std::string> given;
    std::vector<std::string> supported;
    for (const Argument& argument : arguments) {
        names.emplace_back(argument.name);
        given.push_back(dtype_name(argument.tensor.scalar_type()));
    }
    for (const auto& column : columns) {
        std::vector<std::string> combination;
        for (at::ScalarType dtype : column) {
            combination.push_back(dtype_name(dtype));
        }
        supported.push_back("(" + joined(combination) + ")");
    }
    TORCH_CHECK_TYPE(false, op, ": (", joined(names), ") have dtypes (", joined(given),
                     "); supported together: ", joined(supported));
}

// The common shape by NumPy's broadcasting rule.
template <typename Arguments>
std::vector<int64_t> broadcast_shape(const char* op, const Arguments& arguments) {
    size_t rank = 0;
    for (const Argument& argument : arguments) {
        TORCH_CHECK_VALUE(argument.tensor.dim() <= kMaxRank, op, ": ", argument.name, " has ", argument.tensor.dim(),
                          " dimensions; at most ", kMaxRank, " are supported");
        rank = std::max(rank, static_cast<size_t>(argument.tensor.dim()));
    }
    std::vector<int64_t> shape(rank, 1);
    std::vector<size_t> owner(rank, 0);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const at::IntArrayRef sizes = arguments[i].tensor.sizes();
        for (size_t j = 0; j < sizes.size(); ++j) {
            const size_t dim = rank - sizes.size() + j;
            const bool fits = sizes[j] == shape[dim] || sizes[j] == 1 || shape[dim] == 1;
            TORCH_CHECK_VALUE(fits, op, ": ", arguments[owner[dim]].name, " of shape ",
                              shape_text(arguments[owner[dim]].tensor.sizes()), " and ", arguments[i].name,
                              " of shape ", shape_text(sizes), " do not broadcast: sizes ", shape[dim], " and ",
                              sizes[j], " meet in dimension ", static_cast<int64_t>(dim) - static_cast<int64_t>(rank));
            if (sizes[j] != 1) {
                shape[dim] = sizes[j];
                owner[dim] = i;
            }
        }
    }
    return shape;
}

// A string without a NUL character, because aclnn would cut it off there.
inline void check_text(const char* op, const char* name, const std::string& text) {
    const size_t end = text.find('\0');
    TORCH_CHECK_VALUE(end == std::string::npos, op, ": ", name, " has a NUL character at ", end,
                      ", where it would end for aclnn");
}

// How torch_npu stores a tensor, as an aclFormat.
inline int64_t storage_format(const std::string& name, const Runtime& runtime, const at::Tensor& tensor) {
    std::string message;
    const auto report = [](void* context, const char* text) { *static_cast<std::string*>(context) = text; };
    const int64_t format = runtime.format(&tensor, report, &message);
    TORCH_CHECK(message.empty(), name, ": ", message);
    return format;
}

// Storage in a plain format. npu_format_cast creates blocked formats, which an operator reads in the inputs that are
// named `in_blocks`, and there it is FRACTAL_NZ.
template <typename Arguments>
void check_formats(const char* op, const Runtime& runtime, const Arguments& arguments,
                   const std::vector<std::string>& in_blocks = {}) {
    // aclFormat: NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC, NCL
    constexpr std::array<int64_t, 8> kPlain{0, 1, 2, 16, 27, 30, 35, 47};
    constexpr int64_t kNz = 29;
    for (const Argument& argument : arguments) {
        const std::string name = argument.name;  // "weights[2]" in a list
        const bool blocked =
            std::find(in_blocks.begin(), in_blocks.end(), name.substr(0, name.find('['))) != in_blocks.end();
        const int64_t format = storage_format(std::string(op) + ": " + name, runtime, argument.tensor);
        const bool plain = std::find(kPlain.begin(), kPlain.end(), format) != kPlain.end();
        TORCH_CHECK_VALUE(plain || (blocked && format == kNz), op, ": ", name, " is stored in the private format ",
                          format, "; give it as torch_npu.npu_format_cast(", name, ", 2)");
    }
}

}  // namespace opforge

#endif  // OPFORGE_ARGUMENT_CHECKS_H
