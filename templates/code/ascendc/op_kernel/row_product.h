// The products of rows, as an operator of row_math. The vector unit has no instruction that multiplies the elements of
// a repeat: whole blocks are multiplied by whole blocks, and the eight products that are left of a row by each other.
//
// The order of the factors depends on the length of a row only, so the result has the same bits in every batch.
#ifndef ROW_PRODUCT_H
#define ROW_PRODUCT_H

#include <cstdint>
#include "kernel_operator.h"
#include "row_math.h"
#include "tile_io.h"

namespace row_math {

// Rows at most so far apart are multiplied block by block, eight rows in a repeat: a distance has eight bits.
constexpr uint32_t kShortPitch = 248;
// Rows whose products of lanes Product combines at once.
constexpr uint32_t kCombinedRows = 64;

struct Product {
    static __aicore__ inline float Nothing() { return 1.0f; }  // of no elements
    static __aicore__ inline void Run(const Local& result, const Local& a, const Local& b, uint32_t count) {
        AscendC::Mul(result, a, b, count);
    }
};

// Multiplies the first block of each row, of up to eight elements, into `blocks`, which follow each other.
__aicore__ inline void MultiplyBlocks(const Local& blocks, const Local& x, const Tile& tile) {
    constexpr uint64_t kFirstLanes = 0x0101010101010101;  // of each block
    const uint32_t whole = tile.rows / kBlock;
    const uint32_t rest = tile.rows % kBlock;
    const uint8_t step = static_cast<uint8_t>(tile.pitch / kBlock);
    const uint8_t stride = static_cast<uint8_t>(tile.pitch);  // of eight rows, in blocks
    constexpr uint8_t kNext = kLanes / kBlock;
    uint64_t lanes[2] = {kFirstLanes * ((1U << tile.columns) - 1), 0};
    if (whole > 0) {
        AscendC::Mul(blocks, blocks, x, lanes, static_cast<uint8_t>(whole), {1, 1, step, kNext, kNext, stride});
    }
    if (rest > 0) {
        const uint32_t done = whole * kBlock;
        lanes[0] &= (uint64_t{1} << (rest * kBlock)) - 1;
        AscendC::Mul(blocks[done * kBlock], blocks[done * kBlock], x[done * tile.pitch], lanes, 1,
                     {1, 1, step, kNext, kNext, stride});
    }
}

// Multiplies rows into those of `result`, at another distance.
__aicore__ inline void MultiplyRows(const Local& result, uint32_t pitch, const Local& x, const Tile& tile) {
    if (DownRows(tile, tile.columns)) {
        const uint8_t step = static_cast<uint8_t>(pitch / kBlock);
        const uint8_t stride = static_cast<uint8_t>(tile.pitch / kBlock);
        for (uint32_t start = 0; start < tile.columns; start += kLanes) {
            const uint64_t lanes = tile_io::AtMost(tile.columns - start, kLanes);
            AscendC::Mul(result[start], result[start], x[start], lanes, static_cast<uint8_t>(tile.rows),
                         {1, 1, 1, step, step, stride});
        }
        return;
    }
    for (uint32_t row = 0; row < tile.rows; row++) {
        AscendC::Mul(result[row * pitch], result[row * pitch], x[row * tile.pitch], tile.columns);
    }
}

// Multiplies the eight elements of each block: four times every fourth, then the two that are left. `work` is for two
// elements of each row, twice.
__aicore__ inline void CombineLanes(const Local& rows, const Local& blocks, const Local& work, uint32_t rowCount) {
    constexpr uint8_t kEven = 1;    // patterns of GatherMask
    constexpr uint8_t kOdd = 2;
    constexpr uint8_t kFourth = 3;  // from the first element on; then those from the second one on, and so forth
    const AscendC::GatherMaskParams inOrder{1, 1, kBlock, 0};
    uint64_t kept = 0;
    for (uint32_t first = 0; first < rowCount; first += kCombinedRows) {
        const uint32_t count = tile_io::AtMost(rowCount - first, kCombinedRows);
        const Local x = blocks[first * kBlock];
        const Local pairs = work;
        const Local others = work[tile_io::RoundUp(2 * count, kBlock)];
        const Local odd = others[tile_io::RoundUp(count, kBlock)];
        AscendC::GatherMask(pairs, x, kFourth, true, count * kBlock, inOrder, kept);
        for (uint8_t lane = 1; lane < 4; lane++) {
            AscendC::GatherMask(others, x, static_cast<uint8_t>(kFourth + lane), true, count * kBlock, inOrder, kept);
            AscendC::Mul(pairs, pairs, others, 2 * count);
        }
        AscendC::GatherMask(others, pairs, kEven, true, 2 * count, inOrder, kept);
        AscendC::GatherMask(odd, pairs, kOdd, true, 2 * count, inOrder, kept);
        AscendC::Mul(rows[first], others, odd, count);
    }
}

// The products of short rows: block by block.
__aicore__ inline void MultiplyShortRows(const Local& rows, const Local& x, const Local& work, const Tile& tile) {
    AscendC::Duplicate(work, Product::Nothing(), tile.rows * kBlock);
    for (uint32_t start = 0; start < tile.columns; start += kBlock) {
        const uint32_t lanes = tile_io::AtMost(tile.columns - start, kBlock);
        MultiplyBlocks(work, x[start], {tile.rows, lanes, tile.pitch});
    }
    CombineLanes(rows, work, work[tile.rows * kBlock], tile.rows);
}

// The products of long rows: pieces of equal width are multiplied by each other, then the halves of what is left, in
// whole blocks. `work` has room for a piece and a block of each row.
__aicore__ inline void MultiplyLongRows(const Local& rows, const Local& x, const Local& work, const Tile& tile,
                                        uint32_t width) {
    const Local blocks = work[tile.rows * width];
    AscendC::Duplicate(work, Product::Nothing(), tile.rows * (width + kBlock));
    for (uint32_t start = 0; start < tile.columns; start += width) {
        const uint32_t columns = tile_io::AtMost(tile.columns - start, width);
        MultiplyRows(work, width, x[start], {tile.rows, columns, tile.pitch});
    }
    uint32_t left = width;
    while (left > 2 * kBlock) {
        const uint32_t half = tile_io::RoundUp(left / 2, kBlock);
        MultiplyRows(work, width, work[half], {tile.rows, left - half, width});
        left = half;
    }
    MultiplyRows(blocks, kBlock, work, {tile.rows, kBlock, width});
    MultiplyRows(blocks, kBlock, work[kBlock], {tile.rows, kBlock, width});
    CombineLanes(rows, blocks, work, tile.rows);
}

// As for other operators. `levels` is work space.
template <>
__aicore__ inline void Reduce<Product>(const Local& rows, const Local& x, const Local& levels, const Tile& tile) {
    if (tile.pitch <= kShortPitch) {
        MultiplyShortRows(rows, x, levels, tile);
        return;
    }
    const uint32_t eighth = tile.columns / kLanes * kBlock;  // whole blocks
    const uint32_t width = eighth < kLanes ? kLanes : eighth;
    const uint32_t most = kBlockFloats / (width + kBlock);
    for (uint32_t first = 0; first < tile.rows; first += most) {
        const uint32_t count = tile_io::AtMost(tile.rows - first, most);
        MultiplyLongRows(rows[first], x[first * tile.pitch], levels, {count, tile.columns, tile.pitch}, width);
    }
}

// The largest of one element is the element.
template <>
__aicore__ inline void Finish<Product>(const Local& rows, const Local& total, uint32_t rowCount) {
    Finish<Max>(rows, total, rowCount);
}

}  // namespace row_math

#endif  // ROW_PRODUCT_H
