#ifndef SWI_GLU_GRAD_KERNEL_H
#define SWI_GLU_GRAD_KERNEL_H

#include "kernel_operator.h"
#include "tile_io.h"
#include "swi_glu_grad_tiling.h"

// t9 = sigmoid(gate)
// grad_gate = (grad_y * up) * (t9 * (1.0 + (gate * (1.0 - t9))))
// grad_up = grad_y * silu(gate)
//
// Element by element, with broadcasting, computed in float32 whatever the storage types.
template <typename TypeGradY, typename TypeGate, typename TypeUp, typename TypeGradGate, typename TypeGradUp>
class SwiGLUGradKernel {
public:
    __aicore__ inline void Init(GM_ADDR grad_y, GM_ADDR gate, GM_ADDR up, GM_ADDR grad_gate, GM_ADDR grad_up,
                                const SwiGLUGradTilingData& tilingData, AscendC::TPipe& tPipe) {
        tiling_ = &tilingData;
        gradYIn_.Init(tPipe, grad_y, kBuffers, tilingData.tileElements);
        gateIn_.Init(tPipe, gate, kBuffers, tilingData.tileElements);
        upIn_.Init(tPipe, up, kBuffers, tilingData.tileElements);
        gradGateOut_.Init(tPipe, grad_gate, kBuffers, tilingData.tileElements);
        gradUpOut_.Init(tPipe, grad_up, kBuffers, tilingData.tileElements);
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
            CopyIn(thisTile, thisPlace, thisPlace, thisPlace);
            Compute(thisTile, thisPlace, thisPlace, thisPlace);
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
            const tile_io::Place gradYPlace = tile_io::PlaceAt(theGrid, theOrigin, tiling_->gradYStrides);
            const tile_io::Place gatePlace = tile_io::PlaceAt(theGrid, theOrigin, tiling_->gateStrides);
            const tile_io::Place upPlace = tile_io::PlaceAt(theGrid, theOrigin, tiling_->upStrides);
            CopyIn(thisTile, gradYPlace, gatePlace, upPlace);
            Compute(thisTile, gradYPlace, gatePlace, upPlace);
            CopyOut(thisTile, tile_io::OffsetInOutput(theGrid, theOrigin), theGrid.shape[0]);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next is copied in and the last one out.
    static constexpr uint32_t kBuffers = 2;
    // Rows of a tile start a multiple of this many elements apart.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<TypeGradY, TypeGate, TypeUp, TypeGradGate, TypeGradUp>;
    // Places in tiles_. A tensor that is stored as it is computed takes none.
    static constexpr uint32_t kGradYBuffer = 0;
    static constexpr uint32_t kGateBuffer = kGradYBuffer + tile_io::kBuffersOf<TypeGradY>;
    static constexpr uint32_t kUpBuffer = kGateBuffer + tile_io::kBuffersOf<TypeGate>;
    static constexpr uint32_t kGradGateBuffer = kUpBuffer + tile_io::kBuffersOf<TypeUp>;
    static constexpr uint32_t kGradUpBuffer = kGradGateBuffer + tile_io::kBuffersOf<TypeGradGate>;
    static constexpr uint32_t kTileBuffers = kGradUpBuffer + tile_io::kBuffersOf<TypeGradUp>;

    __aicore__ inline void CopyIn(const tile_io::Tile& thisTile, const tile_io::Place& gradYPlace,
                                  const tile_io::Place& gatePlace, const tile_io::Place& upPlace) {
        gradYIn_.CopyIn(thisTile, gradYPlace);
        gateIn_.CopyIn(thisTile, gatePlace);
        upIn_.CopyIn(thisTile, upPlace);
    }

    __aicore__ inline void Compute(const tile_io::Tile& thisTile, const tile_io::Place& gradYPlace,
                                   const tile_io::Place& gatePlace, const tile_io::Place& upPlace) {
        const uint32_t elementCount = thisTile.Count();
        // Views are written over once they have been read for the last time.
        AscendC::LocalTensor<float> grad_y = gradYIn_.Open(Buffer<float, kGradYBuffer>(), thisTile, gradYPlace);
        AscendC::LocalTensor<float> gate = gateIn_.Open(Buffer<float, kGateBuffer>(), thisTile, gatePlace);
        AscendC::LocalTensor<float> up = upIn_.Open(Buffer<float, kUpBuffer>(), thisTile, upPlace);
        AscendC::LocalTensor<float> grad_gate = gradGateOut_.Open(Buffer<float, kGradGateBuffer>());
        AscendC::LocalTensor<float> grad_up = gradUpOut_.Open(Buffer<float, kGradUpBuffer>());

        AscendC::Muls(grad_up, gate, -1.0f, elementCount);
        AscendC::Exp(grad_up, grad_up, elementCount);
        AscendC::Adds(grad_up, grad_up, 1.0f, elementCount);
        AscendC::Div(grad_up, gate, grad_up, elementCount);
        AscendC::Mul(up, grad_y, up, elementCount);
        AscendC::Mul(grad_up, grad_y, grad_up, elementCount);
        AscendC::Muls(grad_y, gate, -1.0f, elementCount);
        AscendC::Exp(grad_y, grad_y, elementCount);
        AscendC::Adds(grad_y, grad_y, 1.0f, elementCount);
        AscendC::Duplicate(grad_gate, 1.0f, elementCount);
        AscendC::Div(grad_gate, grad_gate, grad_y, elementCount);
        AscendC::Muls(grad_y, grad_gate, -1.0f, elementCount);
        AscendC::Adds(grad_y, grad_y, 1.0f, elementCount);
        AscendC::Mul(grad_y, gate, grad_y, elementCount);
        AscendC::Adds(grad_y, grad_y, 1.0f, elementCount);
        AscendC::Mul(grad_gate, grad_gate, grad_y, elementCount);
        AscendC::Mul(grad_gate, up, grad_gate, elementCount);

        gradGateOut_.Close(grad_gate, elementCount);
        gradUpOut_.Close(grad_up, elementCount);
        gradYIn_.Close(grad_y);
        gateIn_.Close(gate);
        upIn_.Close(up);
    }

    __aicore__ inline void CopyOut(const tile_io::Tile& thisTile, int64_t offset, int64_t rowLength) {
        gradGateOut_.CopyOut(thisTile, offset, rowLength);
        gradUpOut_.CopyOut(thisTile, offset, rowLength);
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

    const SwiGLUGradTilingData* tiling_;
    tile_io::TileReader<TypeGradY> gradYIn_;
    tile_io::TileReader<TypeGate> gateIn_;
    tile_io::TileReader<TypeUp> upIn_;
    tile_io::TileWriter<TypeGradGate> gradGateOut_;
    tile_io::TileWriter<TypeGradUp> gradUpOut_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tiles_;
};

#endif  // SWI_GLU_GRAD_KERNEL_H
