// What the first phase of an aclnn call hands to the second.
#ifndef OPFORGE_NNOPBASE_EXECUTOR_H
#define OPFORGE_NNOPBASE_EXECUTOR_H

#include <string>
#include <vector>

#include "arguments.h"
#include "meta.h"

namespace nnopbase {

struct OpPackage;

// A tensor that reaches the kernel through the workspace: a strided input, or a value from the host.
struct WorkspaceCopy {
    size_t input;     // index among the declared inputs
    size_t tensor;    // of a list; else 0
    uint64_t offset;  // in the workspace
    uint64_t bytes;
};

// Where the description of a list of tensors stands, whose address the kernel gets.
struct ListPlace {
    bool isInput;
    size_t index;     // among the declared inputs or outputs
    uint64_t offset;  // in the workspace
};

constexpr uint64_t kWorkspaceAlignment = 512;

// Page "Kernel侧输出shape依赖计算": for each output whose shape the kernel says its rank, then eight dimensions.
constexpr uint64_t kShapeWords = 9;

}  // namespace nnopbase

struct aclOpExecutor {
    nnopbase::Live<aclOpExecutor> live;
    const sim_op* op;
    const nnopbase::OpPackage* package = nullptr;  // unless there is nothing to do
    bool repeatable = false;
    bool nothingToDo = false;  // all outputs are empty
    nnopbase::Arguments arguments;
    std::string objectPath;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    std::vector<unsigned char> tiling;
    std::vector<unsigned char> tilingSet;  // by byte, whether tiling wrote it; empty where it wrote all
    uint64_t kernelWorkspace = 0;          // bytes that tiling asked for
    uint64_t totalWorkspace = 0;           // with the copies behind them
    std::vector<nnopbase::WorkspaceCopy> copies;
    std::vector<nnopbase::ListPlace> lists;
    uint64_t shapes = 0;       // outputs whose shape the kernel says
    uint64_t shapesPlace = 0;  // where it says it: in the workspace
    bool initOutputs = false;  // tiling called SetNeedAtomic(true)
};

#endif
