#ifndef VECTOR_ADD_KERNEL_H
#define VECTOR_ADD_KERNEL_H

#include "kernel_operator.h"
#include "opforge/tile_io.h"
#include "vector_add_tiling.h"

// z = x + y
//
// Elementwise with broadcasting, computed in float32 for all storage types.
template <typename TypeX, typename TypeY, typename TypeZ>
class VectorAddKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const VectorAddTilingData& tilingData,
                                AscendC::TPipe& pipe) {
        tiling = &tilingData;
        inQueueX.Init(pipe, x, kBuffers, tilingData.tileElements, tilingData.bypassL2 != 0);
        inQueueY.Init(pipe, y, kBuffers, tilingData.tileElements, tilingData.bypassL2 != 0);
        outQueueZ.Init(pipe, z, kBuffers, tilingData.tileElements);
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
    }

    // All shapes are equal: the core processes one range of elements.
    __aicore__ inline void ProcessFlat() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->elementsPerBlock, tiling->totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const uint32_t elementCount = tile_io::AtMost(end - offset, tiling->tileElements);
            const tile_io::Tile tile{1, elementCount, elementCount};
            const tile_io::Place place{offset, 0, 1};
            CopyIn(tile, place, place);
            Compute(tile, place, place);
            CopyOut(tile, offset, elementCount);
        }
    }

    // At least one input is broadcast: the core processes a sequence of tiles of rows and columns.
    __aicore__ inline void ProcessBroadcast() {
        const tile_io::TileGrid grid{tiling->outputShape, tiling->tileRows, tiling->tileColumns, tiling->rowTiles,
                                     tiling->columnTiles};
        const int64_t begin = tiling->tilesPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->tilesPerBlock, tiling->tileCount);
        for (int64_t tileNumber = begin; tileNumber < end; tileNumber++) {
            const tile_io::TileOrigin origin = tile_io::OriginOf(grid, tileNumber);
            const tile_io::Tile tile = tile_io::TileAt(grid, origin, kRowStep);
            const tile_io::Place xPlace = tile_io::PlaceAt(grid, origin, tiling->xStrides);
            const tile_io::Place yPlace = tile_io::PlaceAt(grid, origin, tiling->yStrides);
            CopyIn(tile, xPlace, yPlace);
            Compute(tile, xPlace, yPlace);
            CopyOut(tile, tile_io::OffsetInOutput(grid, origin), grid.shape[0]);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
    static constexpr uint32_t kBuffers = 2;
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<TypeX, TypeY, TypeZ>;
    // Indices of buffers of tiles. A tensor that is stored in its compute type needs none.
    static constexpr uint32_t kXBuffer = 0;
    static constexpr uint32_t kYBuffer = kXBuffer + tile_io::kBuffersOf<TypeX>;
    static constexpr uint32_t kTileBuffers = kYBuffer + tile_io::kBuffersOf<TypeY>;

    __aicore__ inline void CopyIn(const tile_io::Tile& tile, const tile_io::Place& xPlace,
                                  const tile_io::Place& yPlace) {
        inQueueX.CopyIn(tile, xPlace);
        inQueueY.CopyIn(tile, yPlace);
    }

    __aicore__ inline void Compute(const tile_io::Tile& tile, const tile_io::Place& xPlace,
                                   const tile_io::Place& yPlace) {
        const uint32_t elementCount = tile.Count();
        // A local tensor is overwritten after its last use.
        AscendC::LocalTensor<float> xLocal = inQueueX.DeQue(Buffer<float, kXBuffer>(), tile, xPlace);
        AscendC::LocalTensor<float> yLocal = inQueueY.DeQue(Buffer<float, kYBuffer>(), tile, yPlace);
        AscendC::LocalTensor<float> zLocal = outQueueZ.AllocTensor(xLocal);

        AscendC::Add(zLocal, xLocal, yLocal, elementCount);

        outQueueZ.EnQue(zLocal, elementCount);
        inQueueX.FreeTensor(xLocal);
        inQueueY.FreeTensor(yLocal);
    }

    __aicore__ inline void CopyOut(const tile_io::Tile& tile, int64_t offset, int64_t rowLength) {
        outQueueZ.CopyOut(tile, offset, rowLength);
    }

    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }

    const VectorAddTilingData* tiling;
    tile_io::InQueue<TypeX> inQueueX;
    tile_io::InQueue<TypeY> inQueueY;
    tile_io::OutQueue<TypeZ> outQueueZ;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
};

#endif  // VECTOR_ADD_KERNEL_H
