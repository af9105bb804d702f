// The part of the tiling data that says how matrix products are computed: a plain struct, shared with the host.
#ifndef PRODUCT_TILING_H
#define PRODUCT_TILING_H

#include <cstdint>
#include "kernel_tiling/kernel_tiling.h"

struct ProductTiling {
    // How the cube core computes one tile of a product. The same for all products.
    TCubeTiling cubeTiling;
    // Each product multiplies matrices of rowCount x innerCount and innerCount x columnCount elements.
    int64_t rowCount;
    int64_t innerCount;
    int64_t columnCount;
    // The bytes of a product in the workspace, rounded up to whole lines of 512 bytes.
    int64_t productBytes;
    // Tiles of a product: columnTiles of them in a row, and the rows and columns of each tile but the last ones.
    int64_t tileCount;
    int64_t columnTiles;
    uint32_t tileRows;
    uint32_t tileColumns;
    // Blocks of one cube core and two vector cores each, and vector cores that request tiles.
    uint32_t blockCount;
    uint32_t workerCount;
};

#endif  // PRODUCT_TILING_H
