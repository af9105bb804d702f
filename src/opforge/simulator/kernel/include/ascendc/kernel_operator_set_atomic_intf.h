// What transfers to global memory do with the values they find there.
// Documentation: SIMD-API/基础API/原子操作
#ifndef ASCENDC_KERNEL_OPERATOR_SET_ATOMIC_INTF_H
#define ASCENDC_KERNEL_OPERATOR_SET_ATOMIC_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace AscendC {

#define ASCENDC_SIM_ATOMIC(Function, op)                                                           \
    template <typename T>                                                                          \
    void Function() {                                                                              \
        static_assert(sim::kOneOf<T, int8_t, int16_t, half, bfloat16_t, int32_t, float>, #Function \
                      ": the data type is not one of int8_t, int16_t, half, bfloat16_t, int32_t, " \
                      "float (原子操作/" #Function ")");                                           \
        sim::SetAtomic(sim::Atomic::op, sim::kDtype<T>);                                           \
    }
ASCENDC_SIM_ATOMIC(SetAtomicAdd, kAdd)
ASCENDC_SIM_ATOMIC(SetAtomicMax, kMax)
ASCENDC_SIM_ATOMIC(SetAtomicMin, kMin)
#undef ASCENDC_SIM_ATOMIC

inline void DisableDmaAtomic() { sim::SetAtomic(sim::Atomic::kNone, sim::Dtype::kFloat); }
// The older name.
inline void SetAtomicNone() { DisableDmaAtomic(); }

}  // namespace AscendC

#endif
