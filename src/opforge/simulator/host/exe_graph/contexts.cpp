// The gert contexts' methods: reading and setting a ContextData.
#include "context_data.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

namespace {

// As many as CANN's aclnn runtime keeps.
constexpr size_t kMaxWorkspaces = 64;

const StorageShape* ShapeOf(const sim_host::TensorSlot* slot) { return slot == nullptr ? nullptr : &slot->shape; }
const Shape* OriginOf(const sim_host::TensorSlot* slot) {
    return slot == nullptr ? nullptr : &slot->shape.GetOriginShape();
}
const Tensor* TensorOf(const sim_host::TensorSlot* slot) { return slot == nullptr ? nullptr : &slot->tensor; }
const CompileTimeTensorDesc* DescOf(const sim_host::TensorSlot* slot) {
    return slot == nullptr ? nullptr : &slot->desc;
}
const Stride* StrideOf(const sim_host::TensorSlot* slot) {
    return slot == nullptr || !slot->isView ? nullptr : &slot->stride;
}
const Range<Shape>* RangeOf(const sim_host::TensorSlot* slot) { return slot == nullptr ? nullptr : &slot->shapeRange; }
ge::DataType TypeOf(const sim_host::TensorSlot* slot) {
    return slot == nullptr ? ge::DT_UNDEFINED : slot->desc.GetDataType();
}

}  // namespace

// RuntimeAttrs are always the AttrValues of some ContextData: nothing else can construct one.
const void* RuntimeAttrs::Find(size_t index) const { return static_cast<const sim_host::AttrValues*>(this)->At(index); }
size_t RuntimeAttrs::GetAttrNum() const { return static_cast<const sim_host::AttrValues*>(this)->Count(); }

// A ComputeNodeInfo is always the NodeInfo of some ContextData.
static const sim_host::ContextData& DataOf(const ComputeNodeInfo* info) {
    return *static_cast<const sim_host::NodeInfo*>(info)->data;
}
const char* ComputeNodeInfo::GetNodeType() const { return DataOf(this).opType.c_str(); }
const char* ComputeNodeInfo::GetNodeName() const { return DataOf(this).opType.c_str(); }
size_t ComputeNodeInfo::GetIrInputsNum() const { return DataOf(this).inputInstances.size(); }
size_t ComputeNodeInfo::GetIrOutputsNum() const { return DataOf(this).outputInstances.size(); }
size_t ComputeNodeInfo::GetInputsNum() const { return DataOf(this).inputs.size(); }
size_t ComputeNodeInfo::GetOutputsNum() const { return DataOf(this).outputs.size(); }
const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(size_t irIndex) const {
    const auto& instances = DataOf(this).inputInstances;
    return irIndex < instances.size() ? &instances[irIndex] : nullptr;
}
const AnchorInstanceInfo* ComputeNodeInfo::GetOutputInstanceInfo(size_t irIndex) const {
    const auto& instances = DataOf(this).outputInstances;
    return irIndex < instances.size() ? &instances[irIndex] : nullptr;
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(size_t index) const {
    return DescOf(DataOf(this).Input(index));
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(size_t index) const {
    const auto& outputs = DataOf(this).outputs;
    return index < outputs.size() ? &outputs[index].desc : nullptr;
}
const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const { return &DataOf(this).attrs; }

const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return &data_->node; }
const char* ExtendedKernelContext::GetNodeType() const { return data_->opType.c_str(); }
const char* ExtendedKernelContext::GetNodeName() const { return data_->opType.c_str(); }
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return data_->inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return data_->outputs.size(); }
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t irIndex) const {
    return irIndex < data_->inputInstances.size() ? &data_->inputInstances[irIndex] : nullptr;
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t irIndex) const {
    return irIndex < data_->outputInstances.size() ? &data_->outputInstances[irIndex] : nullptr;
}
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return &data_->attrs; }
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
    return DescOf(data_->Input(index));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
    return index < data_->outputs.size() ? &data_->outputs[index].desc : nullptr;
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t irIndex) const {
    return DescOf(data_->DeclaredInput(irIndex, 0));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t irIndex) const {
    return DescOf(data_->DeclaredInput(irIndex, 0));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(size_t irIndex, size_t relativeIndex) const {
    return DescOf(data_->DeclaredInput(irIndex, relativeIndex));
}

const Stride* TilingContext::GetInputStride(size_t index) const { return StrideOf(data_->Input(index)); }
const Stride* TilingContext::GetRequiredInputStride(size_t irIndex) const {
    return StrideOf(data_->DeclaredInput(irIndex, 0));
}
const Stride* TilingContext::GetOptionalInputStride(size_t irIndex) const {
    return StrideOf(data_->DeclaredInput(irIndex, 0));
}
const Stride* TilingContext::GetDynamicInputStride(size_t irIndex, size_t relativeIndex) const {
    return StrideOf(data_->DeclaredInput(irIndex, relativeIndex));
}
bool TilingContext::InputIsView(size_t index) const { return GetInputStride(index) != nullptr; }
bool TilingContext::RequiredInputIsView(size_t irIndex) const { return GetRequiredInputStride(irIndex) != nullptr; }
bool TilingContext::OptionalInputIsView(size_t irIndex) const { return GetOptionalInputStride(irIndex) != nullptr; }
bool TilingContext::DynamicInputIsView(size_t irIndex, size_t relativeIndex) const {
    return GetDynamicInputStride(irIndex, relativeIndex) != nullptr;
}

const StorageShape* TilingContext::GetInputShape(size_t index) const { return ShapeOf(data_->Input(index)); }
const StorageShape* TilingContext::GetRequiredInputShape(size_t irIndex) const {
    return ShapeOf(data_->DeclaredInput(irIndex, 0));
}
const StorageShape* TilingContext::GetOptionalInputShape(size_t irIndex) const {
    return ShapeOf(data_->DeclaredInput(irIndex, 0));
}
const StorageShape* TilingContext::GetDynamicInputShape(size_t irIndex, size_t relativeIndex) const {
    return ShapeOf(data_->DeclaredInput(irIndex, relativeIndex));
}
const Tensor* TilingContext::GetInputTensor(size_t index) const { return TensorOf(data_->Input(index)); }
const Tensor* TilingContext::GetRequiredInputTensor(size_t irIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, 0));
}
const Tensor* TilingContext::GetOptionalInputTensor(size_t irIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, 0));
}
const Tensor* TilingContext::GetDynamicInputTensor(size_t irIndex, size_t relativeIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, relativeIndex));
}
const StorageShape* TilingContext::GetOutputShape(size_t index) const {
    return index < data_->outputs.size() ? &data_->outputs[index].shape : nullptr;
}
fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return data_->platform; }
const void* TilingContext::CompileInfo() const { return data_->compileInfo; }
ge::graphStatus TilingContext::SetTilingKey(uint64_t key) {
    data_->tilingKey = key;
    return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return data_->tilingKey; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t blockDim) {
    data_->blockDim = blockDim;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return data_->blockDim; }
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
    data_->needAtomic = atomic;
    return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return data_->needAtomic; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
    data_->localMemory = bytes;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetLocalMemorySize() const { return data_->localMemory; }
ge::graphStatus TilingContext::SetAicpuBlockDim(uint32_t blocks) {
    data_->aicpuBlocks = blocks;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetAicpuBlockDim() const { return data_->aicpuBlocks; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
    data_->scheduleMode = mode;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return data_->scheduleMode; }
ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
    data_->tilingCondition = condition;
    return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const { return data_->tilingCondition; }
TilingData* TilingContext::GetRawTilingData() { return data_->tilingData; }
size_t* TilingContext::GetWorkspaceSizes(size_t count) {
    if (count > kMaxWorkspaces) {
        return nullptr;
    }
    data_->workspaces.resize(count);
    return data_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const { return data_->workspaces.size(); }

fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return data_->platform; }
void* TilingParseContext::CompiledInfo() const { return data_->compileInfo; }

const Shape* InferShapeContext::GetInputShape(size_t index) const { return OriginOf(data_->Input(index)); }
const Shape* InferShapeContext::GetRequiredInputShape(size_t irIndex) const {
    return OriginOf(data_->DeclaredInput(irIndex, 0));
}
const Shape* InferShapeContext::GetOptionalInputShape(size_t irIndex) const {
    return OriginOf(data_->DeclaredInput(irIndex, 0));
}
const Shape* InferShapeContext::GetDynamicInputShape(size_t irIndex, size_t relativeIndex) const {
    return OriginOf(data_->DeclaredInput(irIndex, relativeIndex));
}
const Tensor* InferShapeContext::GetInputTensor(size_t index) const { return TensorOf(data_->Input(index)); }
const Tensor* InferShapeContext::GetRequiredInputTensor(size_t irIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, 0));
}
const Tensor* InferShapeContext::GetOptionalInputTensor(size_t irIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, 0));
}
const Tensor* InferShapeContext::GetDynamicInputTensor(size_t irIndex, size_t relativeIndex) const {
    return TensorOf(data_->DeclaredInput(irIndex, relativeIndex));
}
Shape* InferShapeContext::GetOutputShape(size_t index) {
    return index < data_->outputs.size() ? &data_->outputs[index].shape.MutableOriginShape() : nullptr;
}

const Range<Shape>* InferShapeRangeContext::GetInputShapeRange(size_t index) const {
    return RangeOf(data_->Input(index));
}
const Range<Shape>* InferShapeRangeContext::GetRequiredInputShapeRange(size_t irIndex) const {
    return RangeOf(data_->DeclaredInput(irIndex, 0));
}
const Range<Shape>* InferShapeRangeContext::GetOptionalInputShapeRange(size_t irIndex) const {
    return RangeOf(data_->DeclaredInput(irIndex, 0));
}
const Range<Shape>* InferShapeRangeContext::GetDynamicInputShapeRange(size_t irIndex, size_t relativeIndex) const {
    return RangeOf(data_->DeclaredInput(irIndex, relativeIndex));
}
const Range<Tensor>* InferShapeRangeContext::GetInputTensorRange(size_t index) const {
    return data_->Input(index) == nullptr ? nullptr : &data_->Input(index)->tensorRange;
}
Range<Shape>* InferShapeRangeContext::GetOutputShapeRange(size_t index) {
    return index < data_->outputs.size() ? &data_->outputs[index].shapeRange : nullptr;
}

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const { return TypeOf(data_->Input(index)); }
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t irIndex) const {
    return TypeOf(data_->DeclaredInput(irIndex, 0));
}
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t irIndex) const {
    return TypeOf(data_->DeclaredInput(irIndex, 0));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t irIndex, size_t relativeIndex) const {
    return TypeOf(data_->DeclaredInput(irIndex, relativeIndex));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const {
    return index < data_->outputs.size() ? data_->outputs[index].desc.GetDataType() : ge::DT_UNDEFINED;
}
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type) {
    if (index >= data_->outputs.size()) {
        return ge::GRAPH_FAILED;
    }
    data_->outputs[index].desc.SetDataType(type);
    return ge::GRAPH_SUCCESS;
}

}  // namespace gert
