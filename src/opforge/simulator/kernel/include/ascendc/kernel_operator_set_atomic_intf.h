// What transfers to global memory do with the values they find there.
// Documentation: SIMD-API/基础API/原子操作
#ifndef ASCENDC_KERNEL_OPERATOR_SET_ATOMIC_INTF_H
#define ASCENDC_KERNEL_OPERATOR_SET_ATOMIC_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace AscendC {

#define ASCENDC_SIM_ATOMIC(Function, page, op, ...)                                           \
    template <typename T>                                                                     \
    void Function() {                                                                         \
        static_assert(sim::kListed<T, __VA_ARGS__>,                                           \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")"); \
        sim::SetAtomic(sim::op, sim::kDtype<T>);                                              \
    }
// clang-format off: one line each, for the table
ASCENDC_SIM_ATOMIC(SetAtomicAdd, "原子操作/SetAtomicAdd", Atomic::kAdd, sim::A2<int8_t, int16_t, half, bfloat16_t, int32_t, float>, sim::M200<int16_t, half, float>)
ASCENDC_SIM_ATOMIC(SetAtomicMax, "原子操作/SetAtomicMax(ISASI)", Atomic::kMax, sim::A2<int8_t, int16_t, half, bfloat16_t, int32_t, float>, sim::M200<>)
ASCENDC_SIM_ATOMIC(SetAtomicMin, "原子操作/SetAtomicMin(ISASI)", Atomic::kMin, sim::A2<int8_t, int16_t, half, bfloat16_t, int32_t, float>, sim::M200<>)
// The register's type alone: with no operation chosen its bits say add.
ASCENDC_SIM_ATOMIC(SetAtomicType, "原子操作/SetAtomicType", Atomic::kKeep, sim::A2<int8_t, int16_t, half, bfloat16_t, int32_t, float>, sim::M200<int16_t, half, float>)
// clang-format on
#undef ASCENDC_SIM_ATOMIC

inline void DisableDmaAtomic() { sim::SetAtomic(sim::Atomic::kNone, sim::Dtype::kFloat); }
// The older name.
inline void SetAtomicNone() { DisableDmaAtomic(); }

// Documentation: 原子操作/SetStoreAtomicConfig(ISASI), GetStoreAtomicConfig(ISASI)
enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };

}  // namespace AscendC

namespace sim {

inline constexpr Dtype kAtomicDtypes[] = {Dtype::kFloat, Dtype::kFloat, Dtype::kHalf,    Dtype::kInt16,
                                          Dtype::kInt32, Dtype::kInt8,  Dtype::kBfloat16};

}  // namespace sim

namespace AscendC {

template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig() {
    static_assert(type >= AtomicDtype::ATOMIC_NONE && type <= AtomicDtype::ATOMIC_BF16 && op == AtomicOp::ATOMIC_SUM,
                  "SetStoreAtomicConfig: the type is one of AtomicDtype, the operation ATOMIC_SUM "
                  "(原子操作/SetStoreAtomicConfig(ISASI))");
    sim::SetAtomic(type == AtomicDtype::ATOMIC_NONE ? sim::Atomic::kNone : sim::Atomic::kAdd,
                   sim::kAtomicDtypes[static_cast<int>(type)]);
}
inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp) {
    atomicType = 0;
    atomicOp = 0;
    for (uint16_t type = 1; sim::AtomicNow() && type < 7; ++type) {
        if (sim::kAtomicDtypes[type] == sim::AtomicTypeNow()) {
            atomicType = type;
        }
    }
}

}  // namespace AscendC

#endif
