// The parts of a product for cores.
#ifndef OPFORGE_HOST_TILING_CORE_SPLIT_H
#define OPFORGE_HOST_TILING_CORE_SPLIT_H

#include "block_split.h"

namespace matmul_tiling {

struct CoreSplit {
    Sizes part = {0, 0, 0};
    int64_t cores = 0;
};

// Parts of M and N (and K, where EnableMultiCoreSplitK says so) for SetDim's cores; one part for one core.
CoreSplit SplitCores(const TilingRequest& request, const Product& product);

}  // namespace matmul_tiling
#endif
