#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tile_io.h"
#include "tile_matmul.h"
{% if vector.functions %}
#include "vector_math.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{% for line in formulas %}
// {{ line }}
{% endfor %}
//
// Products come from the cube core, in float32, tile by tile of the output; what is left of the expression is computed
// on the vector cores, in {{ vector.computed_in }} whatever the storage types. No product exists as a whole.
{{ template_line }}
class {{ op_type }}Kernel {
public:
    using LeftMatrix = {{ left_matrix }};
    using RightMatrix = {{ right_matrix }};
{% if coupled %}
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND_ALIGN, float>;
{% else %}
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
{% endif %}
    // The entry registers it, which starts the cube core's side.
    matmul::Matmul<LeftMatrix, RightMatrix, ProductMatrix, ProductMatrix, tile_matmul::kConfig> matmulObj;

    {{ init_signature }} {
        tiling_ = &tilingData;
        const int64_t thisWorker = tile_matmul::WorkerNumber(tilingData.blockCount);
{% if coupled %}
        const uint32_t together = tilingData.tilesTogether;
        theShare_ = tile_matmul::ShareOf(thisWorker, tilingData.workerCount, tilingData.tileCount / together);
        theShare_ = {theShare_.begin * together, theShare_.end * together};
{% else %}
        theShare_ = tile_matmul::ShareOf(thisWorker, tilingData.workerCount, tilingData.tileCount);
{% endif %}
        theSlots_.Init(userWorkspace, thisWorker, kProducts, tilingData.tileRows * tilingData.tileColumns);
{% for operand in operands %}
        {{ operand.member }}.SetGlobalBuffer(reinterpret_cast<__gm__ {{ operand.type }}*>({{ operand.name }}));
{% endfor %}
{% for line in init_lines %}
        {{ line }}
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            tPipe.InitBuffer(tiles_, kTileBuffers * tilingData.epilogueElements * sizeof(float));
        }
{% if vector.via_half %}
        if constexpr (kViaHalf) {
            tPipe.InitBuffer(halves_, tilingData.epilogueElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        tPipe.InitBuffer(masks_, kMasks * tilingData.epilogueElements / kMaskBits);
{% endif %}
{% if coupled %}
        if constexpr (tile_io::kCoupled) {
            if (tilingData.formattingBytes > 0) {
                tPipe.InitBuffer(formatting_, tilingData.formattingBytes);
            }
        }
{% endif %}
    }

    // While the cube core multiplies for the next tile, this vector core computes with the products of the one before.
    __aicore__ inline void Process() {
        if (theShare_.begin == theShare_.end) {
            return;
        }
{% if coupled %}
        if constexpr (tile_io::kCoupled) {
            matmulObj.SetLocalWorkspace(formatting_.Get<uint8_t>());
        }
        const int rowCount = static_cast<int>(tiling_->rowCount);
        const int innerCount = static_cast<int>(tiling_->innerCount);
        const int columnCount = static_cast<int>(tiling_->columnCount);
        matmulObj.SetOrgShape(rowCount, columnCount, innerCount, innerCount, static_cast<int>(tiling_->tileColumns));
{% endif %}
        Multiply(TileAt(theShare_.begin), 0);
        uint32_t slot = 0;
        for (int64_t tileNumber = theShare_.begin; tileNumber < theShare_.end; tileNumber++) {
            // Asked for before this tile is done, so that the cube core can go straight on. The message leaves through
            // MTE3, behind the results that were computed from the other slot: that one has been read by then.
            if (tileNumber + 1 < theShare_.end) {
                Multiply(TileAt(tileNumber + 1), 1 - slot);
            }
{% if coupled %}
            tile_matmul::WaitForProducts(matmulObj);
{% else %}
            matmulObj.WaitIterateAll();
{% endif %}
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
    static constexpr uint32_t kProducts = {{ product_count }};
{% if vector.double_buffered %}
    // Buffers of each queue: while some rows are computed, the next are copied in and the last ones out.
{% else %}
    // Buffers of each queue. A second one for each would exceed the queue buffers that the hardware has.
{% endif %}
    static constexpr uint32_t kBuffers = {{ vector.buffers }};
    // Rows of a tile start a multiple of this many elements apart.
    {{ vector.row_step }}
    // Places in tiles_. A tensor that is stored as it is computed takes none.
{% for line in vector.buffer_constants %}
    {{ line }}
{% endfor %}
{% if vector.via_half %}
    // Whether some tensor is of single bytes, which are cast by way of half.
    {{ vector.via_half }}
{% endif %}
{% if vector.masks %}
    // One bit for each element; Compare works on whole blocks of 256 bytes.
    static constexpr uint32_t kMasks = {{ vector.masks }};
    static constexpr uint32_t kMaskBits = 8;
    static constexpr uint32_t kCompareElements = 64;
{% endif %}

    __aicore__ inline tile_matmul::OutputTile TileAt(int64_t tileNumber) {
        const tile_matmul::TileGrid theGrid{tiling_->rowCount, tiling_->columnCount, tiling_->columnTiles,
                                            tiling_->tileRows, tiling_->tileColumns};
        return tile_matmul::TileAt(theGrid, tileNumber);
    }

{% if coupled %}
    // Asks the cube core for all products of a tile. It serves in order: waiting for the last product is waiting for
    // all. Rows of every tile lie as far apart in the slot as those of the widest.
{% else %}
    // Asks the cube core for all products of a tile. It serves in order: waiting for the last product is waiting for
    // all. Rows of the tile follow each other in the slot without gaps.
{% endif %}
    __aicore__ inline void Multiply(const tile_matmul::OutputTile& theTile, uint32_t slot) {
        matmulObj.SetSingleShape(theTile.rows, theTile.columns, tiling_->innerCount);
{% for line in multiply_lines %}
        {{ line }}
{% endfor %}
    }

    // Computes a tile of the results from the products in a slot, as many rows at once as the buffers hold.
    __aicore__ inline void Finish(const tile_matmul::OutputTile& theTile, uint32_t slot) {
        const uint32_t rowPitch = tile_io::RoundUp(theTile.columns, kRowStep);
        for (uint32_t done = 0; done < theTile.rows; done += tiling_->epilogueRows) {
            const uint32_t rowCount = tile_io::AtMost(theTile.rows - done, tiling_->epilogueRows);
            const tile_io::Tile someRows{rowCount, theTile.columns, rowPitch};
{% if coupled %}
            const tile_io::Tile wholeRows = tile_matmul::WholeRows(someRows);
{% endif %}
{% for line in place_lines %}
            {{ line }}
{% endfor %}
{% for line in copy_in_lines %}
            {{ line }}
{% endfor %}
            {{ compute_call }}
{% for tensor in written %}
            {{ tensor.member }}.CopyOut(someRows, offset, tiling_->columnCount);
{% endfor %}
        }
    }

    {{ compute_signature }} {
        const uint32_t elementCount = someRows.Count();
{% if vector.masks %}
        const uint32_t compareCount = tile_io::RoundUp(elementCount, kCompareElements);
{% endif %}
        // Views are written over once they have been read for the last time.
{% for line in vector.open_lines %}
        {{ line }}
{% endfor %}

{% for line in vector.compute_lines %}
        {{ line }}
{% endfor %}
{% if vector.compute_lines %}

{% endif %}
{% for line in vector.close_lines %}
        {{ line }}
{% endfor %}
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
{% if vector.via_half %}

    // Room for the casts of tensors of single bytes, which follow each other.
    __aicore__ inline AscendC::LocalTensor<half> Halves() {
        if constexpr (kViaHalf) {
            return halves_.template Get<half>();
        } else {
            return AscendC::LocalTensor<half>();
        }
    }
{% endif %}

    const {{ op_type }}TilingData* tiling_;
    tile_matmul::Share theShare_;
    tile_matmul::Slots theSlots_;
{% if left_once %}
    int64_t leftRow_ = -1;  // of the tile that the left matrix was set for
{% endif %}
{% for operand in operands %}
    AscendC::GlobalTensor<{{ operand.type }}> {{ operand.member }};
{% endfor %}
{% for tensor in read %}
    tile_io::{{ tensor.reader }} {{ tensor.member }};
{% endfor %}
{% for tensor in written %}
    tile_io::{{ tensor.writer }} {{ tensor.member }};
{% endfor %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> tiles_;
{% if vector.via_half %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halves_;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> masks_;
{% endif %}
{% if coupled %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> formatting_;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
