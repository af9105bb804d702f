// Tensors of the simulated device as the CPU sees them.
#pragma once

#include <ATen/core/Tensor.h>

#include "sim_aten.h"

namespace sim {

// Functions of libascendcl; set once.
void SetRuntime(const sim_aten_runtime* functions);
const sim_aten_runtime& Runtime();

// Waits until torch_npu's task queue has done what was submitted before. Its errors come out here.
void DrainTaskQueue();

// The bytes of a tensor of the device where the host reaches them; nullptr for a tensor without bytes.
char* HostBytes(const at::Tensor& tensor);

// A CPU tensor over the same bytes; a tensor of another device comes back as it is.
at::Tensor CpuView(const at::Tensor& tensor);

// Whether torch_npu stores a tensor of the device in blocks (npu_format_cast): its sizes do not say where elements lie.
bool InBlocks(const at::Tensor& tensor);

// Copies the storage of a whole tensor in blocks to another; false where the two do not lie alike.
bool CopiedBlocks(const at::Tensor& to, const at::Tensor& from);

// The tensor, or a copy in rows of one that is stored in blocks.
at::Tensor InRows(const at::Tensor& tensor);

}  // namespace sim
