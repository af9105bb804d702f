// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Elementwise ops on the host: NumPy's broadcasting, and the split of the work over the cores. C++11.
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include <algorithm>
#include <cstdint>
#include "collapse.h"
#include "host_tiling.h"

namespace elementwise {

using host_tiling::CeilDiv;
using host_tiling::RoundUp;

constexpr int64_t kTileStep = 256;      // tile sizes are multiples: 512 bytes of float16, whole blocks for Compare
constexpr int64_t kCacheLine = 512;     // bytes of GM that should not be shared by two cores
constexpr int64_t kBlock = 32;          // in UB, rows of a tile start at multiples of these bytes
constexpr int64_t kMaxTileRows = 4095;  // DataCopyPad's blockCount

// The split of an op's work into blocks, one per core, and of a block into tiles.
struct Split {
    uint32_t blocks;
    uint32_t tileElements;
    int64_t elementsPerBlock;
    uint32_t tileRows;
    uint32_t tileColumns;
    int64_t rowTiles;
    int64_t columnTiles;
    int64_t tileCount;
    int64_t tilesPerBlock;
};

// Gives each core one range of whole cache lines; at least one block, even without elements. `rowStep` is the smallest
// number of elements that fills whole blocks of UB for every tensor.
inline Split SplitFlat(int64_t elements, int64_t cores, int64_t tileElements, int64_t rowStep) {
    Split split = Split();
    split.tileElements = static_cast<uint32_t>(tileElements);
    split.elementsPerBlock = std::max<int64_t>(RoundUp(CeilDiv(elements, cores), kCacheLine / kBlock * rowStep), 1);
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(CeilDiv(elements, split.elementsPerBlock), 1));
    return split;
}

// Chooses tiles that fill the buffers but, if possible, at least one tile per core.
inline Split SplitBroadcast(const int64_t* shape, int64_t elements, int64_t cores, int64_t tileElements,
                            int64_t rowStep) {
    Split split = Split();
    const int64_t columns = shape[0];
    const int64_t rows = shape[1];
    const int64_t planes = elements / (rows * columns);
    int64_t tileColumns = std::min(columns, tileElements);
    int64_t tileRows = columns < tileElements ? std::min(tileElements / RoundUp(columns, rowStep), kMaxTileRows) : 1;
    tileRows = std::max<int64_t>(std::min(std::min(tileRows, rows), CeilDiv(rows * planes, cores)), 1);
    if (rows * planes < cores) {
        const int64_t wanted = CeilDiv(cores, rows * planes);
        tileColumns = std::min(tileColumns, RoundUp(CeilDiv(columns, wanted), kTileStep));
    }
    split.tileElements = static_cast<uint32_t>(tileElements);
    split.tileRows = static_cast<uint32_t>(tileRows);
    split.tileColumns = static_cast<uint32_t>(tileColumns);
    split.rowTiles = CeilDiv(rows, tileRows);
    split.columnTiles = CeilDiv(columns, tileColumns);
    split.tileCount = planes * split.rowTiles * split.columnTiles;
    split.tilesPerBlock = CeilDiv(split.tileCount, cores);
    split.blocks = static_cast<uint32_t>(CeilDiv(split.tileCount, split.tilesPerBlock));
    return split;
}

}  // namespace elementwise

#endif  // ELEMENTWISE_H
