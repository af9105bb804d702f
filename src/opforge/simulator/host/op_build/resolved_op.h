// An op as the writers want it: each SoC's tensors with their columns written out.
#ifndef OPFORGE_OP_BUILD_RESOLVED_OP_H
#define OPFORGE_OP_BUILD_RESOLVED_OP_H

#include <string>
#include <vector>

#include "register/op_model.h"

namespace op_build {

typedef std::vector<std::string> Errors;

// One SoC of an op: its OpAICoreConfig merged into the op's own tensors, and every column of types and formats.
struct ResolvedSoc {
    std::string soc;
    std::vector<ops::ParamModel> inputs;  // types and formats: one entry a column, all of equal length
    std::vector<ops::ParamModel> outputs;
    const ops::ConfigModel* config;
    size_t columns;
};

struct ResolvedOp {
    const ops::OpModel* model;
    std::string snake;
    std::vector<ResolvedSoc> socs;
};

// What is wrong goes to errors, with the op and the tensor named.
ResolvedOp Resolve(const ops::OpModel& model, Errors* errors);

// "add_custom" kinds of the aclnn function's arguments, in its order.
struct AclnnArgument {
    std::string type;  // "const aclTensor *"
    std::string name;
    std::string role;  // "required", "optional" or "dynamic"
};

// The arguments of aclnn<Op>GetWorkspaceSize without workspaceSize and executor. by_tensor: the form
// aclnn<Op>TensorGetWorkspaceSize, which takes value-depend inputs as tensors.
struct AclnnArguments {
    std::vector<AclnnArgument> inputs;
    std::vector<AclnnArgument> attrs;
    std::vector<AclnnArgument> outputs;  // an in-place output has an empty type: the input stands for it
};
AclnnArguments ArgumentsOf(const ops::OpModel& model, bool by_tensor, Errors* errors);
bool IsInPlace(const ops::OpModel& model, const std::string& name);
bool HasValueDepend(const ops::OpModel& model);

// What an output is filled with before the launch; bytes 0: nothing.
struct InitBytes {
    uint32_t bytes;
    uint64_t pattern;
};
InitBytes InitBytesOf(const ops::ParamModel& param);
// "float16": the type of an InitValue; null for the plain form.
const char* InitTypeName(const ops::ParamModel& param);

// "1e-05", "true", "[1,2]": a default as ini files and op_proto.h spell it.
std::string DefaultText(const ops::AttrModel& attr, char open, char close);

}  // namespace op_build
#endif
