// Arguments that an operator writes to. The kernel needs contiguous memory that no other argument shares.
#ifndef OPFORGE_IN_PLACE_H
#define OPFORGE_IN_PLACE_H

#include <optional>
#include <vector>

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

namespace opforge {

// The memory that the kernel writes to: the tensor itself, or a contiguous copy for write_back.
inline at::Tensor writable(const at::Tensor& tensor) { return tensor.contiguous(); }

// Copies written results to their tensors. torch is told that a tensor changed, because autograd may have saved it.
inline void write_back(const at::Tensor& tensor, const at::Tensor& memory) {
    if (!memory.is_same(tensor)) {
        tensor.copy_(memory);
    }
    tensor.unsafeGetTensorImpl()->bump_version();
}

// A read-only argument, copied if it shares parts of the written memory. It may share exactly the same elements,
// because each is read before it is written.
inline at::Tensor apart(const at::Tensor& tensor, const at::Tensor& memory) {
    const at::MemOverlapStatus status = at::get_overlap_status(tensor, memory);
    const bool apart_or_same = status == at::MemOverlapStatus::No || status == at::MemOverlapStatus::Full;
    return apart_or_same || !tensor.is_alias_of(memory) ? tensor : tensor.clone();
}
inline std::optional<at::Tensor> apart(const std::optional<at::Tensor>& tensor, const at::Tensor& memory) {
    return tensor.has_value() ? std::optional<at::Tensor>(apart(*tensor, memory)) : std::nullopt;
}
inline std::vector<at::Tensor> apart(std::vector<at::Tensor> tensors, const at::Tensor& memory) {
    for (at::Tensor& tensor : tensors) {
        tensor = apart(tensor, memory);
    }
    return tensors;
}
inline std::optional<std::vector<at::Tensor>> apart(const std::optional<std::vector<at::Tensor>>& tensors,
                                                    const at::Tensor& memory) {
    return tensors.has_value() ? std::optional<std::vector<at::Tensor>>(apart(*tensors, memory)) : std::nullopt;
}

// Two results in the same memory would overwrite each other.
inline void check_apart(const char* op, const char* first, const at::Tensor& one, const char* second,
                        const at::Tensor& other) {
    const bool apart = !one.is_alias_of(other) || at::get_overlap_status(one, other) == at::MemOverlapStatus::No;
    TORCH_CHECK_VALUE(apart, op, ": ", first, " and ", second, " are written in place, and share memory");
}

}  // namespace opforge

#endif  // OPFORGE_IN_PLACE_H
