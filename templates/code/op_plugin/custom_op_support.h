// Additions to op-plugin for custom ops: lists that it cannot pass to aclnn, and sizes.

#ifndef OP_PLUGIN_UTILS_CUSTOM_OP_SUPPORT
#define OP_PLUGIN_UTILS_CUSTOM_OP_SUPPORT

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "op_plugin/utils/op_api_common_base.h"

// Extends the overloads of op_api_common_base.h for other lists. Without it, the array would never be destroyed.
inline void Release(aclFloatArray* array) {
    static const auto aclDestroyFloatArray = GET_OP_API_FUNC(aclDestroyFloatArray);
    if (aclDestroyFloatArray != nullptr) {
        aclDestroyFloatArray(array);
    }
}

namespace custom_op {

// A list of float for aclnn. op-plugin does not convert at::ArrayRef<double>, and would pass it by value. The macros
// find the functions below because they are in the type's namespace.
struct FloatList {
    explicit FloatList(c10::optional<at::ArrayRef<double>> list) : given(list.has_value()) {
        if (given) {
            values.assign(list->begin(), list->end());
        }
    }

    std::vector<float> values;
    bool given;
};

// A list of bool for aclnn. op-plugin has a list of int instead, because its schemas require a fixed length for lists
// of bool.
struct BoolList {
    explicit BoolList(at::OptionalIntArrayRef list) : given(list.has_value()) {
        if (given) {
            for (int64_t value : *list) {
                values.push_back(value != 0 ? 1 : 0);
            }
        }
    }

    std::vector<char> values;
    bool given;
};

inline aclFloatArray* ConvertType(const FloatList& list) {
    static const auto aclCreateFloatArray = GET_OP_API_FUNC(aclCreateFloatArray);
    return list.given && aclCreateFloatArray != nullptr ? aclCreateFloatArray(list.values.data(), list.values.size())
                                                        : nullptr;
}

inline aclBoolArray* ConvertType(const BoolList& list) {
    static_assert(sizeof(bool) == sizeof(char), "aclCreateBoolArray reads bytes");
    static const auto aclCreateBoolArray = GET_OP_API_FUNC(aclCreateBoolArray);
    const auto* values = reinterpret_cast<const bool*>(list.values.data());
    return list.given && aclCreateBoolArray != nullptr ? aclCreateBoolArray(values, list.values.size()) : nullptr;
}

template <typename List>
inline void AddToBuffer(const List& list) {
    MEMCPY_TO_BUF(&list.given, static_cast<int64_t>(sizeof(list.given)));
    MEMCPY_TO_BUF(list.values.data(), static_cast<int64_t>(list.values.size() * sizeof(list.values[0])));
}

inline FloatList CopyTypeV2(const FloatList& list) { return list; }
inline BoolList CopyTypeV2(const BoolList& list) { return list; }
inline aclFloatArray* ConvertTypeV2(const FloatList& list) { return ConvertType(list); }
inline aclBoolArray* ConvertTypeV2(const BoolList& list) { return ConvertType(list); }
inline void add_param_to_buf(const FloatList& list) { AddToBuffer(list); }
inline void add_param_to_buf(const BoolList& list) { AddToBuffer(list); }
inline void add_param_to_buf_v2(const FloatList& list) { AddToBuffer(list); }
inline void add_param_to_buf_v2(const BoolList& list) { AddToBuffer(list); }

// The size to which the leading dimensions of several tensors broadcast. The last `rest` dimensions of each tensor do
// not take part.
class Leading {
public:
    Leading& of(const at::Tensor& tensor, int64_t rest) {
        size_ = at::infer_size(size_, tensor.sizes().slice(0, tensor.dim() - rest));
        return *this;
    }

    Leading& of(const c10::optional<at::Tensor>& tensor, int64_t rest) {
        return tensor.has_value() ? of(*tensor, rest) : *this;
    }

    Leading& of(at::TensorList tensors, int64_t rest) {
        for (const at::Tensor& tensor : tensors) {
            of(tensor, rest);
        }
        return *this;
    }

    std::vector<int64_t> behind(std::initializer_list<int64_t> further) const {
        std::vector<int64_t> size = size_;
        size.insert(size.end(), further);
        return size;
    }

private:
    std::vector<int64_t> size_;
};

// All leading dimensions, merged into one.
inline at::Tensor folded(const at::Tensor& tensor) {
    return tensor.reshape({c10::multiply_integers(tensor.sizes().slice(0, tensor.dim() - 1)), tensor.size(-1)});
}

// The gradient of a reduced result as that of each element: it broadcasts with the inputs' sizes.
inline at::Tensor spread(const at::Tensor& grad, std::initializer_list<at::IntArrayRef> sizes) {
    std::vector<int64_t> size = grad.sizes().vec();
    for (at::IntArrayRef each : sizes) {
        size = at::infer_size(size, each);
    }
    return grad.expand(size);
}

// The largest element of each row, and -inf for an empty one, which ATen refuses. The dimensions stay.
inline at::Tensor largest(const at::Tensor& tensor, at::IntArrayRef dims) {
    for (int64_t dim : dims) {
        if (tensor.size(dim) == 0) {
            return tensor.sum(dims, true) - std::numeric_limits<double>::infinity();
        }
    }
    return at::amax(tensor, dims, true);
}

// The smallest element of each row, and inf for an empty one.
inline at::Tensor smallest(const at::Tensor& tensor, at::IntArrayRef dims) { return -largest(-tensor, dims); }

// Rounds down, as the expression language does.
inline int64_t floor_div(int64_t left, int64_t right) {
    return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

}  // namespace custom_op

#endif  // OP_PLUGIN_UTILS_CUSTOM_OP_SUPPORT
