// gert::InferShapeContext: shapes in, shapes out. Page: "InferShapeContext".
// An unknown dimension is -1; an unknown rank is one dimension of -2.
#ifndef OPFORGE_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#define OPFORGE_EXE_GRAPH_INFER_SHAPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class __attribute__((visibility("default"))) InferShapeContext : public ExtendedKernelContext {
public:
    explicit InferShapeContext(sim_host::ContextData* data) : ExtendedKernelContext(data) {}
    const Shape* GetInputShape(size_t index) const;
    const Shape* GetRequiredInputShape(size_t ir_index) const;
    const Shape* GetOptionalInputShape(size_t ir_index) const;
    const Shape* GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
    const Tensor* GetInputTensor(size_t index) const;
    const Tensor* GetRequiredInputTensor(size_t ir_index) const;
    const Tensor* GetOptionalInputTensor(size_t ir_index) const;
    const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
    Shape* GetOutputShape(size_t index);
};

}  // namespace gert
#endif
