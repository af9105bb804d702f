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

}  // namespace op_build
#endif
