#ifndef SWI_GLU_KERNEL_H
#define SWI_GLU_KERNEL_H

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tile_io.h"
#include "tile_matmul.h"
#include "swi_glu_tiling.h"

// y = silu(x @ w_gate) * (x @ w_up)
//
// Products come from the cube core, in float32, tile by tile of the output; what is left of the expression is computed
// on the vector cores, in float32 whatever the storage types. No product exists as a whole.
template <typename TypeX, typename TypeWGate, typename TypeWUp, typename TypeY>
class SwiGLUKernel {
public:
    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, TypeX>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, TypeWGate>;
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
    // The entry registers it, which starts the cube core's side.
    matmul::Matmul<LeftMatrix, RightMatrix, ProductMatrix, ProductMatrix, tile_matmul::kConfig> matmulObj;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR w_gate, GM_ADDR w_up, GM_ADDR y, GM_ADDR userWorkspace,
                                const SwiGLUTilingData& tilingData, AscendC::TPipe& tPipe) {
        tiling_ = &tilingData;
        const int64_t thisWorker = tile_matmul::WorkerNumber(tilingData.blockCount);
        theShare_ = tile_matmul::ShareOf(thisWorker, tilingData.workerCount, tilingData.tileCount);
        theSlots_.Init(userWorkspace, thisWorker, kProducts, tilingData.tileRows * tilingData.tileColumns);
        xMatrix_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeX*>(x));
        wGateMatrix_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeWGate*>(w_gate));
        wUpMatrix_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeWUp*>(w_up));
        gateIn_.Init(tPipe, theSlots_.ProductAddress(0), kBuffers, tilingData.epilogueElements,
                     tilingData.innerCount > 0, 0.0f);
        upIn_.Init(tPipe, theSlots_.ProductAddress(1), kBuffers, tilingData.epilogueElements, tilingData.innerCount > 0,
                   0.0f);
        yOut_.Init(tPipe, y, kBuffers, tilingData.epilogueElements);
        if constexpr (kTileBuffers > 0) {
            tPipe.InitBuffer(tiles_, kTileBuffers * tilingData.epilogueElements * sizeof(float));
        }
    }

    // While the cube core multiplies for the next tile, this vector core computes with the products of the one before.
    __aicore__ inline void Process() {
        if (theShare_.begin == theShare_.end) {
            return;
        }
        Multiply(TileAt(theShare_.begin), 0);
        uint32_t slot = 0;
        for (int64_t tileNumber = theShare_.begin; tileNumber < theShare_.end; tileNumber++) {
            // Asked for before this tile is done, so that the cube core can go straight on. The message leaves through
            // MTE3, behind the results that were computed from the other slot: that one has been read by then.
            if (tileNumber + 1 < theShare_.end) {
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
        for (int64_t tileNumber = theShare_.begin; tileNumber < theShare_.end; tileNumber++) {
            Finish(TileAt(tileNumber), 0);
        }
    }

private:
    static constexpr uint32_t kProducts = 2;
    // Buffers of each queue: while some rows are computed, the next are copied in and the last ones out.
    static constexpr uint32_t kBuffers = 2;
    // Rows of a tile start a multiple of this many elements apart.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<float, TypeY>;
    // Places in tiles_. A tensor that is stored as it is computed takes none.
    static constexpr uint32_t kYBuffer = 0;
    static constexpr uint32_t kTileBuffers = kYBuffer + tile_io::kBuffersOf<TypeY>;

    __aicore__ inline tile_matmul::OutputTile TileAt(int64_t tileNumber) {
        const tile_matmul::TileGrid theGrid{tiling_->rowCount, tiling_->columnCount, tiling_->columnTiles,
                                            tiling_->tileRows, tiling_->tileColumns};
        return tile_matmul::TileAt(theGrid, tileNumber);
    }

    // Asks the cube core for all products of a tile. It serves in order: waiting for the last product is waiting for
    // all. Rows of the tile follow each other in the slot without gaps.
    __aicore__ inline void Multiply(const tile_matmul::OutputTile& theTile, uint32_t slot) {
        matmulObj.SetSingleShape(theTile.rows, theTile.columns, tiling_->innerCount);
        if (theTile.row != leftRow_) {
            matmulObj.SetTensorA(xMatrix_[theTile.row * tiling_->innerCount]);
            leftRow_ = theTile.row;
        }
        matmulObj.SetTensorB(wGateMatrix_[theTile.column]);
        matmulObj.template IterateAll<false>(theSlots_.At(slot, 0), 0, true, false);
        matmulObj.SetTensorB(wUpMatrix_[theTile.column]);
        matmulObj.template IterateAll<false>(theSlots_.At(slot, 1), 0, true, true);
    }

    // Computes a tile of the results from the products in a slot, as many rows at once as the buffers hold.
    __aicore__ inline void Finish(const tile_matmul::OutputTile& theTile, uint32_t slot) {
        const uint32_t rowPitch = tile_io::RoundUp(theTile.columns, kRowStep);
        for (uint32_t done = 0; done < theTile.rows; done += tiling_->epilogueRows) {
            const uint32_t rowCount = tile_io::AtMost(theTile.rows - done, tiling_->epilogueRows);
            const tile_io::Tile someRows{rowCount, theTile.columns, rowPitch};
            const int64_t offset = (theTile.row + done) * tiling_->columnCount + theTile.column;
            const tile_io::Place slotPlace{theSlots_.OffsetOf(slot) + done * theTile.columns, theTile.columns, 1};
            gateIn_.CopyIn(someRows, slotPlace);
            upIn_.CopyIn(someRows, slotPlace);
            Compute(someRows, slotPlace);
            yOut_.CopyOut(someRows, offset, tiling_->columnCount);
        }
    }

    __aicore__ inline void Compute(const tile_io::Tile& someRows, const tile_io::Place& slotPlace) {
        const uint32_t elementCount = someRows.Count();
        // Views are written over once they have been read for the last time.
        AscendC::LocalTensor<float> gate = gateIn_.Open(AscendC::LocalTensor<float>(), someRows, slotPlace);
        AscendC::LocalTensor<float> up = upIn_.Open(AscendC::LocalTensor<float>(), someRows, slotPlace);
        AscendC::LocalTensor<float> y = yOut_.Open(Buffer<float, kYBuffer>());

        AscendC::Muls(y, gate, -1.0f, elementCount);
        AscendC::Exp(y, y, elementCount);
        AscendC::Adds(y, y, 1.0f, elementCount);
        AscendC::Div(y, gate, y, elementCount);
        AscendC::Mul(y, y, up, elementCount);

        yOut_.Close(y, elementCount);
        gateIn_.Close(gate);
        upIn_.Close(up);
    }

    // A buffer that holds the rows computed at once.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tiles_.template Get<Computed>()[index * tiling_->epilogueElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }

    const SwiGLUTilingData* tiling_;
    tile_matmul::Share theShare_;
    tile_matmul::Slots theSlots_;
    int64_t leftRow_ = -1;  // of the tile that the left matrix was set for
    AscendC::GlobalTensor<TypeX> xMatrix_;
    AscendC::GlobalTensor<TypeWGate> wGateMatrix_;
    AscendC::GlobalTensor<TypeWUp> wUpMatrix_;
    tile_io::OptionalReader<float> gateIn_;
    tile_io::OptionalReader<float> upIn_;
    tile_io::TileWriter<TypeY> yOut_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tiles_;
};

#endif  // SWI_GLU_KERNEL_H
