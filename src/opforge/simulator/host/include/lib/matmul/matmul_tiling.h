// matmul_tiling::MatmulApiTiling: the tiling of a matrix product that one core computes.
// Page: SIMD-API/高阶API/矩阵计算/Matmul-Tiling类/Matmul-Tiling类使用说明
#ifndef OPFORGE_LIB_MATMUL_MATMUL_TILING_H
#define OPFORGE_LIB_MATMUL_MATMUL_TILING_H

#include "lib/matmul/matmul_tiling_base.h"

namespace matmul_tiling {

class __attribute__((visibility("default"))) MatmulApiTiling : public MatmulApiTilingBase {
public:
    MatmulApiTiling() {}
    explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    explicit MatmulApiTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}
    ~MatmulApiTiling() override;

    int64_t GetTiling(optiling::TCubeTiling& tiling) override;
    int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) override;
    // False: the simulated L1 has no banks.
    bool EnableL1BankConflictOptimise() { return false; }
};

}  // namespace matmul_tiling

extern "C" {
// Raises bufSize, in bytes, to what the tiling uses beside the caller's own buffers.
__attribute__((visibility("default"))) int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                                                   matmul_tiling::SysTilingTempBufSize& bufSize);
__attribute__((visibility("default"))) int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                                                     matmul_tiling::SysTilingTempBufSize& bufSize);
}
#endif
