// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef SWI_GLU_TILING_H
#define SWI_GLU_TILING_H

#include <cstdint>
#include "kernel_tiling/kernel_tiling.h"

struct SwiGLUTilingData {
    // Tiling key 0: how the cube core computes one tile of a product. The same for all products.
    TCubeTiling cubeTiling;
    // Each product is one of rowCount x innerCount with innerCount x columnCount elements.
    int64_t rowCount;
    int64_t innerCount;
    int64_t columnCount;
    // Tiles of the output, columnTiles of them side by side; rows and columns of each but the last ones.
    int64_t tileCount;
    int64_t columnTiles;
    uint32_t tileRows;
    uint32_t tileColumns;
    // Blocks of one cube core and two vector cores each, and vector cores that have tiles.
    uint32_t blockCount;
    uint32_t workerCount;
    // Elements that each buffer of the epilogue holds, and most rows of a tile that it takes at once.
    uint32_t epilogueElements;
    uint32_t epilogueRows;
};

#endif  // SWI_GLU_TILING_H
