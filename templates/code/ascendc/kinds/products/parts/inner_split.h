// Decides whether cube cores share the sums of a product: each multiplies a part of K, and the parts are added. C++11.
#ifndef INNER_SPLIT_H
#define INNER_SPLIT_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include "matmul_split.h"

namespace inner_split {

using host_tiling::CeilDiv;
using host_tiling::Limited;
using host_tiling::Number;
using host_tiling::Plan;
using host_tiling::Reason;
using host_tiling::RoundUp;
using matmul_split::Operands;
using matmul_split::Sizes;
using matmul_split::Split;

constexpr int64_t kAddBuffers = 2;      // of each queue of the kernel's Adder
constexpr int64_t kAddStep = 128;       // its buffers hold a multiple of this
constexpr int64_t kFinishedRows = 128;  // most rows of a tile in which vector cores finish the results
constexpr int64_t kMeeting = 15000000;  // the time until all cores have met, in the unit of CostOf

// The most elements of a part: copies count the bytes from part to part in 32 bits.
constexpr int64_t kMostElements = 1 << 30;

// The parts of K. Each but the last one has `inner` elements of K. A part of a product takes `elements` in the
// workspace. The buffers that add parts hold `addElements` of each. With one part, the cores share no sums.
struct Parts {
    int64_t count;
    int64_t inner;
    int64_t elements;
    int64_t addElements;
};

// At most `most` parts. Parts begin with a line of memory.
inline Parts PartsOf(const Sizes& sizes, const Operands& operands, int64_t most, int64_t ubBytes) {
    const int64_t step = matmul_split::kLine / matmul_split::BytesOf(operands.type);
    const int64_t steps = CeilDiv(sizes.inner, step);
    Parts parts = Parts();
    parts.inner = CeilDiv(steps, std::max<int64_t>(most, 1)) * step;
    parts.count = CeilDiv(sizes.inner, parts.inner);
    parts.elements = RoundUp(sizes.rows * sizes.columns, kAddStep);
    const int64_t bytes = parts.count * static_cast<int64_t>(sizeof(float)) + matmul_split::BytesOf(operands.product);
    parts.addElements = ubBytes / (kAddBuffers * bytes) / kAddStep * kAddStep;
    return parts;
}

// The time to load the elements of an operand's rows or columns, `lines` of `all`, for one element of K. `across`: they
// lie in a row of memory, which takes as long as 550 bytes more unless it is a whole row. Otherwise each line lies in
// memory along K.
inline int64_t LoadOf(int64_t lines, int64_t all, int64_t bytes, bool across) {
    if (!across) {
        return 70 * bytes * lines;
    }
    return lines < all ? 37 * bytes * (lines + matmul_split::Crossed(lines, bytes)) + 20480 : 37 * bytes * all;
}

// The time with these parts, for all of K. The unit is a cube core's time for a multiplication of 16-bit elements: 2000
// are 0.27 ns. The busiest core multiplies its parts of tiles. All cores together move each operand through HBM once: 6
// for each byte. The parts of a product are written to L2 and read as if from HBM, in float32: 32 for each element. The
// cores wait for each other and start once more: about 2 us.
inline int64_t CostOf(const Sizes& sizes, const Operands& operands, int64_t tileRows, int64_t tileColumns,
                      int64_t cubes, const Parts& parts) {
    const int64_t bytes = matmul_split::BytesOf(operands.type);
    const int64_t rowTiles = CeilDiv(sizes.rows, tileRows);
    const int64_t columnTiles = CeilDiv(sizes.columns, tileColumns);
    const int64_t multiplied = tileRows * tileColumns * (bytes == 4 ? 4 : 1);
    const int64_t loaded =
        LoadOf(std::min(tileRows, sizes.rows), sizes.rows, bytes, operands.leftTransposed) +
        LoadOf(std::min(tileColumns, sizes.columns), sizes.columns, bytes, !operands.rightTransposed);
    const int64_t waves = CeilDiv(rowTiles * columnTiles * parts.count, cubes);
    const int64_t core = waves * (multiplied + loaded) * parts.inner;
    const int64_t moreRows = operands.leftTransposed ? rowTiles * matmul_split::Crossed(tileRows, bytes) : 0;
    const int64_t moreColumns = operands.rightTransposed ? 0 : columnTiles * matmul_split::Crossed(tileColumns, bytes);
    const int64_t lines = sizes.rows + sizes.columns + moreRows / columnTiles + moreColumns / rowTiles;
    const int64_t moved = 6 * bytes * lines * sizes.inner;
    const int64_t added = parts.count > 1 ? kMeeting + sizes.products * 32 * parts.count * parts.elements : 0;
    return sizes.products * std::max(core, moved) + added;
}

// Refuses a plan with parts of K that the kernel cannot make or add.
inline std::string CheckParts(const Sizes& sizes, const Operands& operands, int64_t ubBytes, const Plan& plan) {
    const Parts parts = PartsOf(sizes, operands, plan.innerParts, ubBytes);
    if (parts.count != plan.innerParts) {
        return Reason("a plan has %lld parts of K: %lld elements make %lld parts of %lld, in whole lines of memory",
                      Number(plan.innerParts), Number(sizes.inner), Number(parts.count), Number(parts.inner));
    }
    if (parts.addElements <= 0) {
        return Reason("a plan has %lld parts of K: %lld bytes of UB cannot add so many", Number(plan.innerParts),
                      Number(ubBytes));
    }
    if (parts.elements > kMostElements) {
        return Reason("a plan has %lld parts of K, with %lld elements each: copies step over %lld at most",
                      Number(plan.innerParts), Number(parts.elements), Number(kMostElements));
    }
    if (plan.tileGroup > 1) {
        return Reason("a plan has %lld parts of K and takes %lld rows of tiles together: it can have one of them",
                      Number(plan.innerParts), Number(plan.tileGroup));
    }
    return "";
}

// Shares the sums if that takes a quarter less time, as for few tiles and a long K; the tiles may then be larger than
// without. Smaller gains may be none: the cost does not know where rows of memory begin in their lines. With a plan's
// number of parts, a core may multiply several of them, one after the other.
inline std::string SplitInner(const Sizes& sizes, const Operands& operands, int64_t allCubes, int64_t ubBytes,
                              const Plan& plan, Split* split, Parts* parts) {
    *parts = {1, sizes.inner, 0, 0};
    const int64_t cubes = Limited(allCubes, plan.cores);
    const int64_t leastTiles =
        CeilDiv(sizes.rows, matmul_split::kLowRows) * CeilDiv(sizes.columns, matmul_split::kMaxTileColumns);
    const bool chosen = plan.innerParts > 1;
    const bool few = 2 * leastTiles <= cubes && plan.tileGroup <= 1;
    if (sizes.inner == 0 || leastTiles == 0 || plan.innerParts == 1 || !(chosen || few)) {
        return "";
    }
    const std::string wrong = chosen ? CheckParts(sizes, operands, ubBytes, plan) : "";
    if (!wrong.empty()) {
        return wrong;
    }
    const int64_t fractal = matmul_split::kFractal;
    const int64_t mostRows =
        std::min(RoundUp(Limited(sizes.rows, plan.tileRows), fractal), matmul_split::MostTileRows(operands));
    const int64_t mostColumns =
        std::min(RoundUp(Limited(sizes.columns, plan.tileColumns), fractal), matmul_split::kMaxTileColumns);
    int64_t least = chosen ? std::numeric_limits<int64_t>::max()
                           : CostOf(sizes, operands, split->tileRows, split->tileColumns, cubes, *parts) / 4 * 3;
    for (int64_t rows = mostRows; rows >= (plan.tileRows > 0 ? mostRows : fractal); rows -= fractal) {
        const int64_t widest = matmul_split::WidestTile(rows, mostColumns);
        for (int64_t columns = widest; columns >= (plan.tileColumns > 0 ? widest : fractal); columns -= fractal) {
            const int64_t columnTiles = CeilDiv(sizes.columns, columns);
            const int64_t tiles = CeilDiv(sizes.rows, rows) * columnTiles;
            const Parts candidate = PartsOf(sizes, operands, chosen ? plan.innerParts : cubes / tiles, ubBytes);
            const int64_t cost = CostOf(sizes, operands, rows, columns, cubes, candidate);
            const bool suits = chosen || (tiles <= cubes && candidate.count > 1 && candidate.addElements > 0);
            if (suits && (cost < least || (cost == least && split->tileRows > matmul_split::kLowRows))) {
                least = cost;
                *parts = candidate;
                split->tileRows = rows;
                split->tileColumns = columns;
                split->columnTiles = columnTiles;
                split->tileCount = tiles;
                split->blocks = split->workers = static_cast<uint32_t>(std::min(tiles * candidate.count, cubes));
            }
        }
    }
    return "";
}

// The tiles in which so many vector cores add the parts and finish the results.
inline Split SplitFinished(const Sizes& sizes, int64_t vectors) {
    Split split = Split();
    split.tileColumns = kAddStep;
    split.columnTiles = CeilDiv(sizes.columns, split.tileColumns);
    split.tileRows = std::min(CeilDiv(sizes.rows * split.columnTiles, vectors), kFinishedRows);
    split.tileCount = CeilDiv(sizes.rows, split.tileRows) * split.columnTiles;
    split.workers = static_cast<uint32_t>(std::min(split.tileCount, vectors));
    return split;
}

// Computes the cube core's tiling for one part of one tile.
inline std::string TileForCube(const platform_ascendc::PlatformAscendC& platform, const Sizes& sizes, Operands operands,
                               const Split& split, const Parts& parts, const Plan& plan, TCubeTiling* cube) {
    if (parts.count > 1) {
        operands.product = matmul_tiling::DataType::DT_FLOAT;
    }
    const std::string unsuited = matmul_split::TileForCube(platform, sizes, operands, split, plan, cube);
    if (!unsuited.empty()) {
        return unsuited;
    }
    cube->singleCoreK = static_cast<int32_t>(parts.inner);
    return matmul_split::FillL1(platform, operands.type, plan, cube);
}

}  // namespace inner_split

#endif  // INNER_SPLIT_H
