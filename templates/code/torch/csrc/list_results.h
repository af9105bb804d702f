// Results that are lists of tensors: new ones, with a tensor for each of a list of inputs or with as many as an attribute
// says, and lists that an operator writes to.
#ifndef OPFORGE_LIST_RESULTS_H
#define OPFORGE_LIST_RESULTS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include "in_place.h"

namespace opforge {

// One tensor without data for each of `given`, of the same shape.
inline std::vector<at::Tensor> one_for_each(const std::vector<at::Tensor>& given, at::ScalarType dtype) {
    std::vector<at::Tensor> made;
    made.reserve(given.size());
    for (const at::Tensor& tensor : given) {
        made.push_back(tensor.new_empty(tensor.sizes(), dtype));
    }
    return made;
}

// `count` tensors without data, all of one shape.
inline std::vector<at::Tensor> repeated(const char* name, int64_t count, const at::Tensor& like,
                                        const std::vector<int64_t>& shape, at::ScalarType dtype) {
    TORCH_CHECK_VALUE(count >= 0, name, " would be a list of ", count, " tensors");
    std::vector<at::Tensor> made;
    for (int64_t i = 0; i < count; ++i) {
        made.push_back(like.new_empty(shape, dtype));
    }
    return made;
}

inline bool has_elements(const std::vector<at::Tensor>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.numel() > 0; });
}

inline std::vector<at::Tensor> writable(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> memories;
    memories.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) {
        memories.push_back(writable(tensor));
    }
    return memories;
}

inline void write_back(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& memories) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        write_back(tensors[i], memories[i]);
    }
}

template <typename Argument>
Argument apart(Argument argument, const std::vector<at::Tensor>& memories) {
    for (const at::Tensor& memory : memories) {
        argument = apart(argument, memory);
    }
    return argument;
}

inline std::vector<at::Tensor> as_list(const at::Tensor& tensor) { return {tensor}; }
inline const std::vector<at::Tensor>& as_list(const std::vector<at::Tensor>& tensors) { return tensors; }

template <typename One, typename Other>
void check_apart(const char* op, const char* first, const One& one, const char* second, const Other& other) {
    for (const at::Tensor& mine : as_list(one)) {
        for (const at::Tensor& theirs : as_list(other)) {
            check_apart(op, first, mine, second, theirs);
        }
    }
}

// The tensors of a list that is written in place must not share memory either.
inline void check_apart(const char* op, const char* name, const std::vector<at::Tensor>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            check_apart(op, name, tensors[j], name, tensors[i]);
        }
    }
}

}  // namespace opforge

#endif  // OPFORGE_LIST_RESULTS_H
