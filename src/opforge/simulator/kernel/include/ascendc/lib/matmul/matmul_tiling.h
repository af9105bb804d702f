// The base blocks of a Matmul object: out of TCubeTiling, and out of what is known when the kernel is compiled.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体
#ifndef ASCENDC_LIB_MATMUL_MATMUL_TILING_H
#define ASCENDC_LIB_MATMUL_MATMUL_TILING_H

#include "matmul_config.h"
#include "kernel_tiling/kernel_tiling.h"
#include "sim/matmul.h"

namespace sim {

// Without a tiling `s` says all.
inline MatmulBlocks BlocksOf(const TCubeTiling* tiling, const MatmulApiStaticTiling& s, IterateOrder order) {
    const TCubeTiling none{};
    const TCubeTiling& t = tiling != nullptr ? *tiling : none;
    const auto either = [&](int32_t known, int32_t said) { return known >= 0 ? known : said; };
    const bool nFirst = order == IterateOrder::ORDER_N || (order == IterateOrder::UNDEF && t.iterateOrder == 1);
    // a base block that is a constant; what a given tiling says of the whole stays
    sim::MatmulBlocks blocks{t.usedCoreNum,
                             t.M,
                             t.N,
                             t.Ka,
                             t.Kb,
                             either(s.singleCoreM, t.singleCoreM),
                             either(s.singleCoreN, t.singleCoreN),
                             either(s.singleCoreK, t.singleCoreK),
                             either(s.baseM, t.baseM),
                             either(s.baseN, t.baseN),
                             either(s.baseK, t.baseK),
                             t.depthA1,
                             t.depthB1,
                             t.stepM,
                             t.stepN,
                             t.stepKa,
                             t.stepKb,
                             t.isBias,
                             nFirst ? 1 : 0,
                             either(s.dbL0A, t.dbL0A),
                             either(s.dbL0B, t.dbL0B),
                             either(s.dbL0C, t.dbL0C),
                             {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD},
                             {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD},
                             {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2},
                             t.transLength,
                             t.shareUbSize};
    if (tiling == nullptr) {
        blocks.usedCores = s.usedCoreNum;
        blocks.m = s.M;
        blocks.n = s.N;
        blocks.ka = s.Ka;
        blocks.kb = s.Kb;
        blocks.depthA1 = s.depthA1;
        blocks.depthB1 = s.depthB1;
        blocks.stepM = s.stepM;
        blocks.stepN = s.stepN;
        blocks.stepKa = s.stepKa;
        blocks.stepKb = s.stepKb;
        blocks.isBias = s.isBias;
    }
    return blocks;
}

}  // namespace sim

#endif
