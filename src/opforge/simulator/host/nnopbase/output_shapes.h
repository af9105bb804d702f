// Outputs whose shape is known when the kernel has run. Pages: "OutputShapeDependOnCompute" and
// "Kernel侧输出shape依赖计算".
#ifndef OPFORGE_NNOPBASE_OUTPUT_SHAPES_H
#define OPFORGE_NNOPBASE_OUTPUT_SHAPES_H

#include "executor.h"

namespace nnopbase {

// Makes it visible what the kernel writes. The workspace has been checked.
void ClearShapes(const aclOpExecutor& executor, void* workspace);
// Gives the outputs the shapes that the kernel has written; a status other than OK was reported.
aclnnStatus TakeShapes(const aclOpExecutor& executor, void* workspace);

}  // namespace nnopbase
#endif
