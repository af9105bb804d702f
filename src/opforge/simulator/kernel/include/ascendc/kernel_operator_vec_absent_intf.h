// Vector functions of the documentation that the SoCs of the simulated toolkit do not have, or that are not simulated:
// a call says so instead of an unknown name. Documentation: SIMD-API/基础API/Memory矢量计算
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_ABSENT_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_ABSENT_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace AscendC {

// Of any template arguments, types or values: the last form of each name is what a call without them finds.
#define ASCENDC_SIM_ABSENT(Function, why, page)                                     \
    template <typename... Types, typename... Arguments>                             \
    void Function(const Arguments&...) {                                            \
        static_assert(sizeof...(Arguments) == 0, #Function ": " why " (" page ")"); \
    }                                                                               \
    template <auto first, typename... Types, typename... Arguments>                 \
    void Function(const Arguments&...) {                                            \
        static_assert(sizeof...(Arguments) == 0, #Function ": " why " (" page ")"); \
    }

#define ASCENDC_SIM_NOWHERE "not there on Atlas A2, A3 and ascend310p"
#define ASCENDC_SIM_UNSIMULATED "not simulated"

ASCENDC_SIM_ABSENT(Subs, ASCENDC_SIM_NOWHERE, "基础算术/Subs（灵活标量位置）")
ASCENDC_SIM_ABSENT(Divs, ASCENDC_SIM_NOWHERE, "基础算术/Divs（灵活标量位置）")
ASCENDC_SIM_ABSENT(Neg, ASCENDC_SIM_NOWHERE, "基础算术/Neg(ISASI)")
ASCENDC_SIM_ABSENT(Prelu, ASCENDC_SIM_NOWHERE, "基础算术/Prelu(ISASI)")
ASCENDC_SIM_ABSENT(Mull, ASCENDC_SIM_NOWHERE, "基础算术/Mull(ISASI)")
ASCENDC_SIM_ABSENT(AbsSub, ASCENDC_SIM_NOWHERE, "复合计算/AbsSub(ISASI)")
ASCENDC_SIM_ABSENT(ExpSub, ASCENDC_SIM_NOWHERE, "复合计算/ExpSub(ISASI)")
ASCENDC_SIM_ABSENT(MulsCast, ASCENDC_SIM_NOWHERE, "复合计算/MulsCast(ISASI)")
ASCENDC_SIM_ABSENT(Ands, ASCENDC_SIM_NOWHERE, "逻辑计算/Ands")
ASCENDC_SIM_ABSENT(Ors, ASCENDC_SIM_NOWHERE, "逻辑计算/Ors")
ASCENDC_SIM_ABSENT(Interleave, ASCENDC_SIM_NOWHERE, "数据重排（ISASI）/Interleave")
ASCENDC_SIM_ABSENT(DeInterleave, ASCENDC_SIM_NOWHERE, "数据重排（ISASI）/DeInterleave")
ASCENDC_SIM_ABSENT(Truncate, ASCENDC_SIM_NOWHERE, "类型转换/Truncate(ISASI)")
ASCENDC_SIM_ABSENT(BilinearInterpolation, ASCENDC_SIM_UNSIMULATED, "基础算术/BilinearInterpolation(ISASI)")
ASCENDC_SIM_ABSENT(VectorPadding, ASCENDC_SIM_UNSIMULATED, "数据填充/VectorPadding(ISASI)")

#undef ASCENDC_SIM_ABSENT
#undef ASCENDC_SIM_NOWHERE
#undef ASCENDC_SIM_UNSIMULATED

}  // namespace AscendC

#endif
