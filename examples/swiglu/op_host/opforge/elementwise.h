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
constexpr int64_t kPartsOfRows = 16;    // about as many make a tile where whole rows would be read too often

// Gives each core one range of whole cache lines; at least one block, even without elements. `rowStep` is the smallest
// number of elements that fills whole blocks of UB for every tensor. Returns the blocks, one for each core.
template <typename TilingData>
uint32_t SplitFlat(int64_t elements, int64_t cores, int64_t rowStep, TilingData* tiling) {
    const int64_t share = RoundUp(CeilDiv(elements, cores), kCacheLine / kBlock * rowStep);
    tiling->elementsPerBlock = std::max<int64_t>(share, 1);
    return static_cast<uint32_t>(std::max<int64_t>(CeilDiv(elements, tiling->elementsPerBlock), 1));
}

// Whether an operand is the same for all rows, or for all columns.
template <size_t kInputs>
bool Repeats(const collapse::Collapsed<kInputs>& whole) {
    bool found = false;
    for (size_t i = 0; i < kInputs; i++) {
        found = found || (whole.strides[i][1] == 0) != (whole.strides[i][0] == 0);
    }
    return found;
}

// Chooses tiles that fill the buffers but, if possible, at least one tile per core. Tiles are whole rows or parts of
// one. Each tile reads an operand that repeats rows again, and waits for one that repeats elements: a tile that has
// room for one row has parts of more rows instead, if all of them start at whole blocks. Returns the blocks.
template <size_t kInputs, typename TilingData>
uint32_t SplitBroadcast(const collapse::Collapsed<kInputs>& whole, int64_t cores, int64_t rowStep, TilingData* tiling) {
    const int64_t tileElements = tiling->tileElements;
    const int64_t columns = whole.shape[0];
    const int64_t rows = whole.shape[1];
    const int64_t planes = whole.elements / (rows * columns);
    int64_t tileColumns = std::min(columns, tileElements);
    if (columns * 2 > tileElements && columns % rowStep == 0 && Repeats(whole)) {
        tileColumns = std::min(tileColumns, RoundUp(CeilDiv(tileElements, std::min(rows, kPartsOfRows)), kTileStep));
    }
    const int64_t parts = rows * planes * CeilDiv(columns, tileColumns);
    int64_t tileRows = std::min(tileElements / RoundUp(tileColumns, rowStep), kMaxTileRows);
    tileRows = std::max<int64_t>(std::min(std::min(tileRows, rows), CeilDiv(parts, cores)), 1);
    if (parts < cores) {
        const int64_t wanted = CeilDiv(cores, rows * planes);
        tileColumns = std::min(tileColumns, RoundUp(CeilDiv(columns, wanted), kTileStep));
    }
    // The same number of tiles for each core, with fewer rows, rather than one more tile for some.
    const int64_t perRow = planes * CeilDiv(columns, tileColumns);
    const int64_t turns = CeilDiv(CeilDiv(rows, tileRows) * perRow, cores);
    tileRows = std::min(tileRows, CeilDiv(rows, std::max<int64_t>(turns * cores / perRow, 1)));
    tiling->tileRows = static_cast<uint32_t>(tileRows);
    tiling->tileColumns = static_cast<uint32_t>(tileColumns);
    tiling->rowTiles = CeilDiv(rows, tileRows);
    tiling->columnTiles = CeilDiv(columns, tileColumns);
    tiling->tileCount = planes * tiling->rowTiles * tiling->columnTiles;
    tiling->tilesPerBlock = CeilDiv(tiling->tileCount, cores);
    return static_cast<uint32_t>(CeilDiv(tiling->tileCount, tiling->tilesPerBlock));
}

}  // namespace elementwise

#endif  // ELEMENTWISE_H
