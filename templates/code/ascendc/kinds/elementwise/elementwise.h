// Elementwise ops on the host: NumPy's broadcasting, and the split of the work over the cores. C++11.
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include <algorithm>
#include <cstdint>
#include "host_tiling.h"

namespace elementwise {

using host_tiling::BroadcastWith;
using host_tiling::CeilDiv;
using host_tiling::Dims;
using host_tiling::Extent;
using host_tiling::RoundUp;

constexpr size_t kMaxDims = 8;          // of a collapsed shape: the maximum of an aclTensor
constexpr int64_t kTileStep = 256;      // tile sizes are multiples: 512 bytes of float16, whole blocks for Compare
constexpr int64_t kCacheLine = 512;     // bytes of GM that should not be shared by two cores
constexpr int64_t kBlock = 32;          // in UB, rows of a tile start at multiples of these bytes
constexpr int64_t kMaxTileRows = 4095;  // DataCopyPad's blockCount

// The output's shape without dimensions of extent 1. Neighbouring dimensions are merged if the strides of all inputs
// allow it. Innermost dimension first; unused extents are 1, unused strides 0.
template <size_t kInputs>
struct Collapsed {
    size_t rank;
    int64_t elements;
    bool broadcast;  // the shape of at least one input differs from the output's
    int64_t shape[kMaxDims];
    int64_t strides[kInputs][kMaxDims];
};

// Returns false if more than kMaxDims dimensions remain.
template <size_t kInputs>
inline bool Collapse(const Dims& output, const Dims (&inputs)[kInputs], Collapsed<kInputs>& result) {
    result.rank = 0;
    result.elements = 1;
    result.broadcast = false;
    std::fill_n(result.shape, kMaxDims, 1);
    std::fill_n(&result.strides[0][0], kInputs * kMaxDims, 0);
    int64_t step[kInputs];  // elements of each input from one index of the current dimension to the next
    bool repeated[kInputs] = {};
    std::fill_n(step, kInputs, 1);
    for (size_t fromEnd = 0; fromEnd < output.size(); fromEnd++) {
        const int64_t extent = Extent(output, fromEnd);
        result.elements *= extent;
        if (extent == 1) {
            continue;
        }
        bool joins = result.rank > 0;
        for (size_t i = 0; i < kInputs; i++) {
            const bool repeats = Extent(inputs[i], fromEnd) == 1;
            joins = joins && repeats == repeated[i];
            repeated[i] = repeats;
            result.broadcast = result.broadcast || repeats;
        }
        if (!joins) {
            if (result.rank == kMaxDims) {
                return false;
            }
            for (size_t i = 0; i < kInputs; i++) {
                result.strides[i][result.rank] = repeated[i] ? 0 : step[i];
            }
            result.rank++;
        }
        result.shape[result.rank - 1] *= extent;
        for (size_t i = 0; i < kInputs; i++) {
            step[i] *= repeated[i] ? 1 : extent;
        }
    }
    return true;
}

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

{% if coupled %}
// For AI Cores without DataCopyPad, which write the rest of a row through the data cache. Two cores must not share a
// line of it, so a core's tiles end at the end of a line for every element size.
inline void KeepLinesApart(const int64_t* shape, int64_t elements, int64_t rowStep, Split* split) {
    const int64_t line = 64;
    const int64_t columns = shape[0];
    if (columns % rowStep == 0) {
        return;
    }
    const int64_t rows = shape[1];
    const bool rowByRow = elements == rows * columns && split->columnTiles == 1;
    int64_t unit = rowByRow ? 1 : split->rowTiles * split->columnTiles;  // tiles that form one range of the output
    const int64_t stretch = rowByRow ? split->tileRows * columns : rows * columns;
    for (int64_t parts = 1; parts * stretch % line != 0; parts++) {
        unit += rowByRow ? 1 : split->rowTiles * split->columnTiles;
    }
    split->tilesPerBlock = RoundUp(split->tilesPerBlock, unit);
    split->blocks = static_cast<uint32_t>(CeilDiv(split->tileCount, split->tilesPerBlock));
}

{% endif %}
}  // namespace elementwise

#endif  // ELEMENTWISE_H
