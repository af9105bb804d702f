// Tensors of the simulated device as the CPU sees them.
#pragma once

#include <ATen/core/Tensor.h>

namespace sim {

// Of libascendcl: sim_host_view (where the host reaches a device address) and aclGetRecentErrMsg.
using HostView = void* (*)(const void*);
using RecentError = const char* (*)();
void SetRuntime(HostView hostView, RecentError recentError);

// Waits until torch_npu's task queue has done what was submitted before. Its errors come out here.
void DrainTaskQueue();

// A CPU tensor over the same bytes; a tensor of another device comes back as it is.
at::Tensor CpuView(const at::Tensor& tensor);

// Whether torch_npu stores a tensor of the device in blocks (npu_format_cast): its sizes do not say where elements lie.
bool InBlocks(const at::Tensor& tensor);

// Copies the storage of a whole tensor in blocks to another; false where the two do not lie alike.
bool CopiedBlocks(const at::Tensor& to, const at::Tensor& from);

// The tensor, or a copy in rows of one that is stored in blocks.
at::Tensor InRows(const at::Tensor& tensor);

}  // namespace sim
