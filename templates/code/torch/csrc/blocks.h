// Tensors in FRACTAL_NZ, for operators that take an input in this format alone: blocks of 16 rows, column of blocks by
// column of blocks, and in each row of a block as many elements as 32 bytes hold.
//
// torch_npu.npu_format_cast(x, 29) stores a tensor so, once. A tensor in rows is copied into blocks in every call.
#ifndef OPFORGE_BLOCKS_H
#define OPFORGE_BLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include "aclnn_call.h"
#include "argument_checks.h"
#include "cann_runtime.h"

namespace opforge {

// The sizes of the storage: [..., blocks of columns, blocks of rows, 16, columns of a block]. A block has as many
// columns for four bytes as for two, as torch_npu stores them (InferShapeNDToNZ in its FormatHelper.cpp).
inline std::vector<int64_t> block_sizes(const at::Tensor& tensor) {
    constexpr int64_t kRows = 16;
    const int64_t columns = 32 / std::min<int64_t>(tensor.element_size(), 2);
    std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end() - 2);
    sizes.push_back((tensor.size(-1) + columns - 1) / columns);
    sizes.push_back((tensor.size(-2) + kRows - 1) / kRows);
    sizes.push_back(kRows);
    sizes.push_back(columns);
    return sizes;
}

// A copy of a tensor in rows, with zeros where a block has more.
inline at::Tensor copied_into_blocks(const at::Tensor& tensor, const std::vector<int64_t>& sizes) {
    const int64_t rank = static_cast<int64_t>(sizes.size());
    const int64_t across = sizes[rank - 4], down = sizes[rank - 3], rows = sizes[rank - 2], columns = sizes[rank - 1];
    std::vector<int64_t> whole(tensor.sizes().begin(), tensor.sizes().end() - 2);
    std::vector<int64_t> split = whole;
    whole.insert(whole.end(), {down * rows, across * columns});
    split.insert(split.end(), {down, rows, across, columns});
    const at::Tensor padded = tensor.new_zeros(whole);
    padded.slice(-2, 0, tensor.size(-2)).slice(-1, 0, tensor.size(-1)).copy_(tensor);
    return padded.view(split).transpose(-2, -4).transpose(-3, -2).contiguous();
}

// `name` is "op: argument", for errors.
inline Stored in_blocks(const std::string& name, const Runtime& runtime, const at::Tensor& tensor) {
    TORCH_CHECK_VALUE(tensor.dim() >= 2, name, " has ", tensor.dim(),
                      " dimensions; it is passed in FRACTAL_NZ, which needs two");
    std::vector<int64_t> sizes = block_sizes(tensor);
    if (storage_format(name, runtime, tensor) != kAclFormatNz) {
        return {tensor, copied_into_blocks(tensor, sizes), kAclFormatNz, sizes};
    }
    int64_t bytes = tensor.element_size();
    std::for_each(sizes.begin(), sizes.end(), [&bytes](int64_t size) { bytes *= size; });
    const bool whole = tensor.is_contiguous() && tensor.storage_offset() == 0;
    TORCH_CHECK_VALUE(whole && bytes <= static_cast<int64_t>(tensor.storage().nbytes()), name,
                      " is a view of a tensor that is stored in FRACTAL_NZ; give a whole one");
    return {tensor, tensor, kAclFormatNz, sizes};
}
inline std::vector<Stored> in_blocks(const std::string& name, const Runtime& runtime,
                                     const std::vector<at::Tensor>& tensors) {
    std::vector<Stored> stored;
    for (size_t i = 0; i < tensors.size(); ++i) {
        stored.push_back(in_blocks(name + "[" + std::to_string(i) + "]", runtime, tensors[i]));
    }
    return stored;
}
template <typename Value>
auto in_blocks(const std::string& name, const Runtime& runtime, const std::optional<Value>& value) {
    using Result = decltype(in_blocks(name, runtime, *value));
    return value.has_value() ? std::optional<Result>(in_blocks(name, runtime, *value)) : std::nullopt;
}

}  // namespace opforge

#endif  // OPFORGE_BLOCKS_H
