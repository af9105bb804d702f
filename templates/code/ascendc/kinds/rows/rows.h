// Ops with rows on the host: the shape with the row apart from the other dimensions, and the split of the rows over the
// cores. C++11.
#ifndef ROWS_H
#define ROWS_H

#include <algorithm>
#include <cstdint>
#include "collapse.h"
#include "host_tiling.h"

namespace rows {

using collapse::kMaxDims;
using host_tiling::CeilDiv;
using host_tiling::Dims;
using host_tiling::Extent;
using host_tiling::RoundUp;

constexpr int64_t kTileStep = 256;  // tile sizes are multiples: 512 bytes of float16, whole blocks for Compare
constexpr int64_t kMostRows = 248;  // of a tile: the kernel's row_math::kMostRows

// Dimension 0 is the row, the last dimension of the output; the others are collapsed. `count` is the number of rows.
template <size_t kInputs>
struct Shape {
    int64_t count;
    int64_t extents[kMaxDims];
    int64_t strides[kInputs][kMaxDims];
};

inline Dims WithoutRow(const Dims& dims) { return dims.empty() ? dims : Dims(dims.begin(), dims.end() - 1); }

// The shape of a result with one element for each row: the last dimension has extent 1 or is dropped.
inline Dims OneForRow(const Dims& dims, bool kept) {
    if (host_tiling::HasUnknownRank(dims) || dims.empty()) {
        return dims;
    }
    Dims shape = WithoutRow(dims);
    if (kept) {
        shape.push_back(1);
    }
    return shape;
}

// Returns false if more than kMaxDims dimensions remain.
template <size_t kInputs>
inline bool ReadShape(const Dims& output, const Dims (&inputs)[kInputs], Shape<kInputs>* shape) {
    Dims outer[kInputs];
    for (size_t i = 0; i < kInputs; i++) {
        outer[i] = WithoutRow(inputs[i]);
    }
    collapse::Collapsed<kInputs> collapsed;
    if (!collapse::Collapse(WithoutRow(output), outer, collapsed) || collapsed.rank == kMaxDims) {
        return false;
    }
    shape->count = collapsed.elements;
    shape->extents[0] = Extent(output, 0);
    std::copy_n(collapsed.shape, kMaxDims - 1, shape->extents + 1);
    for (size_t i = 0; i < kInputs; i++) {
        const int64_t length = Extent(inputs[i], 0);
        shape->strides[i][0] = length == 1 && shape->extents[0] != 1 ? 0 : 1;
        for (size_t dim = 1; dim < kMaxDims; dim++) {
            shape->strides[i][dim] = collapsed.strides[i][dim - 1] * length;
        }
    }
    return true;
}

// The split of the rows into groups, and of a row into parts if it does not fit in a tile.
struct Split {
    bool parts;
    uint32_t blocks;
    uint32_t tileRows;
    uint32_t tileColumns;
    int64_t rowTiles;
    int64_t columnTiles;
    int64_t groupCount;
    int64_t groupsPerBlock;
};

// Whether a row is read in parts depends on its length only, so that its result does not depend on the other rows.
// `rowStep` is the smallest number of elements that fills whole blocks of UB for every tensor.
template <size_t kInputs>
inline Split SplitRows(const Shape<kInputs>& shape, int64_t cores, int64_t tileElements, int64_t rowStep) {
    Split split = Split();
    const int64_t columns = shape.extents[0];
    const int64_t rows = shape.extents[1];
    const int64_t pitch = RoundUp(std::max<int64_t>(columns, 1), rowStep);
    split.parts = pitch > tileElements;
    int64_t tileRows = 1;
    if (!split.parts) {
        tileRows = std::min(std::min(tileElements / pitch, kMostRows), std::min(rows, CeilDiv(shape.count, cores)));
        tileRows = std::max<int64_t>(tileRows, 1);
    }
    const int64_t tileColumns = std::max<int64_t>(std::min(columns, tileElements), 1);
    split.tileRows = static_cast<uint32_t>(tileRows);
    split.tileColumns = static_cast<uint32_t>(tileColumns);
    split.rowTiles = CeilDiv(rows, tileRows);
    split.columnTiles = CeilDiv(columns, tileColumns);
    split.groupCount = columns == 0 || shape.count == 0 ? 0 : shape.count / rows * split.rowTiles;
    split.groupsPerBlock = std::max<int64_t>(CeilDiv(split.groupCount, cores), 1);
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(CeilDiv(split.groupCount, split.groupsPerBlock), 1));
    return split;
}

}  // namespace rows

#endif  // ROWS_H
