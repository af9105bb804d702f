// What the Matmul object takes of the memories beside its operands, by its TCubeTiling.
#include <algorithm>

#include "lib/matmul/bmm_tiling.h"
#include "lib/matmul/matmul_tiling.h"

namespace matmul_tiling {

namespace {

void Raise(const AscendC::tiling::TCubeTiling& tiling, SysTilingTempBufSize* sizes) {
    sizes->l1Size = std::max(sizes->l1Size, tiling.shareL1Size);
    sizes->l0cSize = std::max(sizes->l0cSize, tiling.shareL0CSize);
    sizes->ubSize = std::max({sizes->ubSize, tiling.shareUbSize, 2 * tiling.transLength});
}

AscendC::tiling::TCubeTiling Plain(optiling::TCubeTiling* tiling) {
    AscendC::tiling::TCubeTiling plain;
    tiling->SaveToBuffer(&plain, sizeof(plain));
    return plain;
}

}  // namespace
}  // namespace matmul_tiling

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    matmul_tiling::Raise(matmul_tiling::Plain(&tiling), &bufSize);
    return 0;
}

int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    matmul_tiling::Raise(tiling, &bufSize);
    return 0;
}

int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}

int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSizeV2(tiling, bufSize);
}

int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSize(tiling, bufSize);
}

int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
