// What op_host functions read from their contexts, compared with the call that they were filled with: an op with inputs
// x (float16 [2, 3]), mask (optional, absent), xs (dynamic: int32 [4], int32 [5] as a view), index (int64, read by
// value: 3, 7) and outputs y, ys (dynamic: two).
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "infershape_broadcast_util.h"
#include "infershape_elewise_util.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"
#include "register/op_functions.h"
#include "util/const_util.h"
#include "util/math_util.h"
#include "util/platform_util.h"
#include "util/shape_util.h"

static int failures = 0;
#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                     \
        }                                                                   \
    } while (0)

using namespace gert;

static const int64_t kIndex[] = {3, 7};

static sim_host::TensorSlot Slot(std::initializer_list<int64_t> dims, ge::DataType type, const void* value = nullptr) {
    sim_host::TensorSlot slot;
    slot.shape = StorageShape(dims, dims);
    slot.desc = CompileTimeTensorDesc(type, StorageFormat(ge::FORMAT_NCHW, ge::FORMAT_ND));
    slot.tensor = Tensor(slot.shape, slot.desc, value);
    return slot;
}

static void Fill(sim_host::ContextData* data) {
    data->opType = "Probe";
    data->inputs.push_back(Slot({2, 3}, ge::DT_FLOAT16));
    data->inputs.push_back(Slot({4}, ge::DT_INT32));
    data->inputs.push_back(Slot({5}, ge::DT_INT32));
    data->inputs.back().isView = true;
    data->inputs.back().stride = Stride({2});
    data->inputs.push_back(Slot({2}, ge::DT_INT64, kIndex));
    data->inputInstances = {{0, 1}, {1, 0}, {1, 2}, {3, 1}};
    data->outputs.push_back(Slot({2, 3}, ge::DT_FLOAT));
    data->outputs.push_back(Slot({1}, ge::DT_INT8));
    data->outputs.push_back(Slot({1, 1}, ge::DT_INT16));
    data->outputInstances = {{0, 1}, {1, 2}};
    data->attrs.AddInt(11);
}

static void Nodes(TilingContext& context) {
    const ComputeNodeInfo* node = context.GetComputeNodeInfo();
    CHECK(strcmp(node->GetNodeType(), "Probe") == 0 && strcmp(node->GetNodeName(), context.GetNodeName()) == 0);
    CHECK(node->GetIrInputsNum() == 4 && node->GetIrOutputsNum() == 2);
    CHECK(node->GetInputsNum() == 4 && node->GetOutputsNum() == 3);
    CHECK(node->GetInputInstanceInfo(1)->GetInstanceNum() == 0 && node->GetInputInstanceInfo(2)->GetInstanceNum() == 2);
    CHECK(node->GetInputInstanceInfo(3)->GetInstanceStart() == 3 && node->GetInputInstanceInfo(4) == nullptr);
    CHECK(node->GetOutputInstanceInfo(1)->GetInstanceNum() == 2 && node->GetOutputInstanceInfo(2) == nullptr);
    CHECK(node->GetInputTdInfo(3)->GetDataType() == ge::DT_INT64 && node->GetInputTdInfo(4) == nullptr);
    CHECK(node->GetOutputTdInfo(2)->GetDataType() == ge::DT_INT16 && node->GetOutputTdInfo(3) == nullptr);
    CHECK(*node->GetAttrs()->GetInt(0) == 11);
}

static void Views(TilingContext& context) {
    CHECK(!context.InputIsView(0) && context.GetInputStride(0) == nullptr);
    CHECK(context.InputIsView(2) && context.GetInputStride(2)->GetStride(0) == 2);
    CHECK(context.DynamicInputIsView(2, 1) && !context.DynamicInputIsView(2, 0) && !context.DynamicInputIsView(2, 2));
    CHECK(*context.GetDynamicInputStride(2, 1) == Stride({2}) && context.GetDynamicInputStride(2, 0) == nullptr);
    CHECK(!context.OptionalInputIsView(1) && context.GetOptionalInputStride(1) == nullptr);
    CHECK(!context.RequiredInputIsView(0) && context.GetRequiredInputStride(0) == nullptr);
    Stride stride({7, 1});
    stride.AppendStride(4);
    stride.SetStride(0, 9);
    CHECK(stride.GetDimNum() == 3 && stride[0] == 9 && stride[2] == 4 && stride != Stride({7, 1}));
    CHECK(stride.GetStride(3) == Shape::kInvalidDimValue);
    stride.SetDimNum(1);
    CHECK(stride == Stride({9}));
}

static void Settings(TilingContext& context) {
    CHECK(context.GetDeterministic() == 0 && context.GetDeterministicLevel() == 0);
    CHECK(context.SetLocalMemorySize(4096) == ge::GRAPH_SUCCESS && context.GetLocalMemorySize() == 4096);
    CHECK(context.SetAicpuBlockDim(2) == ge::GRAPH_SUCCESS && context.GetAicpuBlockDim() == 2);
    CHECK(!context.NeedAtomic());
    CHECK(context.SetNeedAtomic(true) == ge::GRAPH_SUCCESS && context.NeedAtomic());
    CHECK(context.SetScheduleMode(1) == ge::GRAPH_SUCCESS && context.GetScheduleMode() == 1);
}

static void Values(TilingContext& context) {
    const Tensor* tensor = context.GetInputTensor(3);
    CHECK(tensor->GetSize() == 16 && tensor->GetPlacement() == kOnHost);
    CHECK(context.GetInputTensor(0)->GetSize() == 12 && context.GetInputTensor(0)->GetPlacement() == kOnDeviceHbm);
    int32_t first = 0;
    CHECK(Ops::Base::GetConstInt(&context, 3, first) && first == 3);
    CHECK(!Ops::Base::GetConstInt(&context, 0, first) && !Ops::Base::GetConstInt(&context, 9, first));
    Shape shape;
    CHECK(Ops::Base::GetConstIntToShape(&context, 3, shape) && shape == Shape({3, 7}));
    CHECK(!Ops::Base::GetConstIntToShape(&context, 0, shape));
    Tensor changed(*tensor);
    changed.MutableOriginShape().SetDim(0, 4);
    changed.MutableStorageShape().SetDim(0, 5);
    CHECK(changed.GetOriginShape().GetDim(0) == 4 && changed.GetShapeSize() == 5);
}

static void Helpers(TilingContext& context) {
    using namespace Ops::Base;
    CHECK(CeilDiv(7, 2) == 4 && CeilDiv(-7, 2) == -3 && CeilDiv(-7, -2) == 4 && CeilDiv(5u, 0u) == 5u &&
          CeilDiv(0, 3) == 0);
    CHECK(FloorDiv(7, 2) == 3 && FloorDiv(7, 0) == 7 && FloorAlign(7, 4) == 4 && FloorAlign(7, 0) == 0);
    CHECK(CeilAlign(5, 4) == 8 && CeilAlign(5, 0) == 0 && CeilAlign(int8_t(127), int8_t(2)) == 127);
    CHECK(IsFloatEqual(1.0f, 1.0f) && !IsFloatEqual(1.0, 1.1) && !IsFloatEqual(NAN, NAN) &&
          IsFloatEqual(INFINITY, INFINITY));
    CHECK(CheckAxisBounds(2, -2) && !CheckAxisBounds(2, 2) && CheckAxisBounds(0, 0) && !CheckAxisBounds(0, 1));
    Shape shape({4});
    CHECK(!IsUnknownShape(shape) && !IsUnknownRank(shape));
    SetUnknownRank(shape);
    CHECK(IsUnknownRank(shape) && shape == Shape({-2}));
    SetUnknownShape(3, shape);
    CHECK(IsUnknownShape(shape) && shape == Shape({-1, -1, -1}));
    const Shape two({2, 3});
    CHECK(ToString(two) == "[2, 3]" && ToString(ge::DT_BF16) == "DT_BF16" && ToString(ge::FORMAT_ND) == "ND");
    CHECK(ToString(std::vector<const Shape*>{&two, nullptr}) == "[[2, 3], nil]");
    CHECK(GetAivCoreNum(&context) == 48 && GetAicCoreNum(&context) == 24 && GetUbSize(&context) == 196352);
    CHECK(GetWorkspaceSize(&context) == 16777216 && GetUbBlockSize(&context) == 32);
    CHECK(GetVRegSize(&context) == 256 && GetCacheLineSize(&context) == 256);
}

// What tiling functions do most often.
static void Tiling(TilingContext& context, sim_host::ContextData* data) {
    unsigned char bytes[64];
    TilingData raw(bytes, sizeof(bytes));
    data->tilingData = &raw;
    int compiled = 5;
    data->compileInfo = &compiled;
    CHECK(context.GetPlatformInfo() == data->platform && *context.GetCompileInfo<int>() == 5);
    CHECK(context.GetInputDesc(3)->GetDataType() == ge::DT_INT64 && context.GetInputDesc(4) == nullptr);
    CHECK(context.GetOutputDesc(1)->GetDataType() == ge::DT_INT8 && context.GetOutputDesc(3) == nullptr);
    CHECK(context.GetOptionalInputDesc(1) == nullptr && context.GetRequiredInputDesc(3)->GetDataType() == ge::DT_INT64);
    CHECK(context.GetDynamicInputDesc(2, 1)->GetDataType() == ge::DT_INT32);
    CHECK(context.GetDynamicInputDesc(2, 2) == nullptr);
    CHECK(context.GetInputDesc(0)->GetFormat().GetOriginFormat() == ge::FORMAT_NCHW);
    CHECK(context.GetInputDesc(0)->GetOriginFormat() == ge::FORMAT_NCHW);
    CHECK(context.GetInputDesc(0)->GetStorageFormat() == ge::FORMAT_ND);
    CHECK(context.GetInputShape(0)->GetStorageShape() == Shape({2, 3}) && context.GetInputShape(4) == nullptr);
    CHECK(context.GetRequiredInputShape(3)->GetOriginShape() == Shape({2}));
    CHECK(context.GetDynamicInputShape(2, 1)->GetOriginShape() == Shape({5}));
    CHECK(context.GetDynamicInputShape(2, 2) == nullptr);
    CHECK(context.GetOptionalInputTensor(1) == nullptr && context.GetDynamicInputTensor(2, 0)->GetShapeSize() == 4);
    CHECK(context.GetRequiredInputTensor(3)->GetAddr() == kIndex);
    CHECK(context.GetOutputShape(2)->GetStorageShape() == Shape({1, 1}) && context.GetOutputShape(3) == nullptr);
    CHECK(context.GetComputeNodeInputNum() == 4 && context.GetComputeNodeOutputNum() == 3);
    CHECK(context.GetIrInputInstanceInfo(2)->GetInstanceNum() == 2);
    CHECK(context.GetIrOutputInstanceInfo(1)->GetInstanceStart() == 1);
    CHECK(context.SetTilingKey(77) == ge::GRAPH_SUCCESS && context.GetTilingKey() == 77);
    CHECK(context.SetBlockDim(8) == ge::GRAPH_SUCCESS && context.GetBlockDim() == 8);
    CHECK(context.SetSimdNumBlocks(9) == ge::GRAPH_SUCCESS && context.GetSimdNumBlocks() == 9);
    CHECK(context.SetTilingCond(3) == ge::GRAPH_SUCCESS && context.GetTilingCond() == 3);
    context.GetWorkspaceSizes(2)[1] = 32;
    CHECK(context.GetWorkspaceNum() == 2 && data->workspaces[1] == 32 && context.GetWorkspaceSizes(65) == nullptr);
    *context.GetTilingData<uint64_t>() = 6;
    CHECK(context.GetRawTilingData()->GetDataSize() == 8 && bytes[0] == 6);
    CHECK(context.GetRawTilingData()->GetCapacity() == 64 && context.GetTilingData<char[65]>() == nullptr);
    context.GetRawTilingData()->SetDataSize(12);
    CHECK(raw.GetDataSize() == 12 && raw.GetData() == bytes);
}

static void Attributes(sim_host::ContextData* data, TilingContext& context) {
    data->attrs.AddFloat(0.5f);
    data->attrs.AddBool(true);
    data->attrs.AddString("sum");
    const int64_t numbers[] = {4, 5};
    const float reals[] = {1.5f};
    data->attrs.AddInts(numbers, 2);
    data->attrs.AddFloats(reals, 1);
    const RuntimeAttrs* attrs = context.GetAttrs();
    CHECK(attrs->GetAttrNum() == 6 && *attrs->GetAttrPointer<int64_t>(0) == 11);
    CHECK(*attrs->GetFloat(1) == 0.5f && *attrs->GetBool(2) && strcmp(attrs->GetStr(3), "sum") == 0);
    CHECK(attrs->GetListInt(4)->GetSize() == 2 && attrs->GetListInt(4)->GetData()[1] == 5);
    CHECK(attrs->GetListFloat(5)->GetData()[0] == 1.5f && attrs->GetInt(6) == nullptr);
}

static void Types(InferDataTypeContext& context) {
    CHECK(context.GetInputDataType(3) == ge::DT_INT64 && context.GetInputDataType(4) == ge::DT_UNDEFINED);
    CHECK(context.GetOptionalInputDataType(1) == ge::DT_UNDEFINED);
    CHECK(context.GetRequiredInputDataType(0) == ge::DT_FLOAT16);
    CHECK(context.GetDynamicInputDataType(2, 1) == ge::DT_INT32);
    CHECK(context.SetOutputDataType(1, ge::DT_BF16) == ge::GRAPH_SUCCESS);
    CHECK(context.GetOutputDataType(1) == ge::DT_BF16 && context.SetOutputDataType(3, ge::DT_BF16) == ge::GRAPH_FAILED);
}

static void Shapes(InferShapeContext& context) {
    CHECK(*context.GetInputShape(0) == Shape({2, 3}) && *context.GetRequiredInputShape(3) == Shape({2}));
    CHECK(context.GetOptionalInputShape(1) == nullptr && *context.GetDynamicInputShape(2, 1) == Shape({5}));
    CHECK(context.GetInputTensor(3)->GetData<int64_t>()[1] == 7 && context.GetOptionalInputTensor(1) == nullptr);
    CHECK(context.GetRequiredInputTensor(3)->GetShapeSize() == 2);
    CHECK(context.GetDynamicInputTensor(2, 0)->GetDataType() == ge::DT_INT32);
    context.GetOutputShape(0)->SetDim(0, 9);
    CHECK(context.GetOutputShape(0)->GetDim(0) == 9 && context.GetOutputShape(3) == nullptr);
}

static void Inferred(InferShapeContext& context) {
    using namespace Ops::Base;
    CHECK(InferShape4Elewise(&context) == ge::GRAPH_SUCCESS && *context.GetOutputShape(0) == Shape({2, 3}));
    // [2, 3] with [4] does not broadcast
    CHECK(InferShape4Broadcast(&context) == ge::GRAPH_FAILED);
    CHECK(InferShape4Broadcast(&context, 1) == ge::GRAPH_SUCCESS && *context.GetOutputShape(0) == Shape({2, 3}));
    Shape result;
    const Shape a({4, 1, 3}), b({5, 1}), c({-1, 3}), d({2}), unknown({-2});
    CHECK(BroadcastShape(&a, &b, &result) && result == Shape({4, 5, 3}));
    CHECK(BroadcastShape(&b, &a, &result) && result == Shape({4, 5, 3}));
    CHECK(BroadcastShape(&a, &c, &result) && result == Shape({4, -1, 3}));
    CHECK(BroadcastShape(&b, &c, &result) && result == Shape({5, 3}));
    CHECK(!BroadcastShape(&a, &d, &result) && BroadcastShape(&a, &unknown, &result) && IsUnknownRank(result));
    CHECK(BroadcastShape(std::vector<const Shape*>{&d, &b, &a}, &result) == false);
    CHECK(BroadcastShape(std::vector<const Shape*>{&b, &c, &a}, &result) && result == Shape({4, 5, 3}));
    CHECK(!BroadcastShape(std::vector<const Shape*>{}, &result));
}

static ge::graphStatus Messages(TilingContext* context) {
    const std::string name = "x";
    OP_LOGE_FOR_INVALID_SHAPE(context->GetNodeName(), name, Ops::Base::ToString(Shape({2})), "[3]");
    OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON("Probe", "x", "DT_INT8", std::string("no vector unit has it"));
    OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON("Probe", "x, y", "2, 3", "they differ");
    OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE("Probe", 1, "0", "1");
    OP_LOGE_WITH_INVALID_INPUT("Probe", "mask");
    OP_CHECK_NULL_WITH_CONTEXT(context, context->GetOptionalInputShape(1));
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Ranges(InferShapeRangeContext* context) {
    *context->GetOutputShapeRange(0) = Range<Shape>(const_cast<Shape*>(context->GetInputShapeRange(0)->GetMin()));
    CHECK(context->GetOptionalInputShapeRange(1) == nullptr && context->GetOutputShapeRange(3) == nullptr);
    CHECK(context->GetRequiredInputShapeRange(0) == context->GetInputShapeRange(0));
    CHECK(context->GetDynamicInputShapeRange(2, 1) == context->GetInputShapeRange(2));
    CHECK(context->GetInputTensorRange(3)->GetMax() == nullptr && context->GetInputTensorRange(4) == nullptr);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP(Probe).InferShapeRange(Ranges).InferOutDataTypeSameWithFirstInput();

int main() {
    sim_host::ContextData data;
    Fill(&data);
    data.platform = sim_platform_infos("Ascend910B1");
    TilingContext tiling(&data);
    Nodes(tiling);
    Views(tiling);
    Settings(tiling);
    Values(tiling);
    Helpers(tiling);
    Tiling(tiling, &data);
    Attributes(&data, tiling);
    CHECK(Messages(&tiling) == ge::GRAPH_FAILED);
    Shape low({1});
    data.inputs[0].shapeRange = Range<Shape>(&low);
    InferShapeRangeContext ranges(&data);
    Ranges(&ranges);
    CHECK(data.outputs[0].shapeRange == data.inputs[0].shapeRange && data.outputs[0].shapeRange.GetMax() == &low);
    Dl_info info;
    CHECK(dladdr(reinterpret_cast<void*>(&main), &info) != 0);
    sim_host::OpFunctions functions;
    CHECK(sim_find_op_functions("Probe", info.dli_fbase, &functions) == 1);
    InferDataTypeContext types(&data);
    Types(types);
    InferShapeContext shapes(&data);
    Shapes(shapes);
    Inferred(shapes);
    CHECK(functions.inferDataType(&types) == ge::GRAPH_SUCCESS && types.GetOutputDataType(2) == ge::DT_FLOAT16);
    return failures;
}
