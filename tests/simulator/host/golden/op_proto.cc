#include "op_proto.h"
namespace ge {

IMPL_OP(LayerNormX).InputsDataDependency({2});
}
