// matmul_tiling::MultiCoreMatmulTiling: the tiling of a matrix product that several cores share.
// Page: SIMD-API/高阶API/矩阵计算/Matmul-Tiling类/Matmul-Tiling类使用说明
#ifndef OPFORGE_LIB_MATMUL_BMM_TILING_H
#define OPFORGE_LIB_MATMUL_BMM_TILING_H

#include "lib/matmul/matmul_tiling_base.h"

namespace matmul_tiling {

class __attribute__((visibility("default"))) MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    MultiCoreMatmulTiling() {}
    explicit MultiCoreMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    explicit MultiCoreMatmulTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}
    ~MultiCoreMatmulTiling() override;

    // Cores to share the work: vector cores where they call the Matmul object (MIX), else cube cores. Page "SetDim".
    int32_t SetDim(int32_t dim);
    virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1);
    virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                                   int32_t minN = -1, int32_t minK = -1);
    // A part of a core is a multiple of these, but for an axis that is shorter. 0 and -1: none.
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
    // The kernel must clear C and add to it (SetAtomicAdd); no bias. Page "EnableMultiCoreSplitK".
    void EnableMultiCoreSplitK(bool flag);
    void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }

    int64_t GetTiling(optiling::TCubeTiling& tiling) override;
    int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) override;
    // -1 before a GetTiling that succeeded, as with the next.
    int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK);
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
    // False: the simulated L1 has no banks.
    bool EnableL1BankConflictOptimise() { return false; }
};

// The tiling of one product of a batch, which one core computes.
class __attribute__((visibility("default"))) BatchMatmulTiling : public MatmulApiTilingBase {
public:
    BatchMatmulTiling() {}
    explicit BatchMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    ~BatchMatmulTiling() override;

    int64_t GetTiling(optiling::TCubeTiling& tiling) override;
    int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) override;
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM, int32_t& batchCoreN);
};

}  // namespace matmul_tiling

extern "C" {
// Raises bufSize, in bytes, to what the tiling uses beside the caller's own buffers.
__attribute__((visibility("default"))) int32_t
MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
__attribute__((visibility("default"))) int32_t
MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
__attribute__((visibility("default"))) int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                                                        matmul_tiling::SysTilingTempBufSize& bufSize);
__attribute__((visibility("default"))) int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                                                          matmul_tiling::SysTilingTempBufSize& bufSize);
}
#endif
