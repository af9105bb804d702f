// The blocks of a core's part on Atlas inference products (Ascend310P).
#ifndef OPFORGE_HOST_TILING_COUPLED_BLOCKS_H
#define OPFORGE_HOST_TILING_COUPLED_BLOCKS_H

#include "block_split.h"

namespace matmul_tiling {

struct CoupledBase {
    int64_t m = 0, n = 0, k = 0;  // m 0: none fits
    int64_t aBuffers = 0, bBuffers = 0;
};

struct CoupledL1 {
    int64_t steps = 0;    // stepKa and stepKb: blocks of K that one read brings
    int64_t buffers = 0;  // 2: the next read overlaps; 0: one block does not fit
    int64_t bytes = 0;
};

CoupledBase ChooseCoupledBase(const TilingRequest& request, const Product& product, const Sizes& part);
CoupledL1 PlanCoupledL1(const TilingRequest& request, const Product& product, const CoupledBase& base, int64_t k);
int32_t CoupledOrder(const TilingRequest& request, const Product& product, const Sizes& part, const CoupledBase& base,
                     const CoupledL1& l1);

}  // namespace matmul_tiling
#endif
