// Splits the products of an op over the cores: tiles of the output, and the cube core's tiling of a tile. C++11.
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
using host_tiling::Limited;
using host_tiling::Number;
using host_tiling::Plan;
using host_tiling::Reason;
using host_tiling::RoundUp;

constexpr int64_t kMaxTileRows = 256;
constexpr int64_t kMaxTileColumns = 256;
constexpr int64_t kTileElements = 32768;  // of the tile that CANN recommends, 128 x 256: in float32 it fills L0C
constexpr int64_t kLowRows = 128;         // of a tile with the most columns
constexpr int64_t kLine = 512;            // bytes of memory that are moved together
constexpr int64_t kFractal = 16;          // tile sizes are multiples of this
constexpr int64_t kEpilogueStep = 256;    // the epilogue's buffers hold a multiple of this: whole blocks for Compare
constexpr int64_t kSlots = 2;             // a vector core's tiles in the workspace: one is written, one is read
constexpr uint32_t kVectorsPerCube = 2;   // KERNEL_TYPE_MIX_AIC_1_2
constexpr int64_t kMaxCopiedRows = 4095;  // DataCopyPad's blockCount
constexpr int64_t kMaxRowStep = 1 << 29;  // row distance of a copy, in elements: DataCopyPad counts bytes in 32 bits

{% if coupled %}
constexpr int64_t kCoupledSide = 128;  // largest tile for which UB can hold two while a coupled core converts formats
constexpr int64_t kCoupledRows = 32;   // this many rows of any output end at the end of a data cache line

{% endif %}
// The number of products, and their sizes: a matrix of rows x inner elements times one of inner x columns elements.
// `finished`: what follows the products is computed tile by tile.
struct Sizes {
    int64_t products;
    bool finished;
    int64_t rows;
    int64_t inner;
    int64_t columns;
};

constexpr matmul_tiling::DataType kNoBias = matmul_tiling::DataType::DT_UNDEFINED;

// The type of the operands, which of them are stored transposed, and the type of the products in memory.
struct Operands {
    matmul_tiling::DataType type;
    bool leftTransposed;
    bool rightTransposed;
    matmul_tiling::DataType product;
    matmul_tiling::DataType bias;  // what the sums begin with, or kNoBias
};

{% if coupled %}
// The structure of an AI Core. `coupled`: one core is both cube core and vector core, uses `formattingUb` bytes of its
// UB to convert formats, and has no DataCopyPad.
struct Cores {
    bool coupled;
    int64_t vectorsPerCube;
    int64_t maxTileRows;
    int64_t maxTileColumns;
    int64_t formattingUb;
};

inline Cores CoresOf(const platform_ascendc::PlatformAscendC& platform) {
    if (platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P) {
        const int64_t tileBytes = kCoupledSide * kCoupledSide * static_cast<int64_t>(sizeof(float));
        return {true, 1, kCoupledSide, kCoupledSide, 2 * tileBytes};
    }
    return {false, kVectorsPerCube, kMaxTileRows, kMaxTileColumns, 0};
}

// The output in tiles. `workers` vector cores in `blocks` blocks share the tiles, in groups of `together` tiles.
{% else %}
// The output in tiles. `workers` vector cores in `blocks` blocks share the tiles.
{% endif %}
struct Split {
    int64_t tileRows;
    int64_t tileColumns;
    int64_t columnTiles;
    int64_t tileCount;
    uint32_t blocks;
    uint32_t workers;
    uint32_t group;  // rows of tiles that are taken together, column by column
{% if coupled %}
    uint32_t together;
{% endif %}
};

// Refuses sizes that CANN's 32-bit tiling cannot count.
inline std::string CheckSizes(const Sizes& sizes) {
    const int64_t most = std::numeric_limits<int32_t>::max();
    if (sizes.rows <= most && sizes.inner <= most && sizes.columns <= most) {
        return "";
    }
    return Reason("a product of [%lld, %lld] with [%lld, %lld] has a dimension beyond %lld", Number(sizes.rows),
                  Number(sizes.inner), Number(sizes.inner), Number(sizes.columns), Number(most));
}

inline int64_t BytesOf(matmul_tiling::DataType type) { return type == matmul_tiling::DataType::DT_FLOAT ? 4 : 2; }

// The most rows of a tile. Tiles of more than kLowRows have fewer columns, and would read short pieces of B's rows if
// those did not lie along K.
inline int64_t MostTileRows(const Operands& operands) { return operands.rightTransposed ? kMaxTileRows : kLowRows; }

// The columns, at most `most`, of the widest tile with so many rows that L0C holds.
inline int64_t WidestTile(int64_t rows, int64_t most) {
    return std::min(most, kTileElements / rows / kFractal * kFractal);
}

// The elements by which rows of a tile of so many elements reach into one more line of memory than they fill, on
// average: these are moved, too.
inline int64_t Crossed(int64_t elements, int64_t elementBytes) {
    const int64_t bytes = elements * elementBytes;
    const int64_t step = bytes & -bytes;  // rows begin at multiples of it
    return bytes % kLine == 0 ? 0 : (bytes % kLine - step) * std::min(bytes, kLine) / kLine / elementBytes;
}

// The time with tiles of this size; the unit is a cube core's time for an element of the output. The busiest core
// multiplies, and loads operands: 140 for each row and column of a tile. All cores together move each operand through
// HBM once: 4 for each byte of K. Nothing overlaps what follows the products of the last tile: 1500 for each of its
// elements, if K were 1.
inline int64_t CostOf(const Sizes& sizes, const Operands& operands, int64_t tileRows, int64_t tileColumns,
                      int64_t cubes) {
    const int64_t bytes = BytesOf(operands.type);
    const int64_t moreRows = operands.leftTransposed ? Crossed(tileRows, bytes) : 0;
    const int64_t moreColumns = operands.rightTransposed ? 0 : Crossed(tileColumns, bytes);
    const int64_t rowTiles = std::max<int64_t>(CeilDiv(sizes.rows, tileRows), 1);
    const int64_t columnTiles = std::max<int64_t>(CeilDiv(sizes.columns, tileColumns), 1);
    const int64_t elements = tileRows * tileColumns;
    const int64_t loaded = tileRows + moreRows + tileColumns + moreColumns;
    const int64_t core = CeilDiv(rowTiles * columnTiles, cubes) * (elements + 140 * loaded);
    const int64_t moved =
        sizes.rows + sizes.columns + rowTiles * moreRows / columnTiles + columnTiles * moreColumns / rowTiles;
    const int64_t after = sizes.finished ? 1500 * elements / std::max<int64_t>(sizes.inner, 1) : 0;
    return sizes.products * std::max(core, 4 * bytes * moved) + after;
}

{% if coupled %}
// Chooses the tile size with the lowest cost for the busiest core, unless the plan has one; of equal costs the largest,
// but one of more than kLowRows only if it is better. If there is little work, tiles shrink until every cube core has
// one. Row ends that do not fill a block are written through the data cache, and two cores must not share a line of it.
// In that case whole rows of tiles stay together and end at the end of a line.
inline Split SplitTiles(const Sizes& sizes, const Operands& operands, int64_t allCubes, const Cores& cores,
                        int64_t rowStep, const Plan& plan) {
    Split split = Split();
    const bool together = cores.coupled && sizes.columns % rowStep != 0;
    const int64_t rowUnit = together ? kCoupledRows : kFractal;
    const int64_t cubes = Limited(allCubes, plan.cores);
    const int64_t highest = std::min(cores.maxTileRows, MostTileRows(operands));
    const int64_t mostRows =
        std::min(RoundUp(Limited(std::max<int64_t>(sizes.rows, 1), plan.tileRows), rowUnit), highest);
    const int64_t mostColumns = std::min(
        RoundUp(Limited(std::max<int64_t>(sizes.columns, 1), plan.tileColumns), kFractal), cores.maxTileColumns);
    const int64_t leastRows = plan.tileRows > 0 ? mostRows : rowUnit;
{% else %}
// Chooses the tile size with the lowest cost for the busiest core, unless the plan has one; of equal costs the largest,
// but one of more than kLowRows only if it is better. If there is little work, tiles shrink until every cube core has
// one.
inline Split SplitTiles(const Sizes& sizes, const Operands& operands, int64_t allCubes, const Plan& plan) {
    Split split = Split();
    const int64_t cubes = Limited(allCubes, plan.cores);
    const int64_t mostRows =
        std::min(RoundUp(Limited(std::max<int64_t>(sizes.rows, 1), plan.tileRows), kFractal), MostTileRows(operands));
    const int64_t mostColumns =
        std::min(RoundUp(Limited(std::max<int64_t>(sizes.columns, 1), plan.tileColumns), kFractal), kMaxTileColumns);
    const int64_t leastRows = plan.tileRows > 0 ? mostRows : kFractal;
{% endif %}
    const int64_t leastColumns = plan.tileColumns > 0 ? mostColumns : kFractal;
    int64_t least = std::numeric_limits<int64_t>::max();
{% if coupled %}
    for (int64_t rows = mostRows; rows >= leastRows; rows -= rowUnit) {
{% else %}
    for (int64_t rows = mostRows; rows >= leastRows; rows -= kFractal) {
{% endif %}
        const int64_t widest = WidestTile(rows, mostColumns);
        for (int64_t columns = widest; columns >= std::min(leastColumns, widest); columns -= kFractal) {
            const int64_t cost = CostOf(sizes, operands, rows, columns, cubes);
            if (cost < least || (cost == least && split.tileRows > kLowRows)) {
                least = cost;
                split.tileRows = rows;
                split.tileColumns = columns;
            }
        }
    }
    split.columnTiles = CeilDiv(sizes.columns, split.tileColumns);
    const int64_t rowTiles = CeilDiv(sizes.rows, split.tileRows);
    split.tileCount = rowTiles * split.columnTiles;
    split.group = static_cast<uint32_t>(std::max<int64_t>(std::min(rowTiles, plan.tileGroup), 1));
{% if coupled %}
    split.together = static_cast<uint32_t>(together ? std::max<int64_t>(split.columnTiles, 1) : 1);
    const int64_t shares = split.tileCount / split.together;
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(std::min(shares, cubes), 1));
    split.workers = static_cast<uint32_t>(std::min<int64_t>(shares, split.blocks * cores.vectorsPerCube));
{% else %}
    split.blocks = static_cast<uint32_t>(std::max<int64_t>(std::min(split.tileCount, cubes), 1));
    split.workers = static_cast<uint32_t>(std::min<int64_t>(split.tileCount, split.blocks * kVectorsPerCube));
{% endif %}
    return split;
}

// The number of rows of a tile that the epilogue processes at once. Its buffers hold `elements` elements. The distance
// between rows is a multiple of `rowStep` elements.
inline uint32_t EpilogueRows(const Sizes& sizes, const Split& split, int64_t elements, int64_t rowStep) {
    const int64_t pitch = RoundUp(split.tileColumns, rowStep);
    const int64_t rows = sizes.columns > kMaxRowStep ? 1 : std::min(elements / pitch, kMaxCopiedRows);
    return static_cast<uint32_t>(std::min(rows, split.tileRows));
}

// Bytes of user workspace: two tiles of every product for each active vector core, for any size of the output.
inline size_t WorkspaceBytes(const Split& split, int64_t products) {
    return static_cast<size_t>(split.workers * kSlots * products * split.tileRows * split.tileColumns * sizeof(float));
}

// Loads as many blocks of K at once as L1 holds twice: one load arrives while the other is multiplied. If L1 holds all
// of K, there is one load. A plan may load fewer blocks at once, or more, which L1 then holds once. A and B are loaded
// together, as the MDL template needs it. Refuses a plan that loads more than L1 or K has.
inline std::string FillL1(const platform_ascendc::PlatformAscendC& platform, matmul_tiling::DataType type,
                          const Plan& plan, TCubeTiling* cube) {
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, room);
    const int64_t blocks = CeilDiv(cube->singleCoreK, cube->baseK);
    const int64_t blockBytes = int64_t{cube->baseM + cube->baseN} * cube->baseK * BytesOf(type);
    const int64_t biasBytes = cube->isBias != 0 ? cube->baseN * int64_t{sizeof(float)} : 0;
    const int64_t most = std::max<int64_t>((static_cast<int64_t>(room) - biasBytes) / blockBytes, 1);
    const int64_t usual = most >= blocks ? blocks : std::max<int64_t>(most / 2, 1);
    const int64_t step = plan.loadBlocks > 0 ? plan.loadBlocks : usual;
    if (step > std::min(most, blocks)) {
        return Reason("a plan loads %lld blocks of K at once: K has %lld, of %lld elements, and L1 holds %lld",
                      Number(step), Number(blocks), Number(cube->baseK), Number(most));
    }
    cube->stepKa = cube->stepKb = static_cast<int32_t>(step);
    cube->depthA1 = cube->depthB1 = static_cast<int32_t>(step < blocks && 2 * step <= most ? 2 * step : step);
    cube->shareL1Size = static_cast<int32_t>(cube->depthA1 * blockBytes + biasBytes);
    return "";
}

// Computes the cube core's tiling for one tile of a product. The tile is read from the whole operands.
{% if coupled %}
inline std::string TileForCube(const platform_ascendc::PlatformAscendC& platform, const Sizes& sizes,
                               const Operands& operands, const Split& split, const Cores& cores, const Plan& plan,
                               TCubeTiling* cube) {
{% else %}
inline std::string TileForCube(const platform_ascendc::PlatformAscendC& platform, const Sizes& sizes,
                               const Operands& operands, const Split& split, const Plan& plan, TCubeTiling* cube) {
{% endif %}
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    const int32_t rows = static_cast<int32_t>(sizes.rows);
    const int32_t inner = static_cast<int32_t>(sizes.inner);
    const int32_t columns = static_cast<int32_t>(sizes.columns);
{% if coupled %}
    const int32_t tileRows = static_cast<int32_t>(std::min(split.tileRows, RoundUp(sizes.rows, kFractal)));
{% else %}
    const int32_t tileRows = static_cast<int32_t>(split.tileRows);
{% endif %}
    const int32_t tileColumns = static_cast<int32_t>(split.tileColumns);
    matmul_tiling::MultiCoreMatmulTiling tiling(platform);
    tiling.SetDim(static_cast<int32_t>(split.workers));
    tiling.SetAType(TPosition::GM, CubeFormat::ND, operands.type, operands.leftTransposed);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, operands.type, operands.rightTransposed);
{% if coupled %}
    tiling.SetCType(TPosition::GM, CubeFormat::ND_ALIGN, operands.product);
{% else %}
    tiling.SetCType(TPosition::GM, CubeFormat::ND, operands.product);
{% endif %}
    tiling.SetShape(rows, columns, inner);
    tiling.SetOrgShape(rows, columns, inner);
    tiling.SetSingleShape(tileRows, tileColumns, inner);
    tiling.SetFixSplit(tileRows, tileColumns, -1);
{% if coupled %}
    tiling.SetBufferSpace(-1, -1, cores.coupled ? static_cast<int32_t>(cores.formattingUb) : -1);
    tiling.SetMatmulConfigParams(cores.coupled ? 0 : 1);  // 0: Norm, 1: MDL, as in the kernel
{% else %}
    tiling.SetBufferSpace(-1, -1, -1);
    tiling.SetMatmulConfigParams(1);  // MDL, as in the kernel
{% endif %}
    tiling.EnableBias(operands.bias != kNoBias);
    if (operands.bias != kNoBias) {
        tiling.SetBiasType(TPosition::GM, CubeFormat::ND, operands.bias);
    }
    if (tiling.GetTiling(*cube) == -1) {
        return Reason("CANN finds no tiling for tiles of %d x %d of a product of [%d, %d] with [%d, %d]", tileRows,
                      tileColumns, rows, inner, inner, columns);
    }
{% if coupled %}
    if (!cores.coupled) {
        return FillL1(platform, operands.type, plan, cube);
    }
    if (plan.loadBlocks > 0) {
        return Reason("a plan loads %lld blocks of K at once: cores that are both cube and vector core load one",
                      Number(plan.loadBlocks));
    }
    if (plan.tileGroup > 1 && split.together > 1) {
        return Reason("a plan takes %lld rows of tiles together: a row of %d elements stays on one core",
                      Number(plan.tileGroup), columns);
    }
    return "";
{% else %}
    return FillL1(platform, operands.type, plan, cube);
{% endif %}
}
{% if coupled %}

// The UB that Matmul needs to convert formats; 0 if the cube core's copies convert them.
inline uint32_t FormattingBytes(TCubeTiling* cube) {
    matmul_tiling::SysTilingTempBufSize sizes;
    MultiCoreMatmulGetTmpBufSizeV2(*cube, sizes);
    return static_cast<uint32_t>(sizes.ubSize);
}
{% endif %}

}  // namespace matmul_split

#endif  // MATMUL_SPLIT_H
