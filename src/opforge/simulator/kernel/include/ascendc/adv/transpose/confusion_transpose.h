// Transpose with a tiling: the axes of heads and rows swapped, merged or cut, between NZ and ND.
// Documentation: SIMD-API/高阶API/张量变换/Transpose-96
#ifndef ASCENDC_ADV_TRANSPOSE_CONFUSION_TRANSPOSE_H
#define ASCENDC_ADV_TRANSPOSE_CONFUSION_TRANSPOSE_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_operator_vec_transpose_intf.h"
#include "../../kernel_tensor.h"
#include "../../sim/adv_pad.h"
#include "../../../kernel_tiling/kernel_tiling.h"

namespace sim {

// Of a tiling: scenes 1 and 2 have N in param2, H/N and S in whole sixteens in param3 and param4, the room in elements
// in param6; scenes 3 to 6 N and H/N in param2, param3, and the sixteens of S in param6, of scene 3 in param7; scene 7
// rows and columns in param1, param2.
template <typename T>
void TransposeScene(const char* api, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                    const Ub* room, AscendC::TransposeType type, const ConfusionTransposeTiling& t, Site site) {
    ASCENDC_SIM_ADV_DTYPE(Transpose, "张量变换/Transpose-96", A2<int16_t, uint16_t, half, int32_t, uint32_t, float>,
                          M200<int16_t, uint16_t, half, int32_t, uint32_t, float>);
    const uint32_t scene = static_cast<uint32_t>(type);
    const bool swapped = scene <= 2;
    const uint32_t rows = swapped ? t.param4 : (scene == 3 ? t.param7 : t.param6) * 16;
    TransposeScene({api, "高阶API/张量变换/Transpose-96", site},
                   {sizeof(T), scene, t.param0, t.param1, t.param2, rows, t.param3, swapped ? t.param6 : 0, dst.Place(),
                    src.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
               TransposeType transposeType, ConfusionTransposeTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::TransposeScene("Transpose", dst, src, &sharedTmpBuffer.Place(), transposeType, tiling, site);
}

template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
               ConfusionTransposeTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::TransposeScene("Transpose", dst, src, nullptr, transposeType, tiling, site);
}

// The name before.
template <typename T>
void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,
                        ConfusionTransposeTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::TransposeScene("ConfusionTranspose", dst, src, &sharedTmpBuffer.Place(), transposeType, tiling, site);
}

template <typename T>
void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
                        ConfusionTransposeTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::TransposeScene("ConfusionTranspose", dst, src, nullptr, transposeType, tiling, site);
}

}  // namespace AscendC

#endif
