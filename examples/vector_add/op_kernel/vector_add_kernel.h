#ifndef VECTOR_ADD_KERNEL_H
#define VECTOR_ADD_KERNEL_H

#include "kernel_operator.h"
#include "tile_io.h"
#include "vector_add_tiling.h"

// z = x + y
//
// Element by element, with broadcasting, computed in float32 whatever the storage types.
template <typename TypeX, typename TypeY, typename TypeZ>
class VectorAddKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const VectorAddTilingData& tilingData,
                                AscendC::TPipe& tPipe) {
        tiling_ = &tilingData;
        xIn_.Init(tPipe, x, kBuffers, tilingData.tileElements);
        yIn_.Init(tPipe, y, kBuffers, tilingData.tileElements);
        zOut_.Init(tPipe, z, kBuffers, tilingData.tileElements);
        if constexpr (kTileBuffers > 0) {
            tPipe.InitBuffer(tiles_, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
    }

    // All shapes are equal: the core's part is one stretch of elements.
    __aicore__ inline void ProcessFlat() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling_->elementsPerBlock, tiling_->totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling_->tileElements) {
            const uint32_t elementCount = tile_io::AtMost(end - offset, tiling_->tileElements);
            const tile_io::Tile thisTile{1, elementCount, elementCount};
            const tile_io::Place thisPlace{offset, 0, 1};
            CopyIn(thisTile, thisPlace, thisPlace);
            Compute(thisTile, thisPlace, thisPlace);
            CopyOut(thisTile, offset, elementCount);
        }
    }

    // Some input is broadcast: the core's part is a run of tiles of rows and columns.
    __aicore__ inline void ProcessBroadcast() {
        const tile_io::TileGrid theGrid{tiling_->outputShape, tiling_->tileRows, tiling_->tileColumns,
                                        tiling_->rowTiles, tiling_->columnTiles};
        const int64_t begin = tiling_->tilesPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling_->tilesPerBlock, tiling_->tileCount);
        for (int64_t tileNumber = begin; tileNumber < end; tileNumber++) {
            const tile_io::TileOrigin theOrigin = tile_io::OriginOf(theGrid, tileNumber);
            const tile_io::Tile thisTile = tile_io::TileAt(theGrid, theOrigin, kRowStep);
            const tile_io::Place xPlace = tile_io::PlaceAt(theGrid, theOrigin, tiling_->xStrides);
            const tile_io::Place yPlace = tile_io::PlaceAt(theGrid, theOrigin, tiling_->yStrides);
            CopyIn(thisTile, xPlace, yPlace);
            Compute(thisTile, xPlace, yPlace);
            CopyOut(thisTile, tile_io::OffsetInOutput(theGrid, theOrigin), theGrid.shape[0]);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next is copied in and the last one out.
    static constexpr uint32_t kBuffers = 2;
    // Rows of a tile start a multiple of this many elements apart.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<TypeX, TypeY, TypeZ>;
    // Places in tiles_. A tensor that is stored as it is computed takes none.
    static constexpr uint32_t kXBuffer = 0;
    static constexpr uint32_t kYBuffer = kXBuffer + tile_io::kBuffersOf<TypeX>;
    static constexpr uint32_t kTileBuffers = kYBuffer + tile_io::kBuffersOf<TypeY>;

    __aicore__ inline void CopyIn(const tile_io::Tile& thisTile, const tile_io::Place& xPlace,
                                  const tile_io::Place& yPlace) {
        xIn_.CopyIn(thisTile, xPlace);
        yIn_.CopyIn(thisTile, yPlace);
    }

    __aicore__ inline void Compute(const tile_io::Tile& thisTile, const tile_io::Place& xPlace,
                                   const tile_io::Place& yPlace) {
        const uint32_t elementCount = thisTile.Count();
        // Views are written over once they have been read for the last time.
        AscendC::LocalTensor<float> x = xIn_.Open(Buffer<float, kXBuffer>(), thisTile, xPlace);
        AscendC::LocalTensor<float> y = yIn_.Open(Buffer<float, kYBuffer>(), thisTile, yPlace);
        AscendC::LocalTensor<float> z = zOut_.Open(x);

        AscendC::Add(z, x, y, elementCount);

        zOut_.Close(z, elementCount);
        xIn_.Close(x);
        yIn_.Close(y);
    }

    __aicore__ inline void CopyOut(const tile_io::Tile& thisTile, int64_t offset, int64_t rowLength) {
        zOut_.CopyOut(thisTile, offset, rowLength);
    }

    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tiles_.template Get<Computed>()[index * tiling_->tileElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }

    const VectorAddTilingData* tiling_;
    tile_io::TileReader<TypeX> xIn_;
    tile_io::TileReader<TypeY> yIn_;
    tile_io::TileWriter<TypeZ> zOut_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tiles_;
};

#endif  // VECTOR_ADD_KERNEL_H
