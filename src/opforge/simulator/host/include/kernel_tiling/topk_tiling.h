// AscendC::tiling::TopkTiling: what TopK is told by the host, as a plain struct of host and kernel.
// Page: SIMD-API/高阶API/排序操作/TopK-Tiling
//
// optiling::TopkTiling (lib/sort/topk_tilingdata.h) has the same fields in the same order, so the same bytes. The page
// leaves the fields' meaning to the toolkit: this one fills those that its TopK looks at.
#ifndef OPFORGE_KERNEL_TILING_TOPK_TILING_H
#define OPFORGE_KERNEL_TILING_TOPK_TILING_H

#include <cstdint>

#define OPFORGE_TOPK_TILING_FIELDS(FIELD)     \
    FIELD(int32_t, tmpLocalSize)              \
    FIELD(int32_t, allDataSize)               \
    FIELD(int32_t, innerDataSize)             \
    FIELD(uint32_t, sortRepeat)               \
    FIELD(int32_t, mrgSortRepeat)             \
    FIELD(int32_t, kAlignFourBytes)           \
    FIELD(int32_t, kAlignTwoBytes)            \
    FIELD(int32_t, maskOffset)                \
    FIELD(int32_t, maskVreducev2FourBytes)    \
    FIELD(int32_t, maskVreducev2TwoBytes)     \
    FIELD(int32_t, mrgSortSrc1offset)         \
    FIELD(int32_t, mrgSortSrc2offset)         \
    FIELD(int32_t, mrgSortSrc3offset)         \
    FIELD(int32_t, mrgSortTwoQueueSrc1Offset) \
    FIELD(int32_t, mrgFourQueueTailPara1)     \
    FIELD(int32_t, mrgFourQueueTailPara2)     \
    FIELD(int32_t, srcIndexOffset)            \
    FIELD(uint32_t, copyUbToUbBlockCount)     \
    FIELD(int32_t, topkMrgSrc1MaskSizeOffset) \
    FIELD(int32_t, topkNSmallSrcIndexOffset)  \
    FIELD(uint32_t, vreduceValMask0)          \
    FIELD(uint32_t, vreduceValMask1)          \
    FIELD(uint32_t, vreduceIdxMask0)          \
    FIELD(uint32_t, vreduceIdxMask1)          \
    FIELD(uint16_t, vreducehalfValMask0)      \
    FIELD(uint16_t, vreducehalfValMask1)      \
    FIELD(uint16_t, vreducehalfValMask2)      \
    FIELD(uint16_t, vreducehalfValMask3)      \
    FIELD(uint16_t, vreducehalfValMask4)      \
    FIELD(uint16_t, vreducehalfValMask5)      \
    FIELD(uint16_t, vreducehalfValMask6)      \
    FIELD(uint16_t, vreducehalfValMask7)

namespace AscendC {
namespace tiling {

struct TopkTiling {
#define OPFORGE_FIELD(type, name) type name = 0;
    OPFORGE_TOPK_TILING_FIELDS(OPFORGE_FIELD)
#undef OPFORGE_FIELD
};

}  // namespace tiling
}  // namespace AscendC

using AscendC::tiling::TopkTiling;

#endif
