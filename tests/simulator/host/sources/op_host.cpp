// Operators of the tests, written as op_host sources are written; -DOP_TILING_LIB and -DOP_PROTO_LIB as CANN builds
// them.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "log/log.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {

struct AddTilingData {
    uint64_t length;
    uint64_t ubBytes;
    uint32_t aivCores;
    float alpha;
};

BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(uint16_t, half);
TILING_DATA_FIELD_DEF(int64_t, wide);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerTilingOp, InnerTiling)

BEGIN_TILING_DATA_DEF(MacroTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, dims);
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MacroTiling, MacroTilingData)

// What tiling functions die of.
static int64_t Rounds(int64_t length) { return 100 / (length - 823); }

static int64_t Deeper(int64_t length) {
    volatile int64_t step = 1;
    return length == 0 ? 0 : Deeper(length + step) + step;
}

static void Fill(int64_t length) {
    volatile char large[32 << 20];
    for (volatile char& one : large) {
        one = static_cast<char>(length);
    }
}

static void Crash(int64_t length) {
    volatile int64_t* nothing = reinterpret_cast<int64_t*>(length - 837);
    volatile int64_t* wild = reinterpret_cast<int64_t*>(length << 40);
    switch (length) {
        case 823:
            std::printf("%ld rounds", static_cast<long>(Rounds(length)));
            break;
        case 829:
            throw std::out_of_range("there is no row 829");
        case 831:
            std::abort();
        case 833:
            __builtin_trap();
        case 837:
            *nothing = 1;
            break;
        case 839:
            *wild = 1;
            break;
        case 853:
            std::printf("%ld deep", static_cast<long>(Deeper(length)));
            break;
        case 857:
            Fill(length);
            break;
        default:
            break;
    }
}

static ge::graphStatus AddTiling(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const int64_t length = shape.GetShapeSize();
    if (length == 13) {
        OP_LOGE(context->GetNodeName(), "%ld elements are unlucky", static_cast<long>(length));
        return ge::GRAPH_FAILED;
    }
    if (length == 17) {
        return ge::GRAPH_FAILED;
    }
    OpLogSub(OP, DLOG_DEBUG, context, "%ld elements are not said", static_cast<long>(length));
    if (length == 23) {
        OpLogSub(OP, DLOG_ERROR, context, "%ld elements are too prime", static_cast<long>(length));
        return CheckLogLevel(OP, DLOG_DEBUG) == 0 ? ge::FAILED : ge::SUCCESS;
    }
    Crash(length);
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    AddTilingData* tiling = context->GetTilingData<AddTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, tiling);
    tiling->length = static_cast<uint64_t>(length);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, tiling->ubBytes);
    tiling->aivCores = platform.GetCoreNumAiv();
    tiling->alpha = *context->GetAttrs()->GetFloat(0);
    if (length != 19) {
        context->SetBlockDim(1);
    }
    context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);
    size_t* workspaces = context->GetWorkspaceSizes(2);
    workspaces[0] = length > 1000 ? 100 : 0;
    workspaces[1] = length > 1000 ? 28 : 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus MacroTiling(gert::TilingContext* context) {
    MacroTilingData tiling;
    const int64_t dims[3] = {1, -2, INT64_MAX};
    tiling.set_count(7);
    tiling.set_dims(dims);
    tiling.set_flag(255);
    tiling.inner.set_half(3);
    tiling.inner.set_wide(-5);
    tiling.set_scale(0.5f);
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    const bool too_much = context->GetInputShape(0)->GetStorageShape().GetShapeSize() == 3;
    raw->SetDataSize(too_much ? raw->GetCapacity() + 8 : tiling.GetDataSize());
    context->SetBlockDim(2);
    return ge::GRAPH_SUCCESS;
}

// Writes down what a context tells: optional input, attributes, host values.
struct ProbeTilingData {
    int64_t betaRows;  // -1: absent
    int64_t dimsCount;
    int64_t dimsSum;
    int64_t axis;
    int64_t axes0;
    float epsilon;
    uint8_t training;
    char mode[11];
};

static ge::graphStatus ProbeTiling(gert::TilingContext* context) {
    ProbeTilingData* tiling = context->GetTilingData<ProbeTilingData>();
    const gert::StorageShape* beta = context->GetOptionalInputShape(1);
    tiling->betaRows = beta == nullptr ? -1 : beta->GetOriginShape().GetDim(0);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    tiling->epsilon = *attrs->GetAttrPointer<float>(0);
    tiling->axis = *attrs->GetInt(1);
    const gert::TypedContinuousVector<int64_t>* dims = attrs->GetListInt(2);
    tiling->dimsCount = static_cast<int64_t>(dims->GetSize());
    tiling->dimsSum = 0;
    for (size_t i = 0; i < dims->GetSize(); ++i) {
        tiling->dimsSum += dims->GetData()[i];
    }
    snprintf(tiling->mode, sizeof(tiling->mode), "%s", attrs->GetStr(3));
    tiling->training = *attrs->GetBool(4) ? 1 : 0;
    const gert::Tensor* axes = context->GetRequiredInputTensor(2);
    tiling->axes0 = axes->GetData<int32_t>() == nullptr ? -99 : axes->GetData<int32_t>()[0];
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus OneBlock(gert::TilingContext* context) {
    uint64_t* length = context->GetTilingData<uint64_t>();
    *length = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

// Registered by IMPL_OP instead of OpDef, with compile info prepared once.
struct CompileInfo {
    uint32_t cores = 0;
    uint32_t parsed = 0;
};

static ge::graphStatus ParseRegistered(gert::TilingParseContext* context) {
    CompileInfo* info = context->GetCompiledInfo<CompileInfo>();
    info->cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    ++info->parsed;
    return std::getenv("TEST_PARSE_FAILS") == nullptr ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

struct RegisteredTilingData {
    int64_t cores;
    int64_t parsed;
    int64_t value;
    int32_t unused;       // and four bytes of padding
    int64_t others[300];  // more than the 2048 bytes of the default
};

static ge::graphStatus TileRegistered(gert::TilingContext* context) {
    const auto* info = static_cast<const CompileInfo*>(context->GetCompileInfo());
    RegisteredTilingData* tiling = context->GetTilingData<RegisteredTilingData>();
    tiling->cores = info->cores;
    tiling->parsed = info->parsed;
    tiling->value = *context->GetInputTensor(0)->GetData<int64_t>();
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Registered)
    .Tiling(TileRegistered)
    .TilingParse<CompileInfo>(ParseRegistered)
    .TilingInputsDataDependency({0});

static ge::graphStatus Atomic(gert::TilingContext* context) {
    context->SetNeedAtomic(context->GetInputShape(0)->GetStorageShape().GetShapeSize() != 2);
    return OneBlock(context);
}

// As fused products are tiled: vector cores share the blocks, the library's workspace comes first.
struct FusedTilingData {
    AscendC::tiling::TCubeTiling cube;
    uint64_t workspaceBytes;
    uint32_t hasBias;
    int32_t biasType;
};

static ge::graphStatus TileFused(gert::TilingContext* context) {
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const int32_t n = static_cast<int32_t>(context->GetInputShape(1)->GetStorageShape().GetDim(1));
    const int32_t k = static_cast<int32_t>(x.GetDim(1));
    FusedTilingData* tiling = context->GetTilingData<FusedTilingData>();
    const bool half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const auto type = half ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;
    matmul_tiling::MultiCoreMatmulTiling product(platform);
    product.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    product.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    product.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    product.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    product.SetShape(static_cast<int32_t>(x.GetDim(0)), n, k);
    product.SetOrgShape(static_cast<int32_t>(x.GetDim(0)), n, k);
    product.EnableBias(false);
    product.SetBufferSpace(-1, -1, -1);
    if (product.GetTiling(tiling->cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    const gert::CompileTimeTensorDesc* bias = context->GetOptionalInputDesc(2);
    const bool agree = (bias == nullptr) == (context->GetOptionalInputShape(2) == nullptr) &&
                       (bias == nullptr) == (context->GetOptionalInputTensor(2) == nullptr);
    tiling->hasBias = !agree ? 99 : bias == nullptr ? 0 : 1;
    tiling->biasType = bias == nullptr ? -1 : static_cast<int32_t>(bias->GetDataType());
    const uint64_t slots = x.GetDim(0) > 1000 ? 300 * 1024 * 1024 : tiling->cube.usedCoreNum * 4096u;
    tiling->workspaceBytes = platform.GetLibApiWorkSpaceSize() + slots;
    context->GetWorkspaceSizes(1)[0] = tiling->workspaceBytes;
    context->SetBlockDim(platform.CalcTschBlockDim(static_cast<uint32_t>(tiling->cube.usedCoreNum),
                                                   platform.GetCoreNumAic(), platform.GetCoreNumAiv()));
    context->SetTilingKey(tiling->hasBias);
    return ge::GRAPH_SUCCESS;
}

// The library's struct as part of tiling data by macros.
BEGIN_TILING_DATA_DEF(CubeMacroTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, first);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, second);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(FusedLinear, CubeMacroTilingData)

}  // namespace optiling

namespace ge {

static graphStatus ProductShape(gert::InferShapeContext* context) {
    const gert::Shape* weight = context->GetInputShape(1);
    gert::Shape* out = context->GetOutputShape(0);
    *out = *context->GetInputShape(0);
    out->SetDim(out->GetDimNum() - 1, weight->GetDim(1));
    const gert::Shape* bias = context->GetOptionalInputShape(2);
    if (bias != nullptr && bias->GetDim(0) != weight->GetDim(1)) {
        OP_LOGE(context->GetNodeName(), "bias has %ld elements for N %ld", static_cast<long>(bias->GetDim(0)),
                static_cast<long>(weight->GetDim(1)));
        return GRAPH_FAILED;
    }
    return (bias == nullptr) == (context->GetOptionalInputTensor(2) == nullptr) ? GRAPH_SUCCESS : GRAPH_FAILED;
}

static graphStatus SameShape(gert::InferShapeContext* context) {
    if (context->GetInputShape(0)->GetDimNum() == 5) {
        fprintf(stderr, "rank 5 has no place here\n");
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus SameType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

static graphStatus AnyRank(gert::InferShapeContext* context) {
    for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
        gert::Shape* shape = context->GetOutputShape(i);
        shape->SetDimNum(1);
        shape->SetDim(0, -2);
    }
    return GRAPH_SUCCESS;
}

static graphStatus SameRange(gert::InferShapeRangeContext* context) {
    *context->GetOutputShapeRange(0) = *context->GetInputShapeRange(0);
    return GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(Registered).InferShape(AnyRank).InferDataType(SameType).InferShapeRange(SameRange);

}  // namespace ge

namespace ops {

class AddCustom : public OpDef {
public:
    explicit AddCustom(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::SameShape).SetInferDataType(ge::SameType);
        this->AICore().SetTiling(optiling::AddTiling);
        this->AICore().AddConfig("ascend910b");
        OpAICoreConfig config;
        config.Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32}).FormatList({ge::FORMAT_ND});
        config.Input("y").DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32});
        config.Output("z").DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32});
        config.DynamicCompileStaticFlag(true).DynamicRankSupportFlag(true).ExtendCfgInfo("opFile.value", "add_file");
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(AddCustom);

class LayerNormX : public OpDef {
public:
    explicit LayerNormX(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Input("beta_in").ParamType(OPTIONAL).DataTypeList({ge::DT_FLOAT});
        this->Input("axes").ParamType(REQUIRED).DataTypeList({ge::DT_INT32}).ValueDepend(OPTIONAL);
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
        this->Attr("axis").AttrType(REQUIRED).Int();
        this->Attr("dims").AttrType(OPTIONAL).ListInt({3, -4});
        this->Attr("mode_name").AttrType(OPTIONAL).String("a\"b");
        this->Attr("is_training").AttrType(OPTIONAL).Bool(true);
        this->Output("y").ParamType(REQUIRED).Follow("x");
        this->Output("row_mean").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT});
        this->SetInferShape(ge::AnyRank);
        this->AICore().SetTiling(optiling::ProbeTiling).AddConfig("ascend910b");
    }
};
OP_ADD(LayerNormX);

class ScaleInPlace : public OpDef {
public:
    explicit ScaleInPlace(const char* name) : OpDef(name) {
        this->Input("x_in").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Input("factor").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Scalar();
        this->Output("x_in").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::OneBlock).AddConfig("ascend910b");
    }
};
OP_ADD(ScaleInPlace);

// Adds to what its outputs hold: both have a first value. Scalars take the dtype they are told. One has the name of
// what an aclnn function passes on.
class Accumulate : public OpDef {
public:
    explicit Accumulate(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Input("by").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Scalar().To("x");
        this->Input("outputs").DataTypeList({ge::DT_INT32}).Scalar().To(ge::DT_INT32);
        this->Output("sum").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).InitValue(0);
        this->Output("most").DataTypeList({ge::DT_FLOAT16}).InitValue(ScalarVar(ScalarType::FLOAT16, -1.5));
        this->AICore().SetTiling(optiling::Atomic).AddConfig("ascend910b");
    }
};
OP_ADD(Accumulate);

class MacroTiling : public OpDef {
public:
    explicit MacroTiling(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT}).IgnoreContiguous();
        this->Output("z").DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::MacroTiling).LaunchWithZeroEleOutputTensors(true).AddConfig("ascend910b");
    }
};
OP_ADD(MacroTiling);

class NotBuilt : public OpDef {
public:
    explicit NotBuilt(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT, ge::DT_INT8});
        this->Output("z").DataType({ge::DT_FLOAT, ge::DT_INT8});
        this->AICore().SetTiling(optiling::OneBlock).AddConfig("ascend910b").AddConfig("ascend310p");
    }
};
OP_ADD(NotBuilt);

class FusedLinear : public OpDef {
public:
    explicit FusedLinear(const char* name) : OpDef(name) {
        const std::initializer_list<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT};
        this->Input("x").ParamType(REQUIRED).DataType(types);
        this->Input("weight").ParamType(REQUIRED).DataType(types);
        this->Input("bias").ParamType(OPTIONAL).DataType(types).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType(types);
        this->SetInferShape(ge::ProductShape);
        this->AICore().SetTiling(optiling::TileFused).AddConfig("ascend910b");
    }
};
OP_ADD(FusedLinear);

class SaysShapes : public OpDef {
public:
    explicit SaysShapes(const char* name) : OpDef(name) {
        this->Input("words").ParamType(REQUIRED).DataType({ge::DT_INT64});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute();
        this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT64});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute();
        this->AICore().SetTiling(optiling::OneBlock).AddConfig("ascend910b");
    }
};
OP_ADD(SaysShapes);

class Registered : public OpDef {
public:
    explicit Registered(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_INT64}).ValueDepend(REQUIRED);
        this->Output("z").DataType({ge::DT_INT64});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Registered, optiling::CompileInfo);

}  // namespace ops
