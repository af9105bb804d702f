// What stands behind the gert contexts. Filled by the aclnn runtime, read through libexe_graph; both are built
// together, op_host code sees neither.
#ifndef OPFORGE_HOST_CONTEXT_DATA_H
#define OPFORGE_HOST_CONTEXT_DATA_H

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace sim_host {

// One tensor of the call.
struct TensorSlot {
    gert::StorageShape shape;
    gert::CompileTimeTensorDesc desc;
    gert::Tensor tensor;  // with the value where the op may read it
    bool isView = false;  // reaches the kernel with its strides
    gert::Stride stride;  // of a view
    gert::Range<gert::Shape> shapeRange;
    gert::Range<gert::Tensor> tensorRange;
};

// The attributes of a call, by declaration index. Deques keep addresses while more are added.
class __attribute__((visibility("default"))) AttrValues : public gert::RuntimeAttrs {
public:
    void AddBool(bool value);
    void AddFloat(float value);
    void AddInt(int64_t value);
    void AddString(const char* value);
    void AddBools(const bool* values, size_t count);
    void AddFloats(const float* values, size_t count);
    void AddInts(const int64_t* values, size_t count);
    const void* At(size_t index) const { return index < pointers_.size() ? pointers_[index] : nullptr; }
    size_t Count() const { return pointers_.size(); }

private:
    template <typename T>
    const T* Keep(const T* values, size_t count);

    std::vector<const void*> pointers_;
    std::deque<std::unique_ptr<char[]>> storage_;
    std::deque<gert::ContinuousVector> lists_;
};

// Derives from the class op_host sees, as AttrValues does: the names lead back to the whole.
struct NodeInfo : public gert::ComputeNodeInfo {
    explicit NodeInfo(const struct ContextData* owner) : data(owner) {}
    const struct ContextData* data;
};

struct __attribute__((visibility("default"))) ContextData {
    ContextData() : node(this) {}
    ContextData(const ContextData&) = delete;
    ContextData& operator=(const ContextData&) = delete;

    NodeInfo node;
    std::string opType;
    std::vector<gert::AnchorInstanceInfo> inputInstances;  // by declaration index
    std::vector<gert::AnchorInstanceInfo> outputInstances;
    std::deque<TensorSlot> inputs;  // by instance index
    std::deque<TensorSlot> outputs;
    AttrValues attrs;
    fe::PlatFormInfos* platform = nullptr;
    void* compileInfo = nullptr;

    // What tiling sets.
    gert::TilingData* tilingData = nullptr;
    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;
    bool needAtomic = false;  // outputs with an InitValue get it before the launch
    uint32_t scheduleMode = 0;
    int32_t tilingCondition = 0;
    uint32_t localMemory = 0;
    uint32_t aicpuBlocks = 0;
    std::vector<size_t> workspaces;

    const TensorSlot* Input(size_t index) const { return index < inputs.size() ? &inputs[index] : nullptr; }
    // By declaration: null for an absent optional input or a relative index beyond a dynamic one's count.
    const TensorSlot* DeclaredInput(size_t irIndex, size_t relativeIndex) const;
    const TensorSlot* DeclaredOutput(size_t irIndex, size_t relativeIndex) const;
};

}  // namespace sim_host
#endif
