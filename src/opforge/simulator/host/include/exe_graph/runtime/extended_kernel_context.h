// gert::ExtendedKernelContext: what all contexts of op_host share. Page: "ExtendedKernelContext".
// A context is a handle; its data belong to the runtime and are reached through libexe_graph only.
#ifndef OPFORGE_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define OPFORGE_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace sim_host {
struct ContextData;
}

namespace gert {

// How many tensors of the call belong to one declared input, and where they begin.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() : start_(0), count_(0) {}
    AnchorInstanceInfo(uint32_t start, uint32_t count) : start_(start), count_(count) {}
    size_t GetInstanceStart() const { return start_; }
    size_t GetInstanceNum() const { return count_; }

private:
    size_t start_;
    size_t count_;
};

// What the graph would say of the op's node: the same answers under other names.
class __attribute__((visibility("default"))) ComputeNodeInfo {
public:
    const char* GetNodeType() const;
    const char* GetNodeName() const;
    size_t GetIrInputsNum() const;  // declared
    size_t GetIrOutputsNum() const;
    size_t GetInputsNum() const;  // of the call
    size_t GetOutputsNum() const;
    const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir_index) const;
    const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const;
    const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const;
    const RuntimeAttrs* GetAttrs() const;

protected:
    ComputeNodeInfo() {}
};

class __attribute__((visibility("default"))) ExtendedKernelContext {
public:
    const ComputeNodeInfo* GetComputeNodeInfo() const;
    const char* GetNodeType() const;
    const char* GetNodeName() const;
    size_t GetComputeNodeInputNum() const;
    size_t GetComputeNodeOutputNum() const;
    const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir_index) const;
    const RuntimeAttrs* GetAttrs() const;
    // By instance index: absent optional inputs are not counted.
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
    // By declaration index: null for an absent optional input.
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir_index, size_t relative_index) const;

protected:
    explicit ExtendedKernelContext(sim_host::ContextData* data) : data_(data) {}
    sim_host::ContextData* data_;

private:
    ExtendedKernelContext(const ExtendedKernelContext&);
    ExtendedKernelContext& operator=(const ExtendedKernelContext&);
};

}  // namespace gert
#endif
