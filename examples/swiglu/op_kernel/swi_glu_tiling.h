// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef SWI_GLU_TILING_H
#define SWI_GLU_TILING_H

#include <cstdint>
#include "kernel_tiling/kernel_tiling.h"

struct SwiGLUTilingData {
    // Tiling key 0: how the cube core computes one tile of a product. The same for all products.
    TCubeTiling cubeTiling;
    // Each product multiplies matrices of rowCount x innerCount and innerCount x columnCount elements.
    int64_t rowCount;
    int64_t innerCount;
    int64_t columnCount;
    // Tiles of the output: columnTiles of them in a row, and the rows and columns of each tile but the last ones. Cores
    // take them column by column within groups of tileGroup rows of tiles.
    int64_t tileCount;
    int64_t columnTiles;
    uint32_t tileRows;
    uint32_t tileColumns;
    uint32_t tileGroup;
    // Blocks of one cube core and two vector cores each, and vector cores that have tiles.
    uint32_t blockCount;
    uint32_t workerCount;
    // The elements that each buffer of the epilogue holds, and the largest number of tile rows that it processes at
    // once.
    uint32_t epilogueElements;
    uint32_t epilogueRows;
};

#endif  // SWI_GLU_TILING_H
