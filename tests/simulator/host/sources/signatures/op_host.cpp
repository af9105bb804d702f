// An op for each kind of signature, as op_host code writes them: lists of tensors, values from the host, scalars, lists
// as attributes, and what differs between SoCs.
#include <cstring>

#include "register/op_def_registry.h"
#include "tiling.h"

namespace optiling {

static ge::graphStatus TileLists(gert::TilingContext* context) {
    ListTiling* tiling = context->GetTilingData<ListTiling>();
    const gert::AnchorInstanceInfo* list = context->GetIrInputInstanceInfo(0);
    tiling->count = static_cast<uint32_t>(list->GetInstanceNum());
    tiling->elements = 0;
    for (size_t i = 0; i < list->GetInstanceNum(); ++i) {
        const gert::StorageShape* shape = context->GetDynamicInputShape(0, i);
        tiling->elements += static_cast<uint64_t>(shape->GetStorageShape().GetShapeSize());
        if (context->GetDynamicInputDesc(0, i)->GetDataType() != context->GetDynamicInputDesc(0, 0)->GetDataType() ||
            context->GetDynamicInputTensor(0, i) == nullptr) {
            return ge::GRAPH_FAILED;
        }
    }
    if (context->GetDynamicInputShape(0, list->GetInstanceNum()) != nullptr) {
        return ge::GRAPH_FAILED;  // behind the end of the list there is none
    }
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TileHalves(gert::TilingContext* context) {
    ListTiling* tiling = context->GetTilingData<ListTiling>();
    tiling->count = static_cast<uint32_t>(context->GetIrOutputInstanceInfo(0)->GetInstanceNum());
    tiling->elements = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

// Tiling reads what stands in the arrays; null where the value is on the device.
static ge::graphStatus TileDepend(gert::TilingContext* context) {
    DependTiling* tiling = context->GetTilingData<DependTiling>();
    std::memset(tiling, 0, sizeof(*tiling));
    const gert::Tensor* sizes = context->GetRequiredInputTensor(1);
    tiling->counts[0] = static_cast<int32_t>(sizes->GetShapeSize());
    tiling->seen[0] = sizes->GetData<int64_t>() == nullptr ? -1.0f : static_cast<float>(sizes->GetData<int64_t>()[0]);
    const gert::Tensor* scales = context->GetRequiredInputTensor(2);
    tiling->counts[1] = static_cast<int32_t>(scales->GetShapeSize());
    tiling->seen[1] = scales->GetData<float>() == nullptr ? -1.0f : scales->GetData<float>()[0];
    const gert::Tensor* flags = context->GetOptionalInputTensor(3);
    tiling->counts[2] = flags == nullptr ? -1 : static_cast<int32_t>(flags->GetShapeSize());
    tiling->seen[2] = flags == nullptr || flags->GetData<bool>() == nullptr ? -1.0f : flags->GetData<bool>()[0];
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TileAttrs(gert::TilingContext* context) {
    AttrTiling* tiling = context->GetTilingData<AttrTiling>();
    std::memset(tiling, 0, sizeof(*tiling));
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    const gert::TypedContinuousVector<float>* weights = attrs->GetListFloat(0);
    const gert::TypedContinuousVector<bool>* keep = attrs->GetAttrPointer<gert::TypedContinuousVector<bool>>(1);
    const gert::TypedContinuousVector<int64_t>* pads = attrs->GetListInt(2);
    tiling->counts[0] = static_cast<int32_t>(weights->GetSize());
    tiling->counts[1] = static_cast<int32_t>(keep->GetSize());
    tiling->counts[2] = static_cast<int32_t>(pads->GetSize());
    for (size_t i = 0; i < weights->GetSize(); ++i) {
        tiling->sums[0] += weights->GetData()[i];
    }
    for (size_t i = 0; i < keep->GetSize(); ++i) {
        tiling->sums[1] += keep->GetData()[i] ? 1.0f : 0.0f;
    }
    for (size_t i = 0; i < pads->GetSize(); ++i) {
        tiling->sums[2] += static_cast<float>(pads->GetData()[i]);
    }
    tiling->sums[3] = static_cast<float>(std::strlen(attrs->GetStr(3)));
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus FirstShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetDynamicInputShape(0, 0);
    return GRAPH_SUCCESS;
}

static graphStatus FirstType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
}

// Every output gets an equal share of the rows.
static graphStatus Shares(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    const size_t count = context->GetComputeNodeOutputNum();
    for (size_t i = 0; i < count; ++i) {
        gert::Shape* share = context->GetOutputShape(i);
        *share = *x;
        share->SetDim(0, x->GetDim(0) / static_cast<int64_t>(count));
    }
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

// y = the sum of the list.
class AddN : public OpDef {
public:
    explicit AddN(const char* name) : OpDef(name) {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->SetInferShape(ge::FirstShape).SetInferDataType(ge::FirstType);
        this->AICore().SetTiling(optiling::TileLists).AddConfig("ascend910b");
    }
};
OP_ADD(AddN);

// Takes x apart; n is unused and shows the order of the parameters.
class Shares : public OpDef {
public:
    explicit Shares(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT});
        this->Attr("n").AttrType(OPTIONAL).Int(2);
        this->SetInferShape(ge::Shares);
        this->AICore().SetTiling(optiling::TileHalves).AddConfig("ascend910b");
    }
};
OP_ADD(Shares);

// x[i] *= factors[i] + by, in place.
class ScaleAll : public OpDef {
public:
    explicit ScaleAll(const char* name) : OpDef(name) {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT});
        this->Input("factors").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).ScalarList().To("x");
        this->Input("by").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Scalar();
        this->Output("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::TileLists).AddConfig("ascend910b");
    }
};
OP_ADD(ScaleAll);

// Inputs whose values tiling reads: y = what it saw, and what the kernel got.
class Depend : public OpDef {
public:
    explicit Depend(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Input("sizes").ParamType(REQUIRED).DataType({ge::DT_INT64}).ValueDepend(REQUIRED);
        this->Input("scales").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).ValueDepend(OPTIONAL);
        this->Input("flags").ParamType(OPTIONAL).DataType({ge::DT_BOOL}).ValueDepend(REQUIRED, DependScope::TILING);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::TileDepend).AddConfig("ascend910b");
    }
};
OP_ADD(Depend);

class Attrs : public OpDef {
public:
    explicit Attrs(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Attr("weights").AttrType(OPTIONAL).ListFloat({0.5f, -2.0f});
        this->Attr("keep").AttrType(OPTIONAL).ListBool({true, false, true});
        this->Attr("pads").AttrType(OPTIONAL).ListInt({});
        this->Attr("mode").AttrType(REQUIRED).String();
        this->Attr("ids").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::TileAttrs).AddConfig("ascend910b");
    }
};
OP_ADD(Attrs);

// Every dtype of x with every format of it, and other dtypes on the other SoC.
class Products : public OpDef {
public:
    explicit Products(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataTypeList({ge::DT_FLOAT, ge::DT_INT32})
            .FormatList({ge::FORMAT_ND, ge::FORMAT_NCHW});
        this->Input("index").ParamType(REQUIRED).DataTypeList({ge::DT_INT32}).FormatList({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).Follow("x", FollowType::DTYPE).FormatList({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TileHalves).AddConfig("ascend910b");
        OpAICoreConfig config;
        config.Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_BF16}).FormatList({ge::FORMAT_ND});
        config.Output("y").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT16});
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(Products);

}  // namespace ops
