// The kernel's view of a call: an address per argument, a region per stretch of memory behind them.
#ifndef OPFORGE_NNOPBASE_KERNEL_VIEW_H
#define OPFORGE_NNOPBASE_KERNEL_VIEW_H

#include <deque>
#include <string>
#include <vector>

#include "executor.h"
#include "sim_launch.h"

namespace nnopbase {

// The address of a tensor as the kernel sees it: its own, or that of its copy in the workspace.
uint64_t AddressOf(const aclOpExecutor& executor, void* workspace, size_t input, size_t tensor);

class KernelView {
public:
    KernelView(const aclOpExecutor& executor, void* workspace);

    std::vector<uint64_t> args;
    std::vector<sim_region> regions;

private:
    void AddRegion(uint64_t address, uint64_t bytes, bool writable, const std::string& name, uint32_t role);
    // A tensor, at its own place or, where that is strided, at its copy's in the workspace.
    void AddTensor(const TensorArgument& tensor, uint64_t address, bool writable, const std::string& name,
                   uint32_t role);
    // The kernel's argument: the one tensor's address, or that of the list's description.
    void AddArgument(bool isInput, size_t index, const Argument& argument, uint64_t address);
    void AddInput(size_t index);
    void AddOutput(size_t index);

    const aclOpExecutor& executor_;
    void* workspace_;
    std::deque<std::string> names_;
};

}  // namespace nnopbase
#endif
