// AscendC::tiling::TCubeTiling: how a matrix product is cut into blocks, as a plain struct of host and kernel.
// Page: SIMD-API/高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体
//
// optiling::TCubeTiling (lib/matmul/matmul_tilingdata.h) has the same fields in the same order, so the same bytes.
#ifndef OPFORGE_KERNEL_TILING_KERNEL_TILING_H
#define OPFORGE_KERNEL_TILING_KERNEL_TILING_H

#include <cstdint>

#include "adv_tiling.h"

namespace AscendC {
namespace tiling {

struct TCubeTiling {
    int32_t usedCoreNum = 0;  // vector cores where they call the Matmul object (MIX), else cube cores
    int32_t M = 0;            // of the whole matrices, elements
    int32_t N = 0;
    int32_t Ka = 0;
    int32_t Kb = 0;
    int32_t singleCoreM = 0;  // of one core's part, elements
    int32_t singleCoreN = 0;
    int32_t singleCoreK = 0;
    int32_t baseM = 0;  // of one block, elements; multiples of 16 (baseK: see the page)
    int32_t baseN = 0;
    int32_t baseK = 0;
    int32_t depthA1 = 0;  // base blocks kept in L1
    int32_t depthB1 = 0;
    int32_t stepM = 0;  // base blocks read at once
    int32_t stepN = 0;
    int32_t isBias = 0;        // 0 or 1
    int32_t transLength = 0;   // bytes of UB for format changes
    int32_t iterateOrder = 0;  // 0: M first; 1: N first
    int32_t shareMode = 0;     // reserved
    int32_t shareL1Size = 0;
    int32_t shareL0CSize = 0;
    int32_t shareUbSize = 0;
    int32_t batchM = 0;
    int32_t batchN = 0;
    int32_t singleBatchM = 0;
    int32_t singleBatchN = 0;
    int32_t stepKa = 0;  // base blocks read at once
    int32_t stepKb = 0;
    int32_t depthAL1CacheUB = 0;
    int32_t depthBL1CacheUB = 0;
    int32_t dbL0A = 0;  // 1, or 2 for a double buffer
    int32_t dbL0B = 0;
    int32_t dbL0C = 0;
    int32_t ALayoutInfoB = 0;  // batched products only, like all up to BatchNum
    int32_t ALayoutInfoS = 0;
    int32_t ALayoutInfoN = 0;
    int32_t ALayoutInfoG = 0;
    int32_t ALayoutInfoD = 0;
    int32_t BLayoutInfoB = 0;
    int32_t BLayoutInfoS = 0;
    int32_t BLayoutInfoN = 0;
    int32_t BLayoutInfoG = 0;
    int32_t BLayoutInfoD = 0;
    int32_t CLayoutInfoB = 0;
    int32_t CLayoutInfoS1 = 0;
    int32_t CLayoutInfoN = 0;
    int32_t CLayoutInfoG = 0;
    int32_t CLayoutInfoS2 = 0;
    int32_t BatchNum = 0;
    int32_t mxTypePara = 0;  // Ascend 950 only
};

}  // namespace tiling
}  // namespace AscendC

// The name by which kernels written for BEGIN_TILING_DATA_DEF's structs know it.
using AscendC::tiling::TCubeTiling;

#endif
