#include "register/op_def_registry.h"

namespace ops {

class CastBf16 : public OpDef {
public:
    explicit CastBf16(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_BF16})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(CastBf16);

}  // namespace ops
