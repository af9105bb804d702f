#ifndef SWI_GLU_KERNEL_H
#define SWI_GLU_KERNEL_H

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "opforge/tile_io.h"
#include "opforge/tile_matmul.h"
#include "swi_glu_tiling.h"

// y = silu(x @ w_gate) * (x @ w_up)
//
// The cube core computes the products in float32, tile by tile of the output. The vector cores compute the rest of the
// expression in float32 for all storage types. No product exists as a whole tensor.
template <typename TypeX, typename TypeWGate, typename TypeWUp, typename TypeY>
class SwiGLUKernel {
public:
    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, TypeX>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, TypeWGate>;
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
    // The entry function registers it, which starts the cube core.
    matmul::Matmul<LeftMatrix, RightMatrix, ProductMatrix, ProductMatrix, tile_matmul::kConfig> matmulObj;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR w_gate, GM_ADDR w_up, GM_ADDR y, GM_ADDR userWorkspace,
                                const SwiGLUTilingData& tilingData, AscendC::TPipe& pipe) {
        tiling = &tilingData;
        const int64_t workerNumber = tile_matmul::WorkerNumber(tilingData.blockCount);
        tileShare = tile_matmul::ShareOf(workerNumber, tilingData.workerCount, tilingData.tileCount);
        productSlots.Init(userWorkspace, workerNumber, kProducts, tilingData.tileRows * tilingData.tileColumns);
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeX*>(x));
        wGateGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeWGate*>(w_gate));
        wUpGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeWUp*>(w_up));
        inQueueGate.Init(pipe, productSlots.ProductAddress(0), kBuffers, tilingData.epilogueElements,
                         tilingData.innerCount > 0, 0.0f);
        inQueueUp.Init(pipe, productSlots.ProductAddress(1), kBuffers, tilingData.epilogueElements,
                       tilingData.innerCount > 0, 0.0f);
        outQueueY.Init(pipe, y, kBuffers, tilingData.epilogueElements);
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.epilogueElements * sizeof(float));
        }
    }

    // While the cube core computes the products of the next tile, this vector core uses those of the current one.
    __aicore__ inline void Process() {
        if (tileShare.begin == tileShare.end) {
            return;
        }
        Multiply(TileAt(tileShare.begin), 0);
        uint32_t slot = 0;
        for (int64_t tileNumber = tileShare.begin; tileNumber < tileShare.end; tileNumber++) {
            // Request the next tile before this one is done, so that the cube core can continue. MTE3 sends the message
            // after the results that were computed from the other slot, so that slot has been read by then.
            if (tileNumber + 1 < tileShare.end) {
                Multiply(TileAt(tileNumber + 1), 1 - slot);
            }
            matmulObj.WaitIterateAll();
            Finish(TileAt(tileNumber), slot);
            slot = 1 - slot;
        }
        matmulObj.End();
    }

    // The operands have no elements, so that all products are zero.
    __aicore__ inline void ProcessWithoutProducts() {
        for (int64_t tileNumber = tileShare.begin; tileNumber < tileShare.end; tileNumber++) {
            Finish(TileAt(tileNumber), 0);
        }
    }

private:
    static constexpr uint32_t kProducts = 2;
    // Buffers of each queue: while some rows are computed, the next ones are copied in and the previous ones out.
    static constexpr uint32_t kBuffers = 2;
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<float, TypeY>;
    // Indices of buffers in tileBuffer. A tensor that is stored in its compute type needs none.
    static constexpr uint32_t kYBuffer = 0;
    static constexpr uint32_t kTileBuffers = kYBuffer + tile_io::kBuffersOf<TypeY>;

    __aicore__ inline tile_matmul::OutputTile TileAt(int64_t tileNumber) {
        const tile_matmul::TileGrid grid{tiling->rowCount, tiling->columnCount, tiling->columnTiles,
                                         tiling->tileRows, tiling->tileColumns, tiling->tileGroup};
        return tile_matmul::TileAt(grid, tileNumber);
    }

    // Requests all products of a tile. The cube core works in order, so waiting for the last product waits for all. In
    // a slot, the rows of a tile follow each other without gaps.
    __aicore__ inline void Multiply(const tile_matmul::OutputTile& tile, uint32_t slot) {
        matmulObj.SetSingleShape(tile.rows, tile.columns, tiling->innerCount);
        if (tile.row != leftRow) {
            matmulObj.SetTensorA(xGm[tile.row * tiling->innerCount]);
            leftRow = tile.row;
        }
        matmulObj.SetTensorB(wGateGm[tile.column]);
        matmulObj.template IterateAll<false>(productSlots.At(slot, 0), 0, true, false);
        matmulObj.SetTensorB(wUpGm[tile.column]);
        matmulObj.template IterateAll<false>(productSlots.At(slot, 1), 0, true, true);
    }

    // Computes a tile of the results from the products in a slot, as many rows at a time as the buffers hold.
    __aicore__ inline void Finish(const tile_matmul::OutputTile& tile, uint32_t slot) {
        const uint32_t rowPitch = tile_io::RoundUp(tile.columns, kRowStep);
        for (uint32_t done = 0; done < tile.rows; done += tiling->epilogueRows) {
            const uint32_t rowCount = tile_io::AtMost(tile.rows - done, tiling->epilogueRows);
            const tile_io::Tile rows{rowCount, tile.columns, rowPitch};
            const int64_t offset = (tile.row + done) * tiling->columnCount + tile.column;
            const tile_io::Place slotPlace{productSlots.OffsetOf(slot) + done * tile.columns, tile.columns, 1};
            inQueueGate.CopyIn(rows, slotPlace);
            inQueueUp.CopyIn(rows, slotPlace);
            Compute(rows, slotPlace);
            outQueueY.CopyOut(rows, offset, tiling->columnCount);
        }
    }

    __aicore__ inline void Compute(const tile_io::Tile& rows, const tile_io::Place& slotPlace) {
        const uint32_t elementCount = rows.Count();
        // A local tensor is overwritten after its last use.
        AscendC::LocalTensor<float> gateLocal = inQueueGate.DeQue(AscendC::LocalTensor<float>(), rows, slotPlace);
        AscendC::LocalTensor<float> upLocal = inQueueUp.DeQue(AscendC::LocalTensor<float>(), rows, slotPlace);
        AscendC::LocalTensor<float> yLocal = outQueueY.AllocTensor(Buffer<float, kYBuffer>());

        AscendC::Muls(yLocal, gateLocal, -1.0f, elementCount);
        AscendC::Exp(yLocal, yLocal, elementCount);
        AscendC::Adds(yLocal, yLocal, 1.0f, elementCount);
        AscendC::Div(yLocal, gateLocal, yLocal, elementCount);
        AscendC::Mul(yLocal, yLocal, upLocal, elementCount);

        outQueueY.EnQue(yLocal, elementCount);
        inQueueGate.FreeTensor(gateLocal);
        inQueueUp.FreeTensor(upLocal);
    }

    // A buffer that holds the rows computed at once.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->epilogueElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }

    const SwiGLUTilingData* tiling;
    tile_matmul::Share tileShare;
    tile_matmul::Slots productSlots;
    int64_t leftRow = -1;  // the row of the left matrix that is currently set
    AscendC::GlobalTensor<TypeX> xGm;
    AscendC::GlobalTensor<TypeWGate> wGateGm;
    AscendC::GlobalTensor<TypeWUp> wUpGm;
    tile_io::OptionalInQueue<float> inQueueGate;
    tile_io::OptionalInQueue<float> inQueueUp;
    tile_io::OutQueue<TypeY> outQueueY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
};

#endif  // SWI_GLU_KERNEL_H
