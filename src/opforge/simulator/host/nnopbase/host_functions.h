// Running an op's InferShape and tiling functions on a call's arguments.
#ifndef OPFORGE_NNOPBASE_HOST_FUNCTIONS_H
#define OPFORGE_NNOPBASE_HOST_FUNCTIONS_H

#include "executor.h"
#include "opp.h"

namespace nnopbase {

// Checks the outputs' shapes against InferShape, where the package has one.
aclnnStatus CheckShapes(const sim_op& op, const OpPackage& package, const Arguments& arguments,
                        const sim_attr_value* attrs);
// Fills blockDim, tilingKey, tiling and kernelWorkspace of the executor.
aclnnStatus RunTiling(const sim_op& op, const OpPackage& package, const sim_attr_value* attrs, aclOpExecutor* executor);

}  // namespace nnopbase
#endif
