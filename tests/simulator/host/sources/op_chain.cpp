// Every method of an OpDef chain that the other sources do without.
#include "register/op_def_registry.h"

static ge::graphStatus Check(const ge::Operator&, ge::AscendString&) { return ge::GRAPH_SUCCESS; }
static ge::graphStatus Tile(gert::TilingContext*) { return ge::GRAPH_SUCCESS; }

namespace ops {

class Chain : public OpDef {
public:
    explicit Chain(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_NCHW})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_NHWC})
            .IgnoreContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
            .InitValue(0);
        this->Attr("flag").AttrType(OPTIONAL).Bool(true);
        this->Attr("scale").AttrType(REQUIRED).Float();
        this->FormatMatchMode(FormatCheckOption::STRICT);
        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(false)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(false)
            .NeedCheckSupportFlag(true)
            .PrecisionReduceFlag(false)
            .ExtendCfgInfo("coreType.value", "AiCore");
        // This SoC alone has another input type.
        config.Input("x").DataType({ge::DT_FLOAT16, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_NCHW});
        this->AICore().SetTiling(Tile).SetCheckSupport(Check).SetOpSelectFormat(Check);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend310p", config);
    }
};
OP_ADD(Chain);

}  // namespace ops
