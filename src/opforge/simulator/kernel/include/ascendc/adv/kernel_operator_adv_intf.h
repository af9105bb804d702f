// Functions above the instructions: mathematics, activations, normalisation, quantisation, sorting.
// Documentation: SIMD-API/高阶API
#ifndef ASCENDC_KERNEL_OPERATOR_ADV_INTF_H
#define ASCENDC_KERNEL_OPERATOR_ADV_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "activation/kernel_operator_activation_intf.h"
#include "activation/kernel_operator_softmax_intf.h"
#include "activation/softmaxflashv3.h"
#include "filter/kernel_operator_dropout_intf.h"
#include "index/arithprogression.h"
#include "sort/topk.h"
#include "math/kernel_operator_math_intf.h"
#include "normalization/kernel_operator_layernormgrad_intf.h"
#include "normalization/kernel_operator_norm_intf.h"
#include "normalization/kernel_operator_welford_intf.h"
#include "pad/kernel_operator_broadcast_intf.h"
#include "pad/kernel_operator_pad_intf.h"
#include "quantization/kernel_operator_quant_intf.h"
#include "reduce/kernel_operator_reduce_intf.h"
#include "select/kernel_operator_select_intf.h"
#include "transpose/confusion_transpose.h"
#include "transpose/transdata.h"

namespace AscendC {}  // namespace AscendC

#endif
