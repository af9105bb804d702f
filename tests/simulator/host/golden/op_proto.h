#ifndef OP_PROTO_H_
#define OP_PROTO_H_

#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace ge {

REG_OP(AddCustom)
    .INPUT(x, ge::TensorType::ALL())
    .INPUT(y, ge::TensorType::ALL())
    .OUTPUT(z, ge::TensorType::ALL())
    .ATTR(alpha, Float, 1)
    .OP_END_FACTORY_REG(AddCustom);

REG_OP(LayerNormX)
    .INPUT(x, ge::TensorType::ALL())
    .OPTIONAL_INPUT(beta_in, ge::TensorType::ALL())
    .INPUT(axes, ge::TensorType::ALL())
    .OUTPUT(y, ge::TensorType::ALL())
    .OUTPUT(row_mean, ge::TensorType::ALL())
    .ATTR(epsilon, Float, 1e-05)
    .REQUIRED_ATTR(axis, Int)
    .ATTR(dims, ListInt, {3,-4})
    .ATTR(mode_name, String, "a\"b")
    .ATTR(is_training, Bool, true)
    .OP_END_FACTORY_REG(LayerNormX);

REG_OP(ScaleInPlace)
    .INPUT(x_in, ge::TensorType::ALL())
    .INPUT(factor, ge::TensorType::ALL())
    .OUTPUT(x_in, ge::TensorType::ALL())
    .OP_END_FACTORY_REG(ScaleInPlace);

REG_OP(MacroTiling)
    .INPUT(x, ge::TensorType::ALL())
    .OUTPUT(z, ge::TensorType::ALL())
    .OP_END_FACTORY_REG(MacroTiling);

REG_OP(NotBuilt)
    .INPUT(x, ge::TensorType::ALL())
    .OUTPUT(z, ge::TensorType::ALL())
    .OP_END_FACTORY_REG(NotBuilt);

}

#endif
