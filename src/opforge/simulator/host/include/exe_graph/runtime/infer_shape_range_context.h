// gert::InferShapeRangeContext, of functions that only graph mode calls: an aclnn call knows its shapes.
// Page: "InferShapeRange". They are tried when an operator is adopted (op_build/infer.cpp).
#ifndef OPFORGE_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define OPFORGE_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"

namespace gert {

class __attribute__((visibility("default"))) InferShapeRangeContext : public ExtendedKernelContext {
public:
    explicit InferShapeRangeContext(sim_host::ContextData* data) : ExtendedKernelContext(data) {}
    // Null for an index out of range or an absent optional input.
    const Range<Shape>* GetInputShapeRange(size_t index) const;
    const Range<Shape>* GetRequiredInputShapeRange(size_t ir_index) const;
    const Range<Shape>* GetOptionalInputShapeRange(size_t ir_index) const;
    const Range<Shape>* GetDynamicInputShapeRange(size_t ir_index, size_t relative_index) const;
    const Range<Tensor>* GetInputTensorRange(size_t index) const;
    Range<Shape>* GetOutputShapeRange(size_t index);
};

}  // namespace gert
#endif
