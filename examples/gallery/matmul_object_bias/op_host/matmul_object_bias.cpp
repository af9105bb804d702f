#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "matmul_object_bias_tiling.h"

namespace optiling {

constexpr int64_t kMostInner = 65534;  // elements of a row; more need intrinsicsCheck in the kernel's MatmulConfig

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& y = context->GetInputShape(1)->GetStorageShape();
    const gert::Shape& bias = context->GetInputShape(2)->GetStorageShape();
    if (x.GetDim(1) != y.GetDim(0) || bias.GetShapeSize() != y.GetDim(1)) {
        return ge::GRAPH_FAILED;
    }
    if (x.GetDim(1) > kMostInner || y.GetDim(1) > kMostInner) {
        return ge::GRAPH_FAILED;
    }
    using matmul_tiling::CubeFormat;
    using matmul_tiling::DataType;
    using matmul_tiling::TPosition;
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    matmul_tiling::MultiCoreMatmulTiling cube(platform);
    cube.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    cube.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cube.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cube.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cube.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cube.SetShape(x.GetDim(0), y.GetDim(1), x.GetDim(1));
    cube.SetOrgShape(x.GetDim(0), y.GetDim(1), x.GetDim(1));
    cube.SetBias(true);
    cube.SetBufferSpace(-1, -1, -1);
    MatmulObjectBiasTilingData tiling;
    if (cube.GetTiling(tiling.cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    matmul_tiling::SysTilingTempBufSize rooms;
    if (MultiCoreMatmulGetTmpBufSize(tiling.cube, rooms) == -1) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_room(static_cast<uint32_t>(rooms.ubSize));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    // a block has a cube core and two vector cores, each of which asks for products of its own; or it is one core
    const bool coupled = platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
    context->SetBlockDim(coupled ? tiling.cube.get_usedCoreNum() : (tiling.cube.get_usedCoreNum() + 1) / 2);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape& x = *context->GetInputShape(0);
    const gert::Shape& y = *context->GetInputShape(1);
    if (x.GetDimNum() != 2 || y.GetDimNum() != 2 || context->GetInputShape(2)->GetDimNum() != 1 ||
        x.GetDim(1) != y.GetDim(0)) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {x.GetDim(0), y.GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_FLOAT);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MatmulObjectBias : public OpDef {
public:
    explicit MatmulObjectBias(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Input("bias").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93").AddConfig("ascend310p");
    }
};

OP_ADD(MatmulObjectBias);

}  // namespace ops
