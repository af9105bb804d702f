#include "register/op_def_registry.h"

namespace ops {

class EmbeddingGrad : public OpDef {
public:
    explicit EmbeddingGrad(const char* name) : OpDef(name) {
        this->Input("grad").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("index").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).InitValue(0);
        this->Attr("num_weights").AttrType(REQUIRED).Int();
        this->Attr("padding_index").AttrType(OPTIONAL).Int(-1);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(EmbeddingGrad);

}  // namespace ops
