// What the op is (OpDef), what shape and type its results have (inference), and how its work is cut for the cores
// (tiling). The numbers are made in swi_glu_grad_host_tiling.h. Compiled as C++11.
#include <string>
#include <vector>
#include "swi_glu_grad_host_tiling.h"
#include "op_context.h"

namespace {

namespace host = swi_glu_grad_host_tiling;

using host_tiling::Reason;
using op_context::Refuse;

constexpr const char* kOpType = "SwiGLUGrad";
constexpr size_t kInputs = host::kInputs;
constexpr size_t kOutputs = 2;
constexpr size_t kTilingBytes = sizeof(SwiGLUGradTilingData);

// The supported combinations of input types, as kColumns has them.
const ge::DataType kTypes[][kInputs] = {
    {ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16},
    {ge::DT_BF16, ge::DT_BF16, ge::DT_BF16},
    {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT},
};

bool FindColumn(gert::TilingContext* context, size_t* column) {
    for (*column = 0; *column < sizeof(kTypes) / sizeof(kTypes[0]); ++*column) {
        bool matches = true;
        for (size_t i = 0; i < kInputs; i++) {
            const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(i);
            matches = matches && desc != nullptr && desc->GetDataType() == kTypes[*column][i];
        }
        if (matches) {
            return true;
        }
    }
    return false;
}

ge::graphStatus Tiling(gert::TilingContext* context) {
    host::Call call = host::Call();
    for (size_t i = 0; i < kInputs; i++) {
        const gert::StorageShape* input = context->GetInputShape(i);
        if (input == nullptr) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        call.inputs[i] = op_context::DimsOf(input->GetOriginShape());
    }
    host_tiling::Dims shape;
    std::string reason = host::OutputShape(call, &shape);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::StorageShape* output = context->GetOutputShape(i);
        if (output == nullptr || output->GetOriginShape().GetShapeSize() != host_tiling::ElementsOf(shape)) {
            return Refuse(kOpType, Reason("output %zu must have the shape %s that its inputs give", i,
                                          host_tiling::ShapeText(shape).c_str()));
        }
    }
    if (!FindColumn(context, &call.column)) {
        return Refuse(kOpType, "this combination of input types has no kernel");
    }
    auto* tiling = context->GetTilingData<SwiGLUGradTilingData>();
    if (tiling == nullptr) {
        return Refuse(kOpType, Reason("there is no room for %zu bytes of tiling data", kTilingBytes));
    }
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    host_tiling::Launch launch;
    reason = host::Compute(platform, call, tiling, &launch);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    context->SetTilingKey(launch.tilingKey);
    context->SetBlockDim(launch.blockDim);
    context->GetWorkspaceSizes(1)[0] = launch.workspaceBytes;
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
    host::Call call = host::Call();
    for (size_t i = 0; i < kInputs; i++) {
        const gert::Shape* input = context->GetInputShape(i);
        if (input == nullptr) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        call.inputs[i] = op_context::DimsOf(*input);
    }
    host_tiling::Dims shape;
    const std::string reason = host::OutputShape(call, &shape);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        op_context::SetDims(shape, context->GetOutputShape(i));
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    context->SetOutputDataType(1, context->GetInputDataType(0));
    return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ops {

class SwiGLUGrad : public OpDef {
public:
    explicit SwiGLUGrad(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(3, ge::FORMAT_ND);
        this->Input("grad_y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Input("gate")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Input("up")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Output("grad_gate")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("grad_up")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);

        this->SetInferShape(InferShape).SetInferDataType(InferDataType);

        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(true)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .NeedCheckSupportFlag(false);
        this->AICore().SetTiling(Tiling);
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_93", config);
    }
};

OP_ADD(SwiGLUGrad);

}  // namespace ops
