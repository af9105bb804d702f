// Operators of PyTorch on a captured stream: a graph keeps them for its replays.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace sim {

// The stream that this thread's work goes to, if it is captured; else nullptr. torch_npu's task queue is then empty:
// the graph has everything that was submitted before.
void* CapturingStream();

// Records an operator in place of running it: its results are allocated and get their values at each replay. Operators
// whose results depend on values in another way, and random ones, raise.
void RecordOperator(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// The same for a copy. Copies from or to the host that are to be done at once raise, as in torch_npu, unless the
// capture's mode allows them.
void RecordCopy(const at::Tensor& self, const at::Tensor& source, bool nonBlocking);

}  // namespace sim
