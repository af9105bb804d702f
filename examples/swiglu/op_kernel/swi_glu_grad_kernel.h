#ifndef SWI_GLU_GRAD_KERNEL_H
#define SWI_GLU_GRAD_KERNEL_H

#include "kernel_operator.h"
#include "opforge/tile_io.h"
#include "swi_glu_grad_tiling.h"

// t6 = silu(gate)
// grad_gate = (grad_y * up) * (sigmoid(gate) * (1.0 + (gate - t6)))
// grad_up = grad_y * t6
//
// Elementwise with broadcasting, computed in float32 for all storage types.
template <typename TypeGradY, typename TypeGate, typename TypeUp, typename TypeGradGate, typename TypeGradUp>
class SwiGLUGradKernel {
public:
    __aicore__ inline void Init(GM_ADDR grad_y, GM_ADDR gate, GM_ADDR up, GM_ADDR grad_gate, GM_ADDR grad_up,
                                const SwiGLUGradTilingData& tilingData, AscendC::TPipe& pipe) {
        tiling = &tilingData;
        if constexpr (kFirstShifted > 0) {
            pipe.InitBuffer(tileBuffer, kFirstShifted * tilingData.tileElements * sizeof(float));
        }
        inQueueGate.Init(pipe, gate, kBuffers, tilingData.tileElements, tilingData.bypassL2 != 0);
        inQueueUp.Init(pipe, up, kBuffers, tilingData.tileElements, tilingData.bypassL2 != 0);
        outQueueGradUp.Init(pipe, grad_up, kBuffers, tilingData.tileElements);
        // What follows begins in other banks than what is above: few instructions read twice in one bank group.
        pipe.InitBuffer(shiftBuffer, tile_io::kBankShift);
        inQueueGradY.Init(pipe, grad_y, kBuffers, tilingData.tileElements, tilingData.bypassL2 != 0);
        outQueueGradGate.Init(pipe, grad_gate, kBuffers, tilingData.tileElements);
        if constexpr (kTileBuffers > kFirstShifted) {
            pipe.InitBuffer(shiftedBuffer, (kTileBuffers - kFirstShifted) * tilingData.tileElements * sizeof(float));
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
            CopyIn(tile, place, place, place);
            Compute(tile, place, place, place);
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
            const tile_io::Place gradYPlace = tile_io::PlaceAt(grid, origin, tiling->gradYStrides);
            const tile_io::Place gatePlace = tile_io::PlaceAt(grid, origin, tiling->gateStrides);
            const tile_io::Place upPlace = tile_io::PlaceAt(grid, origin, tiling->upStrides);
            CopyIn(tile, gradYPlace, gatePlace, upPlace);
            Compute(tile, gradYPlace, gatePlace, upPlace);
            CopyOut(tile, tile_io::OffsetInOutput(grid, origin), grid.shape[0]);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
    static constexpr uint32_t kBuffers = 2;
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<TypeGradY, TypeGate, TypeUp, TypeGradGate, TypeGradUp>;
    // Indices of buffers of tiles. A tensor that is stored in its compute type needs none.
    static constexpr uint32_t kGateBuffer = 0;
    static constexpr uint32_t kUpBuffer = kGateBuffer + tile_io::kBuffersOf<TypeGate>;
    static constexpr uint32_t kTmpBuffer0 = kUpBuffer + tile_io::kBuffersOf<TypeUp>;
    static constexpr uint32_t kGradYBuffer = kTmpBuffer0 + 1;
    static constexpr uint32_t kGradGateBuffer = kGradYBuffer + tile_io::kBuffersOf<TypeGradY>;
    static constexpr uint32_t kTileBuffers = kGradGateBuffer + tile_io::kBuffersOf<TypeGradGate>;
    // Buffers from this one on are in shiftedBuffer.
    static constexpr uint32_t kFirstShifted = kGradYBuffer;

    __aicore__ inline void CopyIn(const tile_io::Tile& tile, const tile_io::Place& gradYPlace,
                                  const tile_io::Place& gatePlace, const tile_io::Place& upPlace) {
        inQueueGradY.CopyIn(tile, gradYPlace);
        inQueueGate.CopyIn(tile, gatePlace);
        inQueueUp.CopyIn(tile, upPlace);
    }

    __aicore__ inline void Compute(const tile_io::Tile& tile, const tile_io::Place& gradYPlace,
                                   const tile_io::Place& gatePlace, const tile_io::Place& upPlace) {
        const uint32_t elementCount = tile.Count();
        // A local tensor is overwritten after its last use.
        AscendC::LocalTensor<float> gradYLocal = inQueueGradY.DeQue(Buffer<float, kGradYBuffer>(), tile, gradYPlace);
        AscendC::LocalTensor<float> gateLocal = inQueueGate.DeQue(Buffer<float, kGateBuffer>(), tile, gatePlace);
        AscendC::LocalTensor<float> upLocal = inQueueUp.DeQue(Buffer<float, kUpBuffer>(), tile, upPlace);
        AscendC::LocalTensor<float> gradGateLocal = outQueueGradGate.AllocTensor(Buffer<float, kGradGateBuffer>());
        AscendC::LocalTensor<float> gradUpLocal = outQueueGradUp.AllocTensor(gradYLocal);
        AscendC::LocalTensor<float> tmpLocal0 = Buffer<float, kTmpBuffer0>();

        AscendC::Muls(gradGateLocal, gateLocal, -1.0f, elementCount);
        AscendC::Exp(gradGateLocal, gradGateLocal, elementCount);
        AscendC::Adds(gradGateLocal, gradGateLocal, 1.0f, elementCount);
        AscendC::Duplicate(tmpLocal0, 1.0f, elementCount);
        AscendC::Div(gradGateLocal, tmpLocal0, gradGateLocal, elementCount);
        AscendC::Mul(tmpLocal0, gateLocal, gradGateLocal, elementCount);
        AscendC::Mul(upLocal, gradYLocal, upLocal, elementCount);
        AscendC::Mul(gradUpLocal, gradYLocal, tmpLocal0, elementCount);
        AscendC::Sub(tmpLocal0, gateLocal, tmpLocal0, elementCount);
        AscendC::Adds(tmpLocal0, tmpLocal0, 1.0f, elementCount);
        AscendC::Mul(gradGateLocal, gradGateLocal, tmpLocal0, elementCount);
        AscendC::Mul(gradGateLocal, upLocal, gradGateLocal, elementCount);

        outQueueGradGate.EnQue(gradGateLocal, elementCount);
        outQueueGradUp.EnQue(gradUpLocal, elementCount);
        inQueueGradY.FreeTensor(gradYLocal);
        inQueueGate.FreeTensor(gateLocal);
        inQueueUp.FreeTensor(upLocal);
    }

    __aicore__ inline void CopyOut(const tile_io::Tile& tile, int64_t offset, int64_t rowLength) {
        outQueueGradGate.CopyOut(tile, offset, rowLength);
        outQueueGradUp.CopyOut(tile, offset, rowLength);
    }

    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kFirstShifted) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else if constexpr (index < kTileBuffers) {
            return shiftedBuffer.template Get<Computed>()[(index - kFirstShifted) * tiling->tileElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }

    const SwiGLUGradTilingData* tiling;
    tile_io::InQueue<TypeGradY> inQueueGradY;
    tile_io::InQueue<TypeGate> inQueueGate;
    tile_io::InQueue<TypeUp> inQueueUp;
    tile_io::OutQueue<TypeGradGate> outQueueGradGate;
    tile_io::OutQueue<TypeGradUp> outQueueGradUp;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftedBuffer;
};

#endif  // SWI_GLU_GRAD_KERNEL_H
