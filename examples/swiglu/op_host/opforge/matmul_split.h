// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The split of an op's products over the cores: tiles of the output, and the cube core's tiling of a tile. C++11.
#ifndef MATMUL_SPLIT_H
#define MATMUL_SPLIT_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include "host_tiling.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace matmul_split {

using host_tiling::CeilDiv;
using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::RoundUp;

constexpr int64_t kMaxTileRows = 128;  // the tile that CANN recommends; in float32 it fills L0C
constexpr int64_t kMaxTileColumns = 256;
constexpr int64_t kFractal = 16;          // tiles have a multiple of as many rows and columns
constexpr int64_t kEpilogueStep = 256;    // the epilogue's buffers hold a multiple of this: whole blocks for Compare
constexpr int64_t kSlots = 2;             // tiles of a vector core in the workspace: one is filled, one is read
constexpr uint32_t kVectorsPerCube = 2;   // KERNEL_TYPE_MIX_AIC_1_2
constexpr int64_t kMaxCopiedRows = 4095;  // DataCopyPad's blockCount
constexpr int64_t kMaxRowStep = 1 << 29;  // elements from row to row of a copy: DataCopyPad has 32 bits for the bytes

// The sizes of a product: rows x inner times inner x columns elements.
struct Sizes {
    int64_t rows;
    int64_t inner;
    int64_t columns;
};

// The operands' type, and which of them are stored the other way round.
struct Operands {
    matmul_tiling::DataType type;
    bool leftTransposed;
    bool rightTransposed;
};

// The output in tiles. Tiles are dealt to `workers` vector cores of `blocks` blocks.
struct Split {
    int64_t tileRows;
    int64_t tileColumns;
    int64_t columnTiles;
    int64_t tileCount;
    uint32_t blocks;
    uint32_t workers;
};

// CANN's tiling counts in 32-bit numbers.
inline std::string CheckSizes(const Sizes& sizes) {
    const int64_t most = std::numeric_limits<int32_t>::max();
    if (sizes.rows <= most && sizes.inner <= most && sizes.columns <= most) {
        return "";
    }
    return Reason("a product of [%lld, %lld] with [%lld, %lld] has a dimension beyond %lld", Number(sizes.rows),
                  Number(sizes.inner), Number(sizes.inner), Number(sizes.columns), Number(most));
}

// What the busiest cube core has to do with tiles of this size, in elements: multiplying costs as many as the tile has,
// and loading one step of both operands about as many as 85 rows or columns of it (128 x 256 is balanced).
inline int64_t CostOf(const Sizes& sizes, int64_t tileRows, int64_t tileColumns, int64_t cubes) {
    const int64_t tiles = CeilDiv(sizes.rows, tileRows) * CeilDiv(sizes.columns, tileColumns);
    return CeilDiv(tiles, cubes) * (tileRows * tileColumns + 85 * (tileRows + tileColumns));
}

// The tile size that costs the busiest core least; of equals the largest. Short of work, tiles become smaller until
// every cube core has one.
inline Split SplitTiles(const Sizes& sizes, int64_t cubes) {
    Split split = Split();
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t rows = std::min(RoundUp(std::max<int64_t>(sizes.rows, 1), kFractal), kMaxTileRows); rows > 0;
         rows -= kFractal) {
        for (int64_t columns = std::min(RoundUp(std::max<int64_t>(sizes.columns, 1), kFractal), kMaxTileColumns);
             columns > 0; columns -= kFractal) {
            const int64_t cost = CostOf(sizes, rows, columns, cubes);
            if (cost < least) {
                least = cost;
                split.tileRows = rows;
                split.tileColumns = columns;
            }
        }
    }
    split.columnTiles = CeilDiv(sizes.columns, split.tileColumns);
    split.tileCount = CeilDiv(sizes.rows, split.tileRows) * split.columnTiles;
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(std::min(split.tileCount, cubes), 1));
    split.workers = static_cast<uint32_t>(std::min<int64_t>(split.tileCount, split.blocks * kVectorsPerCube));
    return split;
}

// Rows of a tile that the epilogue takes at once, in buffers of so many elements, where rows start a multiple of
// `rowStep` elements apart.
inline uint32_t EpilogueRows(const Sizes& sizes, const Split& split, int64_t elements, int64_t rowStep) {
    const int64_t pitch = RoundUp(split.tileColumns, rowStep);
    const int64_t rows = sizes.columns > kMaxRowStep ? 1 : std::min(elements / pitch, kMaxCopiedRows);
    return static_cast<uint32_t>(std::min(rows, split.tileRows));
}

// Bytes of user workspace: two tiles of all products for each vector core that works, however large the output is.
inline size_t WorkspaceBytes(const Split& split, int64_t products) {
    return static_cast<size_t>(split.workers * kSlots * products * split.tileRows * split.tileColumns * sizeof(float));
}

// How the cube core computes one tile of a product, read from the whole operands and written in float32.
inline std::string TileForCube(const platform_ascendc::PlatformAscendC& platform, const Sizes& sizes,
                               const Operands& operands, const Split& split, TCubeTiling* cube) {
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    const int32_t rows = static_cast<int32_t>(sizes.rows);
    const int32_t inner = static_cast<int32_t>(sizes.inner);
    const int32_t columns = static_cast<int32_t>(sizes.columns);
    const int32_t tileRows = static_cast<int32_t>(split.tileRows);
    const int32_t tileColumns = static_cast<int32_t>(split.tileColumns);
    matmul_tiling::MultiCoreMatmulTiling tiling(platform);
    tiling.SetDim(static_cast<int32_t>(split.workers));
    tiling.SetAType(TPosition::GM, CubeFormat::ND, operands.type, operands.leftTransposed);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, operands.type, operands.rightTransposed);
    tiling.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    tiling.SetShape(rows, columns, inner);
    tiling.SetOrgShape(rows, columns, inner);
    tiling.SetSingleShape(tileRows, tileColumns, inner);
    tiling.SetFixSplit(tileRows, tileColumns, -1);
    tiling.SetBufferSpace(-1, -1, -1);
    tiling.EnableBias(false);
    if (tiling.GetTiling(*cube) == -1) {
        return Reason("CANN finds no tiling for tiles of %d x %d of a product of [%d, %d] with [%d, %d]", tileRows,
                      tileColumns, rows, inner, inner, columns);
    }
    return "";
}

}  // namespace matmul_split

#endif  // MATMUL_SPLIT_H
