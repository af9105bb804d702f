#include "register/op_def_registry.h"

namespace ops {

class DynamicQuant : public OpDef {
public:
    explicit DynamicQuant(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT8})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(DynamicQuant);

}  // namespace ops
