// What the exported derivatives take from op-plugin's headers, so that they run on the CPU: no aclnn takes part.

#pragma once

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

struct aclFloatArray;
struct aclBoolArray;
using _aclCreateFloatArray = aclFloatArray* (*)(const float*, uint64_t);
using _aclCreateBoolArray = aclBoolArray* (*)(const bool*, uint64_t);
using _aclDestroyFloatArray = int (*)(const aclFloatArray*);

#define GET_OP_API_FUNC(name) static_cast<_##name>(nullptr)
#define MEMCPY_TO_BUF(data, size) static_cast<void>(size)

namespace at_npu {
namespace native {
class OpPreparation {};
}  // namespace native
}  // namespace at_npu

namespace op_infer {
using Size = c10::SmallVector<int64_t, 8>;

inline Size array_to_small_vector(at::IntArrayRef size) { return Size(size.begin(), size.end()); }

inline Size broadcast_ops_npu_output_size(at::IntArrayRef left, at::IntArrayRef right) {
    return array_to_small_vector(at::infer_size(left, right));
}

inline Size reduce_ops_npu_output_size(const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
    return array_to_small_vector(at::sum(self, dim, keepdim).sizes());
}
}  // namespace op_infer
