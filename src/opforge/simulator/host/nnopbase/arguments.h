// The arguments of a call, taken from their acl objects and checked against the op's declaration.
#ifndef OPFORGE_NNOPBASE_ARGUMENTS_H
#define OPFORGE_NNOPBASE_ARGUMENTS_H

#include <string>
#include <vector>

#include "aclnn/sim_aclnn.h"
#include "graph/types.h"

namespace nnopbase {

// A tensor of the call, or a host value that reaches the kernel as one.
struct TensorArgument {
    ge::DataType type;
    ge::Format format;
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    bool contiguous;
    uint64_t elements;
    uint64_t extent;   // elements from the first to the last that the view reaches
    uint64_t address;  // on the device; 0 for a host value
    uint64_t storage;  // where the storage begins that the view is of, and its bytes; 0 bytes: not known
    uint64_t storageBytes;
    bool onHost;  // a scalar or array: its bytes are hostValue
    std::vector<unsigned char> hostValue;
};

// One input or output as OpDef declares it.
struct Argument {
    const sim_param* param;
    uint32_t flags;                       // SIM_PARAM_AUTO_CONTIGUOUS...
    bool isList;                          // the kernel gets the address of a list of its tensors
    std::vector<TensorArgument> tensors;  // none where it is absent, one unless it is a list
    aclTensor* shaped;                    // an output whose shape the kernel says; else null

    bool Present() const { return !tensors.empty(); }
    // Tensors of a list share their dtype.
    ge::DataType Type() const { return tensors.front().type; }
    // "x", or "x[2]": how messages and memory regions call a tensor.
    std::string NameOf(size_t tensor, const char* name) const {
        return isList ? std::string(name) + "[" + std::to_string(tensor) + "]" : name;
    }
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
