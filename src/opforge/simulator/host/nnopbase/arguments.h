// The arguments of a call, taken from their acl objects and checked against the op's declaration.
#ifndef OPFORGE_NNOPBASE_ARGUMENTS_H
#define OPFORGE_NNOPBASE_ARGUMENTS_H

#include <string>
#include <vector>

#include "aclnn/sim_aclnn.h"
#include "graph/types.h"

namespace nnopbase {

// One declared tensor of the call.
struct Argument {
    const sim_param* param;
    uint32_t flags;  // SIM_PARAM_AUTO_CONTIGUOUS...
    bool present;
    ge::DataType type;
    ge::Format format;
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    bool contiguous;
    uint64_t elements;
    uint64_t extent;   // elements from the first to the last that the view reaches
    uint64_t address;  // on the device; 0 for a host value
    bool on_host;      // a scalar or array: its bytes are host_value
    std::vector<unsigned char> host_value;
};

struct Arguments {
    const sim_soc_support* soc;
    std::vector<Argument> inputs;
    std::vector<Argument> outputs;
};

// Fills arguments; a status other than OK was reported. Checks that required arguments are there, that some column
// of the op's declaration for the current SoC has these dtypes and formats, and that strided tensors are allowed.
aclnnStatus TakeArguments(const sim_op& op, const sim_argument* inputs, const sim_argument* outputs,
                          Arguments* arguments);

}  // namespace nnopbase
#endif
