// Values of rows: reductions of the rows of a float32 tile, and instructions that take one value for each row.
//
// A row is reduced as a fixed tree that depends on its length only: each level replaces 8 or 64 elements that follow
// each other by one, until an instruction can combine what is left. A row that does not fit in a tile is reduced part
// by part, in order. The result is therefore the same whatever the number of rows and of cores.
#ifndef ROW_MATH_H
#define ROW_MATH_H

#include <cstdint>
#include "kernel_operator.h"
#include "tile_io.h"

namespace row_math {

using Local = AscendC::LocalTensor<float>;
using Global = AscendC::GlobalTensor<float>;
using tile_io::Tile;

constexpr uint32_t kMostRows = 248;   // of a tile: Brcb takes eight at a time, an instruction has 255 repeats
constexpr uint32_t kRowFloats = 256;  // of a buffer with a value of each row: whole blocks for Compare
constexpr uint32_t kBlock = 8;        // elements
constexpr uint32_t kLanes = 64;       // elements that one repeat of an instruction takes
constexpr uint32_t kMostRepeats = 255;
// Of the buffer for the blocks of WithRows and the levels of Reduce: a tile has at most 62 x 256 elements. A level has
// an eighth of them at most, and the next one a block for each row beside it.
constexpr uint32_t kBlockFloats = 2304;

// The part of an operand with one element for each row: the elements of the rows of the tile at `origin`, as one row.
__aicore__ inline tile_io::Place RowsAt(const tile_io::TileGrid& grid, const tile_io::TileOrigin& origin,
                                        const int64_t* strides) {
    const tile_io::Place place = tile_io::PlaceAt(grid, origin, strides);
    return {place.offset, 0, place.rowStride};
}

// Operators on tiles: along the tile, or repeated with strides. Those that reduce rows also combine the lanes of each
// repeat, and each block; `next` is the distance between results in elements, `stride` that between repeats in blocks.
struct Add {
    static __aicore__ inline float Nothing() { return 0.0f; }  // of no elements
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Add(result, a, b, lanes, repeats, strides);
    }
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint32_t count) {
        AscendC::Add(result, a, b, count);
    }
    static __aicore__ inline void Reduce(const Local& result, const Local& x, uint32_t lanes, uint32_t repeats,
                                         uint32_t next, uint32_t stride) {
        AscendC::WholeReduceSum(result, x, lanes, repeats, next, 1, stride);
    }
    static __aicore__ inline void ReduceBlocks(const Local& result, const Local& x, uint32_t repeats) {
        AscendC::BlockReduceSum(result, x, repeats, kLanes, 1, 1, kLanes / kBlock);
    }
};

struct Max {
    static __aicore__ inline float Nothing() { return -1.0f / 0.0f; }
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Max(result, a, b, lanes, repeats, strides);
    }
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint32_t count) {
        AscendC::Max(result, a, b, count);
    }
    static __aicore__ inline void Reduce(const Local& result, const Local& x, uint32_t lanes, uint32_t repeats,
                                         uint32_t next, uint32_t stride) {
        AscendC::WholeReduceMax(result, x, lanes, repeats, next, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }
    static __aicore__ inline void ReduceBlocks(const Local& result, const Local& x, uint32_t repeats) {
        AscendC::BlockReduceMax(result, x, repeats, kLanes, 1, 1, kLanes / kBlock);
    }
};

struct Min {
    static __aicore__ inline float Nothing() { return 1.0f / 0.0f; }
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Min(result, a, b, lanes, repeats, strides);
    }
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint32_t count) {
        AscendC::Min(result, a, b, count);
    }
    static __aicore__ inline void Reduce(const Local& result, const Local& x, uint32_t lanes, uint32_t repeats,
                                         uint32_t next, uint32_t stride) {
        AscendC::WholeReduceMin(result, x, lanes, repeats, next, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }
    static __aicore__ inline void ReduceBlocks(const Local& result, const Local& x, uint32_t repeats) {
        AscendC::BlockReduceMin(result, x, repeats, kLanes, 1, 1, kLanes / kBlock);
    }
};

struct Sub {
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Sub(result, a, b, lanes, repeats, strides);
    }
};

struct Mul {
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Mul(result, a, b, lanes, repeats, strides);
    }
};

struct Div {
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Div(result, a, b, lanes, repeats, strides);
    }
};

// The second operand as it is.
struct Second {
    static __aicore__ inline void Run(const Local& result, const Local&, const Local& b, uint64_t lanes,
                                      uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
        AscendC::Muls(result, b, 1.0f, lanes, repeats,
                      {strides.dstBlkStride, strides.src1BlkStride, strides.dstRepStride, strides.src1RepStride});
    }
};

// Whether instructions run down the rows, 64 columns at a time, and not along each row.
__aicore__ inline bool DownRows(const Tile& tile, uint32_t columns) {
    return tile.rows * kLanes > columns && tile.pitch <= kMostRepeats * kBlock;
}

// An operator on a tile and one row that all rows meet, in this order or, with `kColumnsFirst`, in the other.
template <typename Operator, bool kColumnsFirst = false>
__aicore__ inline void WithColumns(const Local& result, const Local& x, const Local& columns, const Tile& tile) {
    const bool down = DownRows(tile, tile.columns);
    const uint8_t stride = down ? static_cast<uint8_t>(tile.pitch / kBlock) : kLanes / kBlock;
    const uint32_t times = down ? 1 : tile.rows;
    for (uint32_t row = 0; row < times; row++) {
        for (uint32_t start = 0; start < tile.columns;) {
            const uint32_t rest = tile.columns - start;
            const uint32_t whole = down ? 1 : tile_io::AtMost(rest / kLanes, kMostRepeats);
            const uint32_t lanes = tile_io::AtMost(rest, kLanes);
            const uint8_t repeats = static_cast<uint8_t>(down ? tile.rows : whole > 0 ? whole : 1);
            const uint8_t next = down ? 0 : stride;  // from one repeat to the next, in blocks of `columns`
            const uint32_t place = row * tile.pitch + start;
            if constexpr (kColumnsFirst) {
                Operator::Run(result[place], columns[start], x[place], lanes, repeats, {1, 1, 1, stride, next, stride});
            } else {
                Operator::Run(result[place], x[place], columns[start], lanes, repeats, {1, 1, 1, stride, stride, next});
            }
            start += whole > 0 ? whole * kLanes : lanes;
        }
    }
}

// A tile with the same row in all rows.
__aicore__ inline void RepeatRow(const Local& result, const Local& columns, const Tile& tile) {
    WithColumns<Second>(result, result, columns, tile);
}

// Fills a tile with the number of each element in its row: 0, 1, 2 ...
__aicore__ inline void NumberColumns(const Local& result, const Tile& tile) {
    AscendC::CreateVecIndex(result, 0.0f, tile.pitch);
    for (uint32_t done = 1; done < tile.rows; done *= 2) {
        const uint32_t rows = tile.rows - done < done ? tile.rows - done : done;
        AscendC::Muls(result[done * tile.pitch], result, 1.0f, rows * tile.pitch);
    }
}

// Fills a tile with the number of each element in its column.
__aicore__ inline void NumberRows(const Local& result, const Tile& tile) {
    AscendC::Duplicate(result, 0.0f, tile.pitch);
    for (uint32_t done = 1; done < tile.rows; done *= 2) {
        const uint32_t rows = tile.rows - done < done ? tile.rows - done : done;
        const float more = static_cast<float>(static_cast<int32_t>(done));
        AscendC::Adds(result[done * tile.pitch], result, more, rows * tile.pitch);
    }
}

// One level of a reduction: the values that are left of each row.
struct Level {
    Local values;
    uint32_t count;
    uint32_t pitch;
};

// Reduces 64 elements that follow each other to one, and what is left at the end of a row to one more. `values` begin
// at multiples of `pitch`.
template <typename Operator>
__aicore__ inline Level ReduceChunks(const Level& level, const Local& result, uint32_t rows) {
    const uint32_t chunks = level.count / kLanes;
    const uint32_t rest = level.count % kLanes;
    const uint32_t count = rest > 0 ? chunks + 1 : chunks;
    const uint32_t pitch = tile_io::RoundUp(count, kBlock);
    if (rows <= chunks) {
        for (uint32_t row = 0; row < rows; row++) {
            Operator::Reduce(result[row * pitch], level.values[row * level.pitch], kLanes, chunks, 1, kLanes / kBlock);
        }
    } else {
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            Operator::Reduce(result[chunk], level.values[chunk * kLanes], kLanes, rows, pitch, level.pitch / kBlock);
        }
    }
    if (rest > 0) {
        Operator::Reduce(result[chunks], level.values[chunks * kLanes], rest, rows, pitch, level.pitch / kBlock);
    }
    return {result, count, pitch};
}

// The reduction of each row of a tile. `levels` is work space. Rows of whole repeats follow each other without a gap,
// so that one instruction takes them all.
template <typename Operator>
__aicore__ inline void Reduce(const Local& rows, const Local& x, const Local& levels, const Tile& tile) {
    Level level{x, tile.columns, tile.pitch};
    for (uint32_t start = 0; level.count > kLanes; start += tile.rows * level.pitch) {
        const Local result = levels[start];
        const uint32_t repeats = tile.rows * (level.count / kLanes);
        if (level.count % (kLanes * kBlock) == 0) {
            Operator::Reduce(result, level.values, kLanes, repeats, 1, kLanes / kBlock);
            level = {result, level.count / kLanes, level.count / kLanes};
        } else if (level.count % kLanes == 0) {
            Operator::ReduceBlocks(result, level.values, repeats);
            level = {result, level.count / kBlock, level.count / kBlock};
        } else {
            level = ReduceChunks<Operator>(level, result, tile.rows);
        }
    }
    Operator::Reduce(rows, level.values, level.count, tile.rows, 1, level.pitch / kBlock);
}

// Combines a part of a row with the parts before it.
template <typename Operator>
__aicore__ inline void AddPart(const Local& total, const Local& x, const Local& levels, const Tile& tile, bool first) {
    if (first) {
        Reduce<Operator>(total, x, levels, tile);
    } else {
        Reduce<Operator>(total[kBlock], x, levels, tile);
        Operator::Run(total, total, total[kBlock], 1);
    }
}

// The parts of a row without elements.
template <typename Operator>
__aicore__ inline void NoParts(const Local& total, uint32_t count) {
    AscendC::Duplicate(total, Operator::Nothing(), count);
}

// The reduction of a row whose parts have all been added, in the first `rowCount` values.
template <typename Operator>
__aicore__ inline void Finish(const Local& rows, const Local& total, uint32_t rowCount = 1) {
    Operator::Reduce(rows, total, 1, rowCount, 1, 0);
}

// Folds the rows of a tile into one. `work` may be `x`. A tile of one row stays in `x`.
template <typename Operator>
__aicore__ inline Local FoldedRows(const Local& x, const Local& work, const Tile& tile) {
    if (tile.rows == 1) {
        return x;
    }
    uint32_t half = 1;
    while (2 * half < tile.rows) {
        half *= 2;
    }
    const uint32_t upper = tile.rows - half;
    if (upper < half && work.GetPhyAddr() != x.GetPhyAddr()) {
        AscendC::Muls(work[upper * tile.pitch], x[upper * tile.pitch], 1.0f, (half - upper) * tile.pitch);
    }
    Operator::Run(work, x, x[half * tile.pitch], upper * tile.pitch);
    for (half /= 2; half > 0; half /= 2) {
        Operator::Run(work, work, work[half * tile.pitch], half * tile.pitch);
    }
    return work;
}

// As AddPart, for a row of several dimensions: all rows of the tile belong to it.
template <typename Operator>
__aicore__ inline void AddRows(const Local& total, const Local& x, const Local& work, const Local& levels,
                               const Tile& tile, bool first) {
    AddPart<Operator>(total, FoldedRows<Operator>(x, work, tile), levels, {1, tile.columns, tile.pitch}, first);
}

// The reduction down each column of a tile, for rows that lie across it.
template <typename Operator>
__aicore__ inline void ReduceColumns(const Local& columns, const Local& x, const Local& work, const Tile& tile) {
    AscendC::Muls(columns, FoldedRows<Operator>(x, work, tile), 1.0f, tile.columns);
}

// Combines a part of the columns with the parts before it.
template <typename Operator>
__aicore__ inline void AddColumns(const Local& total, const Local& x, const Local& work, const Tile& tile, bool first) {
    const Local folded = FoldedRows<Operator>(x, work, tile);
    if (first) {
        AscendC::Muls(total, folded, 1.0f, tile.columns);
    } else {
        Operator::Run(total, total, folded, tile.columns);
    }
}

// The second pipe of the event waits for the first.
template <AscendC::HardEvent event>
__aicore__ inline void WaitFor() {
    const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(done);
    AscendC::WaitFlag<event>(done);
}

// The layout of reductions of parts in the workspace: so many elements each, at this distance.
struct Partials {
    uint32_t width;
    uint32_t step;
};

// Writes a reduction of a part to the workspace. The caller orders it behind the vector unit.
__aicore__ inline void StoreTotal(const Global& partial, const Local& total, uint32_t width) {
    AscendC::DataCopyPad(partial, total, {1, static_cast<uint32_t>(width * sizeof(float)), 0, 0, 0});
}

// Combines the reductions of `count` parts in the workspace, in the same order as AddPart and AddColumns. `blocks` is
// work space.
template <typename Operator>
__aicore__ inline void CombineParts(const Local& total, const Global& partials, const Local& blocks,
                                    const Partials& layout, int64_t count) {
    const uint32_t pitch = tile_io::RoundUp(layout.width, kBlock);
    AscendC::DataCopyExtParams copy{};
    copy.blockLen = layout.width * sizeof(float);
    copy.srcStride = (layout.step - layout.width) * sizeof(float);
    for (int64_t first = 0; first < count; first += copy.blockCount) {
        copy.blockCount = static_cast<uint16_t>(tile_io::AtMost(count - first, kBlockFloats / pitch));
        AscendC::PipeBarrier<PIPE_ALL>();  // `blocks` is in use until here
        AscendC::DataCopyPad(blocks, partials[first * layout.step], copy, AscendC::DataCopyPadExtParams<float>());
        WaitFor<AscendC::HardEvent::MTE2_V>();
        for (uint32_t part = 0; part < copy.blockCount; part++) {
            if (first + part == 0) {
                AscendC::Muls(total, blocks, 1.0f, layout.width);
            } else {
                Operator::Run(total, total, blocks[part * pitch], layout.width);
            }
        }
    }
}

// Fills a block with the value of each row.
__aicore__ inline void FillBlocks(const Local& blocks, const Local& rows, uint32_t rowCount) {
    AscendC::Brcb(blocks, rows, static_cast<uint8_t>((rowCount + kBlock - 1) / kBlock), {1, kBlock});
}

// One instruction of WithRows. Strides are those between repeats, in blocks.
template <typename Operator, bool kRowsFirst>
__aicore__ inline void RunWithBlocks(const Local& result, const Local& x, const Local& blocks, uint32_t lanes,
                                     uint32_t repeats, uint8_t stride, uint8_t blockStride) {
    if constexpr (kRowsFirst) {
        Operator::Run(result, blocks, x, lanes, static_cast<uint8_t>(repeats), {1, 0, 1, stride, blockStride, stride});
    } else {
        Operator::Run(result, x, blocks, lanes, static_cast<uint8_t>(repeats), {1, 1, 0, stride, stride, blockStride});
    }
}

// An operator on a tile and the value of each row, in this order or, with `kRowsFirst`, in the other: on one row after
// the other, or down the rows. `blocks` is work space.
template <typename Operator, bool kRowsFirst = false>
__aicore__ inline void WithRows(const Local& result, const Local& x, const Local& rows, const Local& blocks,
                                const Tile& tile) {
    FillBlocks(blocks, rows, tile.rows);
    if (DownRows(tile, tile.columns)) {
        const uint8_t stride = static_cast<uint8_t>(tile.pitch / kBlock);
        for (uint32_t start = 0; start < tile.columns; start += kLanes) {
            const uint32_t lanes = tile_io::AtMost(tile.columns - start, kLanes);
            RunWithBlocks<Operator, kRowsFirst>(result[start], x[start], blocks, lanes, tile.rows, stride, 1);
        }
        return;
    }
    for (uint32_t row = 0; row < tile.rows; row++) {
        const Local block = blocks[row * kBlock];
        const uint32_t end = row * tile.pitch + tile.columns;
        for (uint32_t start = row * tile.pitch; start < end;) {
            const uint32_t repeats = tile_io::AtMost((end - start) / kLanes, kMostRepeats);
            const uint32_t lanes = repeats > 0 ? kLanes : end - start;
            RunWithBlocks<Operator, kRowsFirst>(result[start], x[start], block, lanes, repeats > 0 ? repeats : 1,
                                                kLanes / kBlock, 0);
            start += repeats > 0 ? repeats * kLanes : lanes;
        }
    }
}

// A tile with the value of each row in the whole row. `blocks` is work space.
__aicore__ inline void Spread(const Local& result, const Local& rows, const Local& blocks, const Tile& tile) {
    WithRows<Second>(result, result, rows, blocks, tile);
}

}  // namespace row_math

#endif  // ROW_MATH_H
