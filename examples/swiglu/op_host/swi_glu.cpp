// The definition of the op (OpDef), the shapes and types of its results (inference), and the split of its work over
// the cores (tiling, computed in swi_glu_host_tiling.h). Compiled as C++11.
#include <string>
#include <vector>
#include "swi_glu_host_tiling.h"
#include "opforge/op_context.h"
#if __has_include("opforge/tuned_plans.h")  // the build writes it from tuning/*.json
#include "opforge/tuned_plans.h"
#endif

namespace {

namespace host = swi_glu_host_tiling;

using host_tiling::Reason;
using op_context::Refuse;

constexpr const char* kOpType = "SwiGLU";
constexpr size_t kInputs = host::kInputs;
constexpr size_t kOutputs = 1;

// The supported combinations of types, inputs first, in the order of kColumns.
const ge::DataType kTypes[][kInputs + kOutputs] = {
    {ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT16},
    {ge::DT_BF16, ge::DT_BF16, ge::DT_BF16, ge::DT_BF16},
    {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT},
};
constexpr size_t kColumnCount = sizeof(kTypes) / sizeof(kTypes[0]);

// The first column, starting at `first`, that has the inputs' types; kColumnCount if there is none.
template <typename Context>
size_t ColumnOf(const Context* context, size_t first) {
    for (size_t column = first; column < kColumnCount; column++) {
        bool matches = true;
        for (size_t i = 0; i < kInputs; i++) {
            matches = matches && op_context::HasType(context, i, kTypes[column][i]);
        }
        if (matches) {
            return column;
        }
    }
    return kColumnCount;
}

bool HasOutputs(const gert::TilingContext* context, size_t column) {
    bool matches = true;
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::CompileTimeTensorDesc* desc = context->GetOutputDesc(i);
        matches = matches && desc != nullptr && desc->GetDataType() == kTypes[column][kInputs + i];
    }
    return matches;
}

bool FindColumn(const gert::TilingContext* context, size_t* column) {
    *column = ColumnOf(context, 0);
    while (*column < kColumnCount && !HasOutputs(context, *column)) {
        *column = ColumnOf(context, *column + 1);
    }
    return *column < kColumnCount;
}

// The shapes and attributes for both tiling and shape inference.
template <typename Context>
ge::graphStatus ReadCall(const Context* context, host::Call* call) {
    for (size_t i = 0; i < kInputs; i++) {
        const std::vector<host_tiling::Dims> shapes = op_context::ShapesOf(context, i);
        if (shapes.empty()) {
            return Refuse(kOpType, Reason("input %zu is missing", i));
        }
        call->inputs[i] = shapes[0];
    }
    return ge::GRAPH_SUCCESS;
}

// Infers the output shapes from the input shapes.
std::string FindShapes(const host::Call& call, host_tiling::Dims (&shapes)[kOutputs]) {
    const std::string unfit = host::OutputShape(call, &shapes[0]);
    std::fill(shapes + 1, shapes + kOutputs, shapes[0]);
    return unfit;
}

ge::graphStatus Tiling(gert::TilingContext* context) {
    host::Call call = host::Call();
    if (ReadCall(context, &call) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    host_tiling::Dims shapes[kOutputs];
    std::string reason = FindShapes(call, shapes);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::StorageShape* output = context->GetOutputShape(i);
        if (output == nullptr || output->GetOriginShape().GetShapeSize() != host_tiling::ElementsOf(shapes[i])) {
            return Refuse(kOpType, Reason("output %zu must have the shape %s that its inputs give", i,
                                          host_tiling::ShapeText(shapes[i]).c_str()));
        }
    }
    if (!FindColumn(context, &call.column)) {
        return Refuse(kOpType, "this combination of types has no kernel");
    }
    auto* tiling = context->GetTilingData<SwiGLUTilingData>();
    if (tiling == nullptr) {
        return Refuse(kOpType, Reason("there is no room for %zu bytes of tiling data", sizeof(*tiling)));
    }
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
#ifdef TUNED_PLANS_H
    call.plan = tuned_plans::PlanOf(kOpType, platform, call);
#endif
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
    if (ReadCall(context, &call) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    host_tiling::Dims shapes[kOutputs];
    const std::string reason = FindShapes(call, shapes);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        op_context::SetDims(shapes[i], context->GetOutputShape(i));
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ops {

class SwiGLU : public OpDef {
public:
    explicit SwiGLU(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(3, ge::FORMAT_ND);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Input("w_gate")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Input("w_up")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);

        this->SetInferShape(InferShape).SetInferDataType(InferDataType);
        this->AICore().SetTiling(Tiling);

        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(true)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .NeedCheckSupportFlag(false);
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_93", config);
    }
};

OP_ADD(SwiGLU);

}  // namespace ops
