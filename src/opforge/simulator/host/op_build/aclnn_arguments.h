// The arguments of the aclnn function that op_build makes of an op.
#ifndef OPFORGE_OP_BUILD_ACLNN_ARGUMENTS_H
#define OPFORGE_OP_BUILD_ACLNN_ARGUMENTS_H

#include "resolved_op.h"

namespace op_build {

struct AclnnArgument {
    std::string type;  // "const aclTensor *"
    std::string name;
    std::string role;  // "required", "optional" or "dynamic"
};

// The arguments of aclnn<Op>GetWorkspaceSize without workspaceSize and executor. byTensor: the form
// aclnn<Op>TensorGetWorkspaceSize, which takes value-depend inputs as tensors.
struct AclnnArguments {
    std::vector<AclnnArgument> inputs;
    std::vector<AclnnArgument> attrs;
    std::vector<AclnnArgument> outputs;  // an in-place output has an empty type: the input stands for it
};
AclnnArguments ArgumentsOf(const ops::OpModel& model, bool byTensor, Errors* errors);
bool IsInPlace(const ops::OpModel& model, const std::string& name);
bool HasValueDepend(const ops::OpModel& model);
// Whether the kernel says the shape of an output.
bool HasShapeByKernel(const ops::OpModel& model);

}  // namespace op_build
#endif
