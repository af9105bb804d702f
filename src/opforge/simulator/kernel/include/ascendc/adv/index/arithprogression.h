// Arange, under its older name ArithProgression.
// Documentation: SIMD-API/高阶API/索引计算/Arange-94
#ifndef ASCENDC_ADV_INDEX_ARITHPROGRESSION_H
#define ASCENDC_ADV_INDEX_ARITHPROGRESSION_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/index.h"

namespace AscendC {

// firstValue, firstValue + diffValue, ...: whole blocks of 32 bytes are written.
template <typename T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
            sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, half, int32_t, float>,
                  "Arange: the data type is not one of int16_t, half, int32_t, float (索引计算/Arange)");
    sim::Arange({"Arange", "高阶API/索引计算/Arange-94", site}, sim::kDtype<T>, dst.Place(),
                sim::ScalarBits(firstValue), sim::ScalarBits(diffValue), count);
}

template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
                      sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, half, int32_t, float>,
                  "ArithProgression: the data type is not one of int16_t, half, int32_t, float (索引计算/Arange)");
    sim::Arange({"ArithProgression", "高阶API/索引计算/Arange-94", site}, sim::kDtype<T>, dst.Place(),
                sim::ScalarBits(firstValue), sim::ScalarBits(diffValue), count);
}

}  // namespace AscendC

#endif
