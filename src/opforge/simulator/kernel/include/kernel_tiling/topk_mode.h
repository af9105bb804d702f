// Which form of TopK is meant, as tiling functions and kernels both say it.
// Page: SIMD-API/高阶API/排序操作/TopK
#ifndef OPFORGE_KERNEL_TILING_TOPK_MODE_H
#define OPFORGE_KERNEL_TILING_TOPK_MODE_H

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };

}  // namespace AscendC

#endif
