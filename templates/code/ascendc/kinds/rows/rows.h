// Ops with rows on the host: the shape with the row apart from the other dimensions, and the split of the rows over the
// cores. A row is the elements that are reduced to one. C++11.
#ifndef ROWS_H
#define ROWS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>
#include "host_tiling.h"

namespace rows {

using host_tiling::CeilDiv;
using host_tiling::Dims;
using host_tiling::Extent;
using host_tiling::RoundUp;

constexpr size_t kMaxDims = 8;         // of a shape for the kernel
constexpr int64_t kTileStep = 256;     // tile sizes are multiples: 512 bytes of float16, whole blocks for Compare
constexpr int64_t kMostRows = 248;     // of a tile: the kernel's row_math::kMostRows
constexpr int64_t kMostColumns = 256;  // of a tile across which rows lie: the kernel's row_math::kRowFloats
constexpr int64_t kColumnStep = 64;
constexpr int64_t kMostElements = 62 * kTileStep;  // of a tile of rows: what row_math::Reduce has room for
constexpr int64_t kMostNumbered = int64_t{1} << 24;  // elements of a row that float32 counts exactly
constexpr int64_t kPartStep = 512;     // of the lengths of parts: whole repeats in two levels of row_math::Reduce
constexpr int64_t kMostShrinking = 4;  // of tiles, so that a row stays in UB beside them
constexpr int64_t kTileCost = 4096;    // elements that take about as long as starting the instructions of a tile
// What all cores need to read parts of each row, in elements as well: they wait for each other, and combine the parts.
constexpr int64_t kWaitCost = 32768;
constexpr int64_t kCombineCost = 512;
constexpr int64_t kCoresOfRow = 4;     // fewer cores for each row gain little: they share the bandwidth of GM
constexpr int64_t kFloatsOfBlock = 8;  // of UB
// Sums over all rows: the rows are cut into this many shares, or, if there are many, into as many as 20, 24, 40 and 48
// cores can take evenly. Below so many rows each, moving the sums of the shares would take long.
constexpr int64_t kShares = 48;
constexpr int64_t kMostShares = 240;
constexpr int64_t kRowsOfShare = 16;
constexpr int64_t kFloatsOfLine = 128;  // of the L2 cache

// Tiling keys: whole rows in tiles; parts of rows, all those of a row in one core; those of each row in all cores.
constexpr uint64_t kWhole = 0;
constexpr uint64_t kParts = 1;
constexpr uint64_t kSpread = 2;

// The reduced dimensions: a bit for each, counted from the innermost, or all.
struct Axes {
    uint32_t bits;
    bool all;
};

inline bool Reduces(const Axes& axes, size_t fromEnd) {
    return axes.all || (axes.bits >> fromEnd & 1U) != 0;
}

// A dimension that an attribute gives, counted from either end. A shape without dimensions counts as one of rank 1.
inline size_t RankOf(const Dims& shape) { return std::max<size_t>(shape.size(), 1); }

inline bool HasAxis(const Dims& shape, int64_t dim) {
    const int64_t rank = static_cast<int64_t>(RankOf(shape));
    return host_tiling::HasUnknownRank(shape) || (dim >= -rank && dim < rank);
}

inline size_t FromEnd(const Dims& shape, int64_t dim) {
    return static_cast<size_t>(dim < 0 ? -1 - dim : static_cast<int64_t>(RankOf(shape)) - 1 - dim);
}

// No dimension, if the rank is not known or the shape does not have it.
inline Axes AxisOf(const Dims& shape, int64_t dim) {
    const bool known = !host_tiling::HasUnknownRank(shape) && HasAxis(shape, dim);
    return {known ? 1U << FromEnd(shape, dim) : 0U, false};
}

inline int64_t ExtentOf(const Dims& shape, int64_t dim) { return Extent(shape, FromEnd(shape, dim)); }

// The shape of a result with one element for each row: reduced dimensions have extent 1 or are dropped.
inline Dims OneForRow(const Dims& dims, const Axes& axes, bool kept) {
    if (host_tiling::HasUnknownRank(dims)) {
        return axes.all ? Dims() : dims;
    }
    Dims shape;
    for (size_t i = 0; i < dims.size(); i++) {
        if (!Reduces(axes, dims.size() - 1 - i)) {
            shape.push_back(dims[i]);
        } else if (kept) {
            shape.push_back(1);
        }
    }
    return shape;
}

// The shape of a sum over all rows.
inline Dims OfRow(const Dims& dims) { return Dims(1, host_tiling::HasUnknownRank(dims) ? -1 : dims.back()); }

// The shape for the kernel, innermost dimension first. If rows lie along the innermost dimension, the dimensions of a
// row come first; otherwise dimension 0 is kept, and those of a row follow it. The order is otherwise the output's.
// Neighbours are merged if the strides of all tensors allow it. Strides are in elements, 0 where a tensor is broadcast;
// unused extents are 1. `length`: elements of a row. The last tensor is the output.
template <size_t kTensors>
struct Shape {
    bool along;
    size_t rank;
    size_t rowEnd;  // dimensions of a row end before this one
    int64_t count;
    int64_t length;
    int64_t extents[kMaxDims];
    int64_t strides[kTensors][kMaxDims];
};

// Whether a tensor has the output's shape.
template <size_t kTensors>
inline bool IsWhole(const Shape<kTensors>& shape, size_t tensor) {
    return std::equal(shape.strides[tensor], shape.strides[tensor] + kMaxDims, shape.strides[kTensors - 1]);
}

// Adds a dimension: merges it with the one before, or appends it. Returns false if there are more than kMaxDims.
template <size_t kTensors>
inline bool AddDimension(int64_t extent, const int64_t (&steps)[kTensors], bool merges, Shape<kTensors>* shape) {
    if (extent == 1 && shape->rank > 0) {
        return true;
    }
    const bool first = shape->rank == 0 || (merges && shape->extents[shape->rank - 1] == 1);  // any strides will do
    for (size_t i = 0; i < kTensors && merges && !first; i++) {
        const size_t last = shape->rank - 1;
        merges = steps[i] == shape->strides[i][last] * shape->extents[last];
    }
    if (!merges) {
        if (shape->rank == kMaxDims) {
            return false;
        }
        shape->rank++;
    }
    for (size_t i = 0; i < kTensors && (first || !merges); i++) {
        shape->strides[i][shape->rank - 1] = steps[i];
    }
    shape->extents[shape->rank - 1] *= extent;
    return true;
}

// Returns false if more than kMaxDims dimensions remain.
template <size_t kInputs>
inline bool ReadShape(const Dims& output, const Dims (&inputs)[kInputs], const Axes& axes, Shape<kInputs + 1>* shape) {
    constexpr size_t kTensors = kInputs + 1;
    const size_t rank = output.size();
    std::vector<int64_t> steps(kTensors * rank);  // of each dimension, counted from the innermost
    for (size_t i = 0; i < kTensors; i++) {
        const Dims& dims = i < kInputs ? inputs[i] : output;
        int64_t step = 1;
        for (size_t fromEnd = 0; fromEnd < rank; fromEnd++) {
            const int64_t extent = Extent(dims, fromEnd);
            steps[fromEnd * kTensors + i] = extent == 1 && Extent(output, fromEnd) != 1 ? 0 : step;
            step *= extent;
        }
    }
    *shape = Shape<kTensors>();
    shape->along = Reduces(axes, 0);
    shape->count = shape->length = 1;
    std::fill_n(shape->extents, kMaxDims, 1);
    for (size_t fromEnd = 0; fromEnd < rank; fromEnd++) {
        (Reduces(axes, fromEnd) ? shape->length : shape->count) *= output[rank - 1 - fromEnd];
    }
    const auto add = [&](size_t fromEnd, bool merges) {
        int64_t step[kTensors];
        std::copy_n(&steps[fromEnd * kTensors], kTensors, step);
        return AddDimension(Extent(output, fromEnd), step, merges && shape->rank > 0, shape);
    };
    // Dimension 0: what can be merged at the end of the output
    size_t first = 0;
    for (; first < rank && Reduces(axes, first) == shape->along; first++) {
        Shape<kTensors> before = *shape;
        if (!add(first, true)) {
            return false;
        }
        if (shape->rank > 1) {
            *shape = before;
            break;
        }
    }
    shape->rank = 1;
    const bool order[] = {true, false};
    for (bool reduced : order) {
        const size_t begin = shape->rank;
        for (size_t fromEnd = first; fromEnd < rank; fromEnd++) {
            if (Reduces(axes, fromEnd) == reduced && !add(fromEnd, shape->rank > begin)) {
                return false;
            }
        }
        if (reduced && !shape->along) {
            shape->rank = std::max<size_t>(shape->rank, 2);
        }
        shape->rowEnd = reduced ? shape->rank : shape->rowEnd;
    }
    return true;
}

// The split of the rows into groups, and of a row into parts if it does not fit in a tile.
struct Split {
    bool parts;
    uint64_t tilingKey;
    uint32_t tileElements;
    uint32_t keptElements;
    uint32_t partialFloats;
    uint32_t sumElements;
    uint32_t sumColumns;
    uint32_t blocks;
    uint32_t tileRows;
    uint32_t tileColumns;
    int64_t rowTiles;
    int64_t columnTiles;
    int64_t partCount;  // of a row
    int64_t groupCount;
    int64_t groupsPerBlock;
    int64_t partsPerBlock;
    int64_t shareCount;
    int64_t sumPitch;
};

// The UB for tiles, the bytes of an element of a tile, and the buffers of a whole row that stays in UB. A tile of whole
// rows has `tileRows` of them, unless that is 0.
struct Room {
    int64_t bytes;
    int64_t bytesPerElement;
    int64_t kept;
    int64_t tileRows;
};

inline int64_t TileElements(const Room& room, int64_t keptElements = 0) {
    const int64_t bytes = room.bytes - room.kept * keptElements * static_cast<int64_t>(sizeof(float));
    return bytes / room.bytesPerElement / kTileStep * kTileStep;
}

// The room beside sums of `elements` each, which are then not those of a tile.
inline Room BesideSums(const Room& room, int64_t sums, int64_t elements) {
    const int64_t bytes = sums * static_cast<int64_t>(sizeof(float));
    return {room.bytes - bytes * elements, room.bytesPerElement - bytes, room.kept, room.tileRows};
}

// The parts of a row that does not fit in a tile. It stays in UB if tiles are not much smaller then; so do sums over all
// rows.
inline void SplitColumns(int64_t columns, const Room& allRoom, int64_t sums, Split* split) {
    const int64_t kept = RoundUp(columns, kTileStep);
    const bool summed = TileElements(BesideSums(allRoom, sums, kept)) >= split->tileElements / kMostShrinking;
    split->sumElements = static_cast<uint32_t>(sums > 0 && summed ? kept : 0);
    const Room room = BesideSums(allRoom, sums, split->sumElements);
    split->tileElements = static_cast<uint32_t>(TileElements(room));
    int64_t tileElements = std::min<int64_t>(split->tileElements, kMostElements);
    const int64_t left = std::min(TileElements(room, kept), kMostElements);
    if (room.kept > 0 && left >= tileElements / kMostShrinking) {
        tileElements = left;
        split->tileElements = static_cast<uint32_t>(left);
        split->keptElements = static_cast<uint32_t>(kept);
    }
    const int64_t even = RoundUp(CeilDiv(columns, CeilDiv(columns, tileElements)), kPartStep);
    split->tileColumns = static_cast<uint32_t>(std::min(std::min(even, tileElements), columns));
}

// The rows of a tile, up to `most`, with which the busiest core has the least work: fewer rows may split more evenly,
// but each tile has its own cost. `planes` have `rows` rows each.
inline int64_t EvenRows(int64_t rows, int64_t planes, int64_t pitch, int64_t cores, int64_t most) {
    int64_t best = 1;
    int64_t least = 0;
    for (int64_t tileRows = most; tileRows > 0; tileRows--) {
        const int64_t tiles = CeilDiv(planes * CeilDiv(rows, tileRows), cores);
        const int64_t work = tiles * (tileRows * pitch + kTileCost);
        if (least == 0 || work < least) {
            best = tileRows;
            least = work;
        }
    }
    return best;
}

// Rows along dimension 0: a tile has whole rows, or a part of one. A row of several dimensions is always read in parts.
// `rowStep` is the smallest number of elements that fills whole blocks of UB for every tensor.
template <size_t kTensors>
inline void SplitAlong(const Shape<kTensors>& shape, int64_t cores, const Room& room, int64_t rowStep, int64_t sums,
                       Split* split) {
    const int64_t tileElements = std::min<int64_t>(split->tileElements, kMostElements);
    const int64_t columns = shape.extents[0];
    const int64_t pitch = RoundUp(std::max<int64_t>(columns, 1), rowStep);
    int64_t rows = shape.extents[1];
    split->parts = shape.rowEnd > 1 || pitch > tileElements || shape.length == 0;
    int64_t most = std::min(tileElements / pitch, kMostRows);
    if (!split->parts) {
        most = host_tiling::Limited(std::min(most, CeilDiv(shape.count, cores)), room.tileRows);
    }
    for (size_t i = 0; i < kTensors; i++) {
        most = shape.strides[i][1] < (int64_t{1} << 28) ? most : 1;  // a copy's strides are 32 bits of bytes
    }
    int64_t tileRows = std::max<int64_t>(std::min(rows, most), 1);
    if (!split->parts && rows > 0 && room.tileRows == 0) {
        tileRows = EvenRows(rows, shape.count / rows, pitch, cores, tileRows);
    }
    split->tileRows = static_cast<uint32_t>(tileRows);
    split->tileColumns = static_cast<uint32_t>(std::max<int64_t>(std::min(columns, tileElements), 1));
    if (split->parts && shape.rowEnd == 1 && columns > 0) {
        SplitColumns(columns, room, sums, split);
    }
    split->groupCount = split->parts ? shape.count : shape.count / std::max<int64_t>(rows, 1) * CeilDiv(rows, tileRows);
}

// Rows across a tile: it has neighbouring columns of rows, or a part of these. The number of its rows does not depend
// on that of its columns.
template <size_t kTensors>
inline void SplitAcross(const Shape<kTensors>& shape, int64_t cores, Split* split) {
    const int64_t columns = std::max<int64_t>(shape.extents[0], 1);
    const int64_t planes = shape.count / columns;
    const int64_t share = CeilDiv(columns, std::max<int64_t>(cores / std::max<int64_t>(planes, 1), 1));
    const int64_t width = std::min(std::min(RoundUp(share, kColumnStep), kMostColumns), columns);
    const int64_t most = split->tileElements / kMostColumns;
    split->parts = shape.rowEnd > 2 || shape.extents[1] > most || shape.length == 0;
    split->tileRows = static_cast<uint32_t>(std::max<int64_t>(std::min(shape.extents[1], most), 1));
    split->tileColumns = static_cast<uint32_t>(width);
    split->groupCount = planes * CeilDiv(columns, width);
}

// The passes over rows in parts: all, those that reduce, and their reductions.
struct Passes {
    int64_t all;
    int64_t reducing;
    int64_t reductions;
};

// Gives parts of each row to all cores if there are few rows and this takes less time than a core for each. The parts
// remain what they are, so that the result of a row does not depend on the number of cores.
inline void SpreadParts(const Passes& passes, int64_t cores, bool along, Split* split) {
    const int64_t parts = split->groupCount * split->partCount;
    const int64_t part = int64_t{split->tileRows} * split->tileColumns + kTileCost;
    const int64_t alone = split->partCount * (split->keptElements > 0 ? 1 : passes.all) * part;
    const int64_t combining = passes.reducing * (kWaitCost + passes.all * split->partCount * kCombineCost);
    const int64_t together = CeilDiv(parts, cores) * passes.all * part + combining;
    if (!split->parts || parts == 0 || split->groupCount * kCoresOfRow > cores || together >= alone) {
        return;
    }
    split->tilingKey = kSpread;
    split->keptElements = 0;
    split->partialFloats = static_cast<uint32_t>(along ? kFloatsOfBlock : RoundUp(split->tileColumns, kFloatsOfBlock));
    split->partsPerBlock = CeilDiv(parts, cores);
    split->blocks = static_cast<uint32_t>(CeilDiv(parts, split->partsPerBlock));
}

// The workspace for the reductions of all parts.
inline size_t PartialBytes(const Split& split, const Passes& passes) {
    const int64_t parts = split.groupCount * split.partCount;
    return static_cast<size_t>(passes.reductions * parts * split.partialFloats) * sizeof(float);
}

// Whether a row is read in parts depends on its length only, so that its result does not depend on the other rows.
template <size_t kTensors>
inline Split SplitRows(const Shape<kTensors>& shape, int64_t cores, const Room& room, int64_t rowStep,
                       int64_t sums = 0) {
    Split split = Split();
    split.tileElements = static_cast<uint32_t>(TileElements(room));
    if (shape.along) {
        SplitAlong(shape, cores, room, rowStep, sums, &split);
    } else {
        SplitAcross(shape, cores, &split);
    }
    split.rowTiles = CeilDiv(shape.extents[1], split.tileRows);
    split.columnTiles = CeilDiv(shape.extents[0], split.tileColumns);
    split.partCount = shape.along ? split.columnTiles : 1;
    for (size_t dim = 1; dim < shape.rowEnd; dim++) {
        split.partCount *= dim == 1 ? split.rowTiles : shape.extents[dim];
    }
    split.groupCount = shape.count == 0 ? 0 : split.groupCount;
    split.groupsPerBlock = std::max<int64_t>(CeilDiv(split.groupCount, cores), 1);
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(CeilDiv(split.groupCount, split.groupsPerBlock), 1));
    split.tilingKey = split.parts ? kParts : kWhole;
    return split;
}

// As above, but all cores may read parts of each row.
template <size_t kTensors>
inline Split SplitRows(const Shape<kTensors>& shape, int64_t cores, const Room& room, int64_t rowStep,
                       const Passes& passes) {
    Split split = SplitRows(shape, cores, room, rowStep);
    SpreadParts(passes, cores, shape.along, &split);
    return split;
}

// The passes over rows in parts, and the number of sums over all rows.
struct Summing {
    Passes passes;
    int64_t sums;
};

// As above, for results that are sums over all rows. The groups of a block are a share of the rows, which depends on the
// shape alone; so does the order of summation.
template <size_t kTensors>
inline Split SplitSums(const Shape<kTensors>& shape, int64_t cores, const Room& room, int64_t rowStep,
                       const Summing& summing) {
    const int64_t most = shape.count < kMostShares * kRowsOfShare ? kShares : kMostShares;
    Split split = SplitRows(shape, most, room, rowStep, summing.sums);
    split.sumElements = split.parts ? split.sumElements : split.tileElements;
    split.sumPitch = RoundUp(shape.length, kFloatsOfLine);
    split.shareCount = shape.length == 0 ? 0 : CeilDiv(split.groupCount, split.groupsPerBlock);
    const int64_t width = RoundUp(std::max<int64_t>(CeilDiv(shape.length, cores), 1), kColumnStep);
    split.sumColumns = static_cast<uint32_t>(std::min(width, kMostColumns));
    const int64_t owners = std::max(split.shareCount, CeilDiv(shape.length, split.sumColumns));
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(std::min(owners, cores), 1));
    if (split.groupsPerBlock == 1) {
        SpreadParts(summing.passes, cores, true, &split);
        split.sumElements = split.tilingKey == kSpread ? 0 : split.sumElements;
    }
    return split;
}

// The workspace for the sums of all shares.
inline size_t SumBytes(const Split& split, int64_t sums) {
    return static_cast<size_t>(sums * split.shareCount * split.sumPitch) * sizeof(float);
}

// Passes a split and the output's shape to the kernel of an op with rows.
template <size_t kTensors, typename TilingData>
inline void SetSplit(const Split& split, const Shape<kTensors>& shape, TilingData* tiling) {
    tiling->tileElements = split.tileElements;
    tiling->keptElements = split.keptElements;
    tiling->tileRows = split.tileRows;
    tiling->tileColumns = split.tileColumns;
    tiling->groupCount = split.groupCount;
    tiling->groupsPerBlock = split.groupsPerBlock;
    tiling->rowTiles = split.rowTiles;
    tiling->columnTiles = split.columnTiles;
    tiling->partCount = split.partCount;
    std::copy_n(shape.extents, kMaxDims, tiling->outputShape);
}

}  // namespace rows

#endif  // ROWS_H
