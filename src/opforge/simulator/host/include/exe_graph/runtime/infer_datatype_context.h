// gert::InferDataTypeContext: dtypes in, dtypes out. Page: "InferDataTypeContext".
#ifndef OPFORGE_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#define OPFORGE_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class __attribute__((visibility("default"))) InferDataTypeContext : public ExtendedKernelContext {
public:
    explicit InferDataTypeContext(sim_host::ContextData* data) : ExtendedKernelContext(data) {}
    // DT_UNDEFINED for an index out of range or an absent optional input.
    ge::DataType GetInputDataType(size_t index) const;
    ge::DataType GetRequiredInputDataType(size_t ir_index) const;
    ge::DataType GetOptionalInputDataType(size_t ir_index) const;
    ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative_index) const;
    ge::DataType GetOutputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};

}  // namespace gert
#endif
