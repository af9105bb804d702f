// The arguments of the aclnn function that op_build makes of an op.
#ifndef OPFORGE_OP_BUILD_ACLNN_ARGUMENTS_H
#define OPFORGE_OP_BUILD_ACLNN_ARGUMENTS_H

#include "resolved_op.h"

namespace op_build {

struct AclnnArgument {
    std::string type;  // "const aclTensor *"
    std::string name;
    std::string role;  // "required", "optional" or "dynamic"
    bool absent;       // the function has no such parameter: its op gets the default
};

// The arguments of aclnn<Op>GetWorkspaceSize without workspaceSize and executor. byTensor: the form
// aclnn<Op>TensorGetWorkspaceSize, which takes value-depend inputs as tensors. version: arguments of later ones are
// absent.
struct AclnnArguments {
    std::vector<AclnnArgument> inputs;
    std::vector<AclnnArgument> attrs;
    std::vector<AclnnArgument> outputs;  // an in-place output has an empty type: the input stands for it
};
AclnnArguments ArgumentsOf(const ops::OpModel& model, bool byTensor, uint32_t version, Errors* errors);
// The versions of an op's aclnn functions, ascending: 0, and what .Version() says. Page: OpParamDef, "Version".
std::vector<uint32_t> VersionsOf(const ops::OpModel& model);
// "" for 0, else what the name of a function or file ends with.
std::string VersionText(const char* before, uint32_t version);
bool IsInPlace(const ops::OpModel& model, const std::string& name);
bool HasValueDepend(const ops::OpModel& model);
// Whether the kernel says the shape of an output.
bool HasShapeByKernel(const ops::OpModel& model);

}  // namespace op_build
#endif
