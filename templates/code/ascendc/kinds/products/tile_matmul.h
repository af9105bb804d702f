// Passes tiles of matrix products from the cube core to the vector cores through the user workspace.
{% if coupled %}
// On the Atlas inference products (tile_io::kCoupled), one AI Core does both: it computes products on request and
// converts formats in the unified buffer. Rows in a slot consist of whole blocks, because it cannot write others. On
// other SoCs:
{% endif %}
// One AI Core is a cube core with two vector cores. A vector core requests the products of a tile by messages. The cube
// core computes them in the order of the messages, and writes them into a slot of the workspace that only this vector
// core uses. Each vector core has two slots: while one is filled, it works on the other.
#ifndef TILE_MATMUL_H
#define TILE_MATMUL_H

#include <cstdint>
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tile_io.h"

namespace tile_matmul {

constexpr uint32_t kSlots = 2;

// MDL loads several steps of K at once. With checks for matrices with a row distance of 65535 elements or more, which
// are loaded row by row, and with UnitFlag: a product leaves L0C while the next one is computed.
{% if coupled %}
inline constexpr MatmulConfig kConfig =
    tile_io::kCoupled ? GetNormalConfig(true) : GetMDLConfig(true, false, 0, false, false, false, true);
{% else %}
inline constexpr MatmulConfig kConfig = GetMDLConfig(true, false, 0, false, false, false, true);
{% endif %}

// The tiles of the output, numbered column by column within groups of `tileGroup` rows of tiles.
struct TileGrid {
    int64_t rowCount;
    int64_t columnCount;
    int64_t columnTiles;
    uint32_t tileRows;
    uint32_t tileColumns;
    uint32_t tileGroup = 1;
};

// The part of the output that a tile covers.
struct OutputTile {
    int64_t row;
    int64_t column;
    uint32_t rows;
    uint32_t columns;
};

__aicore__ inline OutputTile TileAt(const TileGrid& grid, int64_t tileNumber) {
    const int64_t groupTiles = grid.tileGroup * grid.columnTiles;
    const int64_t rowTiles = (grid.rowCount + grid.tileRows - 1) / grid.tileRows;
    const int64_t firstRow = tileNumber / groupTiles * grid.tileGroup;
    const int64_t groupRows = tile_io::Least(rowTiles - firstRow, grid.tileGroup);
    const int64_t row = (firstRow + tileNumber % groupTiles % groupRows) * grid.tileRows;
    const int64_t column = tileNumber % groupTiles / groupRows * grid.tileColumns;
    return {row, column, tile_io::AtMost(grid.rowCount - row, grid.tileRows),
            tile_io::AtMost(grid.columnCount - column, grid.tileColumns)};
}

// The tiles from `begin` up to, but not including, `end`.
struct Share {
    int64_t begin;
    int64_t end;
};

// The index of this vector core among the active ones. The first vector cores of all blocks come before the second
// ones, so that few tiles still use many cube cores.
__aicore__ inline int64_t WorkerNumber(uint32_t blockCount) {
{% if coupled %}
    if constexpr (tile_io::kCoupled) {
        return AscendC::GetBlockIdx();
    }
{% endif %}
    return AscendC::GetBlockIdx() / AscendC::GetTaskRation() + AscendC::GetSubBlockIdx() * blockCount;
}

{% if coupled %}
// Waits until the requested products are in their slots.
template <typename Object>
__aicore__ inline void WaitForProducts(Object& matmulObj) {
#if __NPU_ARCH__ == 2002
    whole_blocks::WaitFor<AscendC::HardEvent::MTE3_MTE2>();  // their writes, before the reads that follow
#else
    matmulObj.WaitIterateAll();
#endif
}

// The rows of products as a slot stores them: whole blocks.
__aicore__ inline tile_io::Tile WholeRows(const tile_io::Tile& rows) {
    const uint32_t perBlock = tile_io::kBlockBytes / sizeof(float);
    return {rows.rows, tile_io::RoundUp(rows.columns, perBlock), rows.pitch};
}

{% endif %}
// Each worker has the same number of tiles; the first ones have one more if there is a remainder.
__aicore__ inline Share ShareOf(int64_t worker, int64_t workerCount, int64_t tileCount) {
    if (worker >= workerCount) {
        return {0, 0};
    }
    const int64_t each = tileCount / workerCount;
    const int64_t longer = tileCount % workerCount;
    const int64_t begin = worker * each + tile_io::Least(worker, longer);
    return {begin, begin + each + (worker < longer ? 1 : 0)};
}

// A vector core's part of the user workspace: slots that each hold a tile of every product.
class Slots {
public:
    __aicore__ inline void Init(GM_ADDR userWorkspace, int64_t worker, uint32_t productCount, uint32_t tileElements) {
        this->productCount = productCount;
        this->tileElements = tileElements;
        base = userWorkspace + worker * kSlots * productCount * tileElements * static_cast<int64_t>(sizeof(float));
    }

    // The address of a product's tiles. OffsetOf counts elements from here.
    __aicore__ inline GM_ADDR ProductAddress(uint32_t product) const {
        return base + product * tileElements * static_cast<int64_t>(sizeof(float));
    }

    __aicore__ inline int64_t OffsetOf(uint32_t slot) const {
        return static_cast<int64_t>(slot) * productCount * tileElements;
    }

    // The memory into which the cube core writes a product's tile.
    __aicore__ inline AscendC::GlobalTensor<float> At(uint32_t slot, uint32_t product) const {
        AscendC::GlobalTensor<float> tile;
        tile.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(ProductAddress(product)) + OffsetOf(slot), tileElements);
        return tile;
    }

private:
    GM_ADDR base;
    uint32_t productCount;
    uint32_t tileElements;
};

}  // namespace tile_matmul

#endif  // TILE_MATMUL_H
